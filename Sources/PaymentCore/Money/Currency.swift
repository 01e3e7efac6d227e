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
    /// - Throws: `DecodingError` when the unit is none that ``init(unit:)`` takes.
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
