public import PaymentCore

/// The option that the payer saw and chose, as the service stated it: the measure of every call.
public struct AgreedOption: Sendable, Hashable {
    /// The asset that is paid: `caip19/` and its CAIP-19 id.
    public let unit: String
    /// The amount, in minor units: decimal digits.
    public let value: String
    /// The account that pays, CAIP-10.
    public let account: String
    /// The service's symbol of the asset; nil where only ``decimals`` was kept of the display.
    public let symbol: String?
    /// The service's longer name of the asset.
    public let name: String?
    /// The number of decimal digits that the amount was shown with; nil when the service stated no number.
    public let decimals: Int?

    /// Creates an option.
    public init(unit: String, value: String, account: String, symbol: String?, name: String? = nil, decimals: Int?) {
        self.unit = unit
        self.value = value
        self.account = account
        self.symbol = symbol
        self.name = name
        self.decimals = decimals
    }

    /// Creates an option by reading its wire form: `account` and `amount`, with `unit`, `value` and `display` in it.
    /// Other members are ignored: they are not signed.
    public init(reading json: JSONValue) {
        let display = json["amount"]?["display"]
        self.init(
            unit: json["amount"]?["unit"]?.string ?? "", value: json["amount"]?["value"]?.string ?? "",
            account: json["account"]?.string ?? "", symbol: display?["assetSymbol"]?.string ?? "",
            name: display?["assetName"]?.string, decimals: display?["decimals"]?.number?.exactly())
    }
}

/// An option whose own statements hold: the account is the payer's, the asset is on its chain, and the display agrees
/// with the known facts about the asset.
public struct CheckedOption: Sendable {
    /// The kinds of assets.
    enum Kind: Sendable, Hashable {
        case token(EthereumToken)
        case coin
        case splToken(mint: String, program: String?)
        case tronToken
    }

    /// The account that pays.
    public let account: AccountID
    /// The asset; addresses of EVM chains are checksummed.
    public let asset: AssetID
    /// The chain's name for people: from this library's tables where they have it, otherwise its CAIP-2 id.
    public let networkName: String
    /// The asset's name for people: from this library's tables where they have it, otherwise the service's claim.
    public let symbol: String
    /// True if ``symbol`` and ``decimals`` are facts. Otherwise they are the service's claim, and should be shown as
    /// that.
    public let isVerified: Bool
    /// The number of decimal digits of the minor unit.
    public let decimals: UInt8

    let kind: Kind
    let amount: UInt256
    let chain: Chain?
}

extension CheckedOption {
    /// The chain of the account and the asset.
    var chainID: String { account.chain.text }

    /// `12.5 USDC`; with the number of minor units, as the contract counts them, where the decimals are the service's
    /// claim.
    func text(of units: UInt256) -> String {
        let text = "\(Self.decimal(units.decimalText, decimals)) \(symbol)"
        return isVerified ? text : "\(text) (\(units.decimalText) units)"
    }

    /// `digits` with the point `decimals` places from the right, without zeros at the end.
    static func decimal(_ digits: String, _ decimals: UInt8) -> String {
        guard decimals > 0 else { return digits }
        let padded = String(repeating: "0", count: max(0, Int(decimals) + 1 - digits.count)) + digits
        var fraction = padded.suffix(Int(decimals))
        while fraction.last == "0" { fraction.removeLast() }
        let whole = padded.dropLast(Int(decimals))
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }
}
