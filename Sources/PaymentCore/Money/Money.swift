/// An exact amount: a whole number of minor units of a currency. Never negative, never a binary fraction.
///
/// `Money(minorUnits: 1050, currency: .usd)` is ten dollars and fifty cents. Amounts with different exponents are
/// different values, even if they are worth the same.
public struct Money: Sendable, Hashable {
    /// The most minor units: 38 digits, all nines.
    public static let maximumMinorUnits: UInt128 = 99_999_999_999_999_999_999_999_999_999_999_999_999
    /// The largest exponent.
    public static let maximumExponent: UInt8 = 38

    /// The amount in minor units.
    public let minorUnits: UInt128
    /// The currency or asset that it is counted in.
    public let currency: Currency
    /// The number of decimal digits of the main unit that one minor unit stands for, 0 to 38.
    public let exponent: UInt8

    /// Creates an amount of `minorUnits`.
    ///
    /// - Parameters:
    ///   - minorUnits: the amount in minor units, such as cents.
    ///   - currency: the currency or asset.
    ///   - exponent: the number of decimal digits of the minor unit; nil for the currency's own. An asset has none, so
    ///     it must be stated.
    /// - Throws: ``MoneyError/exponentNeeded``, ``MoneyError/exponentTooLarge(_:)`` or ``MoneyError/tooLarge``.
    public init(minorUnits: UInt128, currency: Currency, exponent: UInt8? = nil) throws(MoneyError) {
        guard let exponent = exponent ?? currency.exponent else { throw .exponentNeeded }
        guard exponent <= Self.maximumExponent else { throw .exponentTooLarge(exponent) }
        guard minorUnits <= Self.maximumMinorUnits else { throw .tooLarge }
        self.minorUnits = minorUnits
        self.currency = currency
        self.exponent = exponent
    }

    /// Creates an amount from a whole number of minor units, as vendors send it: `"1050"`.
    ///
    /// - Parameters:
    ///   - minorUnitText: digits, without a leading zero.
    ///   - currency: the currency or asset.
    ///   - exponent: as in ``init(minorUnits:currency:exponent:)``.
    /// - Throws: the errors of ``init(minorUnits:currency:exponent:)``, and ``MoneyError/malformedAmount`` for anything
    ///   but digits without a leading zero.
    public init(minorUnitText: String, currency: Currency, exponent: UInt8? = nil) throws(MoneyError) {
        let number = try Self.wholeNumber(minorUnitText.utf8)
        try self.init(minorUnits: number, currency: currency, exponent: exponent)
    }

    /// Creates an amount from main units: `"10.5"` with ``Currency/usd`` is 1050 cents.
    ///
    /// Digits, and at most one point with digits on both sides. No sign, exponent, grouping or leading zero.
    ///
    /// - Parameters:
    ///   - decimal: the number as text.
    ///   - currency: the currency or asset.
    ///   - exponent: as in ``init(minorUnits:currency:exponent:)``.
    /// - Throws: the errors of ``init(minorUnits:currency:exponent:)``, ``MoneyError/malformedAmount``, and
    ///   ``MoneyError/tooPrecise(digits:allowed:)`` for more digits behind the point than the exponent, zeros too.
    public init(decimal: String, currency: Currency, exponent: UInt8? = nil) throws(MoneyError) {
        guard let exponent = exponent ?? currency.exponent else { throw .exponentNeeded }
        guard exponent <= Self.maximumExponent else { throw .exponentTooLarge(exponent) }
        let text = decimal.utf8
        let point = text.firstIndex(of: UInt8(ascii: "."))
        var number = try Self.wholeNumber(text[..<(point ?? text.endIndex)])
        var fraction = text[text.endIndex...]
        if let point {
            fraction = text[text.index(after: point)...]
            guard !fraction.isEmpty, fraction.allSatisfy(\.isASCIIDigit) else { throw .malformedAmount }
            guard fraction.count <= Int(exponent) else {
                throw .tooPrecise(digits: fraction.count, allowed: exponent)
            }
        }
        for byte in fraction { number = try Self.appending(byte, to: number) }
        for _ in fraction.count..<Int(exponent) { number = try Self.appending(UInt8(ascii: "0"), to: number) }
        try self.init(minorUnits: number, currency: currency, exponent: exponent)
    }

    private static func wholeNumber(_ digits: some Collection<UInt8>) throws(MoneyError) -> UInt128 {
        guard let first = digits.first, digits.allSatisfy(\.isASCIIDigit),
            first != UInt8(ascii: "0") || digits.count == 1
        else { throw .malformedAmount }
        var number: UInt128 = 0
        for byte in digits { number = try appending(byte, to: number) }
        return number
    }

    private static func appending(_ digit: UInt8, to number: UInt128) throws(MoneyError) -> UInt128 {
        guard number <= maximumMinorUnits / 10 else { throw .tooLarge }
        return number * 10 + UInt128(digit - UInt8(ascii: "0"))
    }
}

// MARK: Text

extension Money {
    /// The amount in minor units: `1050`.
    public var minorUnitText: String { String(minorUnits) }

    /// The exact amount in main units, always with as many digits behind the point as the exponent: `10.50`.
    public var decimalText: String {
        let digits = String(minorUnits)
        guard exponent > 0 else { return digits }
        let padded = String(repeating: "0", count: max(0, Int(exponent) + 1 - digits.count)) + digits
        return "\(padded.dropLast(Int(exponent))).\(padded.suffix(Int(exponent)))"
    }
}

extension Money: CustomStringConvertible {
    /// The amount for people: `10.50 USD`.
    public var description: String { "\(decimalText) \(currency)" }
}

// MARK: Reckoning

