import WalletConnectPayProvider

/// An amount of money or tokens.
public struct PayAmount: Sendable, Hashable, Codable {
    /// `iso4217/USD`, or `caip19/` and the token's CAIP-19 id.
    public var unit: String
    /// Minor units (cents, token units) in decimal digits.
    public var value: String
    /// The data for displaying it.
    public var display: AmountDisplay

    /// Creates an amount.
    public init(unit: String, value: String, display: AmountDisplay) {
        self.unit = unit
        self.value = value
        self.display = display
    }
}

/// The data for displaying an amount.
public struct AmountDisplay: Sendable, Hashable, Codable {
    /// `USDC`.
    public var assetSymbol: String
    /// `USD Coin`; empty when the service omits it.
    public var assetName: String
    /// The number of decimal places of the minor unit. The guides' type; the vendor's newer bindings use `Int32`.
    public var decimals: Int64
    /// A picture of the token.
    public var iconUrl: String?
    /// A picture of the network.
    public var networkIconUrl: String?
    /// `Base`.
    public var networkName: String?

    /// Creates a value.
    public init(
        assetSymbol: String, assetName: String, decimals: Int64, iconUrl: String? = nil, networkIconUrl: String? = nil,
        networkName: String? = nil
    ) {
        self.assetSymbol = assetSymbol
        self.assetName = assetName
        self.decimals = decimals
        self.iconUrl = iconUrl
        self.networkIconUrl = networkIconUrl
        self.networkName = networkName
    }
}

extension PayAmount {
    /// An empty amount in place of an unreadable one: a partial amount could be shown as another amount.
    static let unreadable = PayAmount(
        unit: "", value: "", display: AmountDisplay(assetSymbol: "", assetName: "", decimals: 0))

    init(_ body: AmountBody) {
        self.init(unit: body.unit, value: body.value, display: AmountDisplay(body.display))
    }
}

extension AmountDisplay {
    init(_ body: DisplayBody) {
        self.init(
            assetSymbol: body.assetSymbol, assetName: body.assetName, decimals: body.decimals, iconUrl: body.iconUrl,
            networkIconUrl: body.networkIconUrl, networkName: body.networkName)
    }
}
