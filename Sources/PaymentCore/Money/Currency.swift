/// The unit that an amount is counted in.
@nonexhaustive
public enum Currency: Sendable, Hashable {
    /// Government-issued money.
    case fiat(FiatCurrency)
    /// A token or native coin of a chain. Its number of decimal digits is not part of its name.
    case asset(AssetID)
    /// Bitcoin, on chain or by Lightning, counted in satoshi: the minor unit is one satoshi, the symbol `BTC` and the
    /// exponent 8.
    case satoshi

    /// The euro.
    public static let eur = Currency.fiat(.eur)
    /// The United States dollar.
    public static let usd = Currency.fiat(.usd)

    /// Creates a currency from its unit on the wire: `iso4217/USD`, `caip19/eip155:1/slip44:60` or `sat`.
    ///
    /// - Throws: ``MoneyError/unknownUnit``, ``MoneyError/unknownCurrency(code:)`` or ``MoneyError/invalidAsset(_:)``.
    public init(unit: String) throws(MoneyError) {
        if unit == Self.satoshiUnit {
            self = .satoshi
        } else if unit.hasPrefix(Self.fiatPrefix) {
            self = .fiat(try FiatCurrency(String(unit.dropFirst(Self.fiatPrefix.count))))
        } else if unit.hasPrefix(Self.assetPrefix) {
            do { self = .asset(try AssetID(String(unit.dropFirst(Self.assetPrefix.count)))) } catch {
                throw .invalidAsset(error)
            }
        } else {
            throw .unknownUnit
        }
    }

    private static let fiatPrefix = "iso4217/"
    private static let assetPrefix = "caip19/"
    private static let satoshiUnit = "sat"

    /// The unit as it stands on the wire; ``init(unit:)`` reads it back.
    public var unit: String {
        switch self {
        case .fiat(let currency): Self.fiatPrefix + currency.code
        case .asset(let asset): Self.assetPrefix + asset.text
        case .satoshi: Self.satoshiUnit
        }
    }

    /// The number of decimal digits of the minor unit; nil for an asset, whose name does not state it.
    public var exponent: UInt8? {
        switch self {
        case .fiat(let currency): currency.exponent
        case .asset: nil
        case .satoshi: 8
        }
    }
}

extension Currency {
    /// Returns true if both are one currency, however their ids are spelt; see ``AssetID/denotesSame(as:)``.
    public func denotesSame(as other: Currency) -> Bool {
        if case .asset(let mine) = self, case .asset(let others) = other { return mine.denotesSame(as: others) }
        return self == other
    }

    /// True if it is the coin of a chain itself, not a token on it (CAIP-19 namespace `slip44`).
    public var isNativeCoin: Bool {
        if case .asset(let asset) = self { asset.namespace == "slip44" } else { false }
    }
}

extension Currency: CustomStringConvertible {
    /// The short name for people: `USD`, `BTC`, or the asset's id.
    public var description: String {
        switch self {
        case .fiat(let currency): currency.code
        case .asset(let asset): asset.text
        case .satoshi: "BTC"
        }
    }
}

extension Currency: Codable {
    /// Creates a currency by decoding its unit.
    ///
    /// - Throws: `DecodingError` when ``init(unit:)`` does not take the unit.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(unit: container.decode(String.self))
        } catch let error as MoneyError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the unit.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(unit)
    }
}

// MARK: - Fiat currencies

/// The currencies of ISO 4217 and the numbers of decimal digits of their minor units.
///
/// Source: ISO 4217 list one as of 2026, and the codes withdrawn since 2023 (`ANG`, `BGN`, `CUC`, `HRK`, `SLL`,
/// `ZWL`), which stored payments may still carry. Metals, testing codes and units of account without a minor unit
/// (`XAU`, `XTS`, `XDR` …) are left out: no payment is made in them.
package enum ISO4217 {
    /// Returns the number of decimal digits of `code`'s minor unit, such as 2 for `USD`, 0 for `JPY`; nil for an
    /// unknown code.
    ///
    /// Codes are upper-case.
    ///
    /// - Parameter code: three letters, upper-case.
    package static func exponent(of code: String) -> UInt8? { exponents[code] }

    /// Every known code, in alphabetical order.
    package static var codes: [String] { exponents.keys.sorted() }

    private static let exponents: [String: UInt8] = {
        var exponents: [String: UInt8] = [:]
        for (exponent, codes) in lists {
            for code in codes.split(separator: " ") { exponents[String(code)] = exponent }
        }
        return exponents
    }()

    private static let lists: [(UInt8, String)] = [
        (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
        (2, "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD"),
        (2, "CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL"),
        (2, "GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR"),
        (2, "LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB"),
        (2, "PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP"),
        (2, "SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"),
        (2, "ZWL"),
        (3, "BHD IQD JOD KWD LYD OMR TND"),
        (4, "CLF UYW"),
    ]
}

/// A currency of ISO 4217, such as `USD`.
public struct FiatCurrency: Sendable, Hashable, CustomStringConvertible {
    /// The three upper-case letters.
    public let code: String
    /// The number of decimal digits of the minor unit: 2 for `USD`, whose minor unit is a hundredth.
    public let exponent: UInt8

    /// Creates the currency that ISO 4217 lists under `code`.
    ///
    /// - Throws: ``MoneyError/unknownCurrency(code:)``; lower-case codes are unknown too.
    public init(_ code: String) throws(MoneyError) {
        guard let exponent = ISO4217.exponent(of: code) else { throw .unknownCurrency(code: code) }
        self.init(code: code, exponent: exponent)
    }

    private init(code: String, exponent: UInt8) {
        self.code = code
        self.exponent = exponent
    }

    /// The euro.
    public static let eur = FiatCurrency(code: "EUR", exponent: 2)
    /// The United States dollar.
    public static let usd = FiatCurrency(code: "USD", exponent: 2)

    /// The code.
    public var description: String { code }
}

extension FiatCurrency: Codable {
    /// Creates a currency by decoding its code.
    ///
    /// - Throws: `DecodingError` when the code is not listed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as MoneyError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Encodes the code.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(code)
    }
}
