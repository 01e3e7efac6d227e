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
