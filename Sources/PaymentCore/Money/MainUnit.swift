extension Currency {
    /// The unit of amounts in main units, for programs: `iso4217/USD`, `caip19/…` or `BTC`. An amount of bitcoin beside
    /// `sat` would be read as a hundred-millionth of it, or as a hundred million times it.
    package var mainUnit: String { self == .satoshi ? "BTC" : unit }
}

extension Money {
    /// Creates an amount from a program's text: in main units, or in whole satoshis where the unit is `sat`.
    ///
    /// - Parameter decimals: The decimal digits of a token.
    /// - Throws: `MoneyError`.
    package init(_ text: String, unit: String, decimals: UInt8?) throws(MoneyError) {
        switch unit {
        case Currency.satoshi.unit: try self.init(minorUnitText: text, currency: .satoshi)
        case Currency.satoshi.mainUnit: try self.init(decimal: text, currency: .satoshi, exponent: decimals)
        default: try self.init(decimal: text, currency: try Currency(unit: unit), exponent: decimals)
        }
    }
}