extension Money {
    /// True if the amount is zero.
    public var isZero: Bool { minorUnits == 0 }

    /// Returns true if this amount is smaller than `other`.
    ///
    /// - Parameter other: an amount of the same currency and exponent.
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)`` or ``MoneyError/exponentMismatch(_:_:)``.
    public func isLess(than other: Money) throws(MoneyError) -> Bool {
        try requireSameUnit(as: other)
        return minorUnits < other.minorUnits
    }

    /// Returns the sum of both amounts.
    ///
    /// - Parameter other: an amount of the same currency and exponent.
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)``, ``MoneyError/exponentMismatch(_:_:)`` or
    ///   ``MoneyError/tooLarge``.
    public func adding(_ other: Money) throws(MoneyError) -> Money {
        try requireSameUnit(as: other)
        // Two amounts of at most 38 digits always fit 128 bits; the initialiser checks the digits.
        return try Money(minorUnits: minorUnits + other.minorUnits, currency: currency, exponent: exponent)
    }

    /// Returns this amount reduced by `other`.
    ///
    /// - Parameter other: an amount of the same currency and exponent.
    /// - Throws: ``MoneyError/currencyMismatch(_:_:)``, ``MoneyError/exponentMismatch(_:_:)`` or
    ///   ``MoneyError/belowZero``.
    public func subtracting(_ other: Money) throws(MoneyError) -> Money {
        try requireSameUnit(as: other)
        guard minorUnits >= other.minorUnits else { throw .belowZero }
        return try Money(minorUnits: minorUnits - other.minorUnits, currency: currency, exponent: exponent)
    }

    private func requireSameUnit(as other: Money) throws(MoneyError) {
        guard currency == other.currency else { throw .currencyMismatch(currency, other.currency) }
        guard exponent == other.exponent else { throw .exponentMismatch(exponent, other.exponent) }
    }
}

// MARK: Coding

extension Money: Codable {
    private enum CodingKeys: String, CodingKey {
        case minorUnits, currency, exponent
    }

    /// Creates an amount by decoding what ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` when it is not an amount.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        do {
            try self.init(
                minorUnitText: container.decode(String.self, forKey: .minorUnits),
                currency: container.decode(Currency.self, forKey: .currency),
                exponent: container.decode(UInt8.self, forKey: .exponent))
        } catch let error as MoneyError {
            throw DecodingError.dataCorruptedError(
                forKey: .minorUnits, in: container, debugDescription: error.description)
        }
    }

    /// Encodes an object: `minorUnits` as a string, since JSON readers round long numbers, `currency` as its unit, and
    /// `exponent`.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(minorUnitText, forKey: .minorUnits)
        try container.encode(currency, forKey: .currency)
        try container.encode(exponent, forKey: .exponent)
    }
}

extension Currency {
    /// The unit of amounts in main units, for programs: `iso4217/USD`, `caip19/…` or `BTC`. Next to `sat`, an amount of
    /// bitcoin would be read as a hundred-millionth of it, or as a hundred million times it.
    package var mainUnit: String { self == .satoshi ? "BTC" : unit }
}

extension Money {
    /// Creates an amount from a program's text: in main units, or in whole satoshis if the unit is `sat`.
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

/// Why an amount or a currency cannot be read, or two amounts cannot be combined.
@nonexhaustive
public enum MoneyError: Error, Sendable, Hashable {
    /// Not a code of ISO 4217.
    case unknownCurrency(code: String)
    /// A unit that begins with neither `iso4217/` nor `caip19/` and is not `sat`.
    case unknownUnit
    /// The asset of a `caip19/` unit is malformed.
    case invalidAsset(CAIPError)
    /// An asset does not state its decimal digits; they must be provided.
    case exponentNeeded
    /// More decimal digits than an amount can have.
    case exponentTooLarge(UInt8)
    /// Not a plain number: a sign, an exponent, grouping, a leading zero, a missing digit or nothing at all.
    case malformedAmount
    /// More digits behind the point than the currency has.
    case tooPrecise(digits: Int, allowed: UInt8)
    /// More than 38 digits.
    case tooLarge
    /// A larger amount was to be taken from a smaller one.
    case belowZero
    /// The amounts are in different currencies.
    case currencyMismatch(Currency, Currency)
    /// The amounts are in the same currency but count different fractions of it.
    case exponentMismatch(UInt8, UInt8)
}

extension MoneyError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .unknownCurrency(let code):
            "\(Self.quoted(code)) is not an ISO 4217 currency code; use three capital letters such as USD"
        case .unknownUnit: "the unit of the amount is unknown; use iso4217/<code>, caip19/<asset id> or sat"
        case .invalidAsset(let error): "the asset of the amount is malformed: \(error)"
        case .exponentNeeded: "say how many decimal digits this asset has; its name does not state it"
        case .exponentTooLarge(let exponent):
            "an amount cannot have \(exponent) decimal digits; at most \(Money.maximumExponent) are possible"
        case .malformedAmount: "the amount is not a plain number such as 10 or 10.50"
        case .tooPrecise(let digits, let allowed):
            "the amount has \(digits) digits behind the point, its currency has only \(allowed)"
        case .tooLarge: "the amount has more than 38 digits"
        case .belowZero: "the result would be below zero"
        case .currencyMismatch(let left, let right): "\(left) and \(right) are different currencies; convert one first"
        case .exponentMismatch(let left, let right):
            "one amount counts \(left) decimal digits, the other \(right); bring them to the same number first"
        }
    }

    /// `code` as far as it can be a mistyped code; other text came from elsewhere and is not repeated.
    private static func quoted(_ code: String) -> String {
        code.utf8.count <= 8 && code.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) && !code.isEmpty
            ? code : "the given text"
    }
}
