public import PaymentCore
import PaymentCrypto

/// The option that the payer saw and chose, as the service stated it: the measure of every call.
public struct AgreedOption: Sendable, Hashable {
    /// The asset that is paid: `caip19/` and its CAIP-19 id.
    public let unit: String
    /// The amount, in minor units: decimal digits.
    public let value: String
    /// The account that pays, CAIP-10.
    public let account: String
    /// The service's symbol of the asset; nil if only ``decimals`` was kept of the display.
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
    /// The chain's name for people: from this library's tables if they have it, otherwise its CAIP-2 id.
    public let networkName: String
    /// The asset's name for people: from this library's tables if they have it, otherwise the service's claim.
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

    /// `12.5 USDC`; with the number of minor units, as the contract counts them, if the decimals are the service's
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

/// A token of an EVM chain.
struct EthereumToken: Sendable, Hashable {
    let address: EthereumAddress
    /// The name and version of the token's own typed data, if they are certain.
    let domainName: String?
    let domainVersion: String?
}

// MARK: - Rules

/// Checks an option's own statements, before any call is read.
struct OptionRules {
    private static let value = "/option/amount/value"
    private static let unit = "/option/amount/unit"
    private static let account = "/option/account"
    private static let display = "/option/amount/display"

    let option: AgreedOption
    let payer: [AccountID]
    /// The tokens that the application lets pass although no table has them.
    let allowed: [AssetID]

    func check() throws(SigningError) -> CheckedOption {
        let account = try ownAccount()
        let amount = try amount()
        let asset = try asset()
        guard asset.chain == account.chain else {
            throw SigningError(.optionChain, Self.unit, "the asset is on another chain than the account that pays")
        }
        let chain = Chain.known(asset.chain.text)
        try checkText()
        let reference = try checkedReference(asset)
        let known = KnownToken.known(String(asset.namespace), reference, on: asset.chain.text)
        let decimals = try decimals(asset, chain, known)
        if let symbol = option.symbol { try check(symbol, of: asset, on: chain, known: known) }
        let coin = asset.namespace == "slip44" ? chain?.coin : nil
        guard let canonical = try? AssetID("\(asset.chain.text)/\(asset.namespace):\(reference)") else {
            throw SigningError(.optionAsset, Self.unit, "the asset's id is malformed")
        }
        guard known != nil || coin != nil || allowed.contains(where: canonical.isSameToken) else {
            throw SigningError(
                .tokenUnlisted, Self.unit,
                "no table knows the token \(canonical.text), and the application does not allow it by name")
        }
        return CheckedOption(
            account: account, asset: canonical, networkName: chain?.name ?? asset.chain.text,
            symbol: known?.symbol ?? coin?.symbol ?? option.symbol ?? "units of \(reference)",
            isVerified: known != nil || coin != nil, decimals: decimals,
            kind: kind(asset, reference, known), amount: amount, chain: chain)
    }

    // MARK: Account and amount

    private func ownAccount() throws(SigningError) -> AccountID {
        guard let account = try? AccountID(option.account) else {
            throw SigningError(.optionAccount, Self.account, "the account is not a CAIP-10 account")
        }
        if account.chain.namespace == "eip155" {
            _ = try EthereumAddress.read(.string(String(account.address)), at: Self.account)
        }
        guard payer.contains(where: { $0.isSameAccount(as: account) }) else {
            throw SigningError(.optionAccount, Self.account, "the account is not the payer's")
        }
        return account
    }

    private func amount() throws(SigningError) -> UInt256 {
        let digits = option.value.utf8
        guard digits.first != UInt8(ascii: "0"), let amount = UInt256(digits: digits, radix: 10) else {
            throw SigningError(
                .optionAmount, Self.value, "the amount is not a whole number above zero in plain decimal digits")
        }
        return amount
    }

    // MARK: Asset

    private func asset() throws(SigningError) -> AssetID {
        let prefix = "caip19/"
        guard option.unit.hasPrefix(prefix), let asset = try? AssetID(String(option.unit.dropFirst(prefix.count))),
            asset.tokenID == nil, Self.isPayable(asset)
        else {
            throw SigningError(.optionAsset, Self.unit, "the asset is not a token or coin that can be reviewed")
        }
        return asset
    }

    private static func isPayable(_ asset: AssetID) -> Bool {
        switch (asset.chain.namespace, asset.namespace) {
        case ("eip155", "erc20"), ("eip155", "slip44"): true
        case ("solana", "token"), ("solana", "slip44"): asset.chain.text == Chain.solana
        case ("tron", "trc20"), ("tron", "slip44"): asset.chain.text == Chain.tron
        default: false
        }
    }

    /// The contract, mint or coin number; addresses of EVM chains are checksummed.
    private func checkedReference(_ asset: AssetID) throws(SigningError) -> String {
        let reference = String(asset.reference)
        guard asset.namespace == "erc20" else { return reference }
        return try EthereumAddress.read(.string(reference), at: Self.unit).checksummed
    }

    private func kind(_ asset: AssetID, _ reference: String, _ known: KnownToken?) -> CheckedOption.Kind {
        switch asset.namespace {
        case "erc20":
            (try? EthereumAddress(parsing: reference)).map {
                .token(
                    EthereumToken(
                        address: $0, domainName: known?.domain?.name, domainVersion: known?.domain?.version))
            } ?? .coin
        case "token": .splToken(mint: reference, program: known?.program)
        case "trc20": .tronToken
        default: .coin
        }
    }

    // MARK: Display

    /// The most that a token in use has. With more, a fortune is shown as a fraction.
    private static let mostDecimals = 18

    /// Names of tokens in use have no other letters; a name with look-alikes is an imitation.
    private func checkText() throws(SigningError) {
        for (member, text) in [("assetSymbol", option.symbol), ("assetName", option.name)] {
            guard let text else { continue }
            let isPlain = text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) || $0.value == 0x20AE }
            guard isPlain, text.utf8.count <= 100 else {
                throw SigningError(
                    .displayText, "\(Self.display)/\(member)", "the asset's name has letters that can imitate others")
            }
        }
        guard let symbol = option.symbol else { return }
        // In a sentence for people, several words could pass for the rest of it.
        guard symbol.utf8.count <= 32, !symbol.utf8.contains(UInt8(ascii: " ")),
            symbol.utf8.contains(where: { $0.isASCIILetter || $0.isASCIIDigit })
        else {
            throw SigningError(
                .displayText, "\(Self.display)/assetSymbol", "the asset's short name is not one word")
        }
    }

    private func decimals(
        _ asset: AssetID, _ chain: Chain?, _ known: KnownToken?
    ) throws(SigningError) -> UInt8 {
        guard let shown = option.decimals, (0...Self.mostDecimals).contains(shown) else {
            throw SigningError(
                .displayDecimals, "\(Self.display)/decimals",
                "the number of decimal digits is not one from 0 to \(Self.mostDecimals)")
        }
        var fact = known?.decimals
        if asset.namespace == "slip44" {
            guard let coin = chain?.coin, coin.number == asset.reference else {
                throw SigningError(.nativeCoin, Self.unit, "the coin is not the chain's own")
            }
            fact = coin.decimals
        }
        guard fact.map({ Int($0) == shown }) ?? true else {
            throw SigningError(
                .displayDecimals, "\(Self.display)/decimals",
                "the amount was shown with \(shown) decimal digits, but the asset has \(fact ?? 0)")
        }
        return UInt8(shown)
    }

    private func check(
        _ symbol: String, of asset: AssetID, on chain: Chain?, known: KnownToken?
    ) throws(SigningError) {
        let member = "\(Self.display)/assetSymbol"
        if asset.namespace == "slip44" {
            guard symbol == chain?.coin?.symbol else {
                throw SigningError(.displaySymbol, member, "the chain's own coin has another name")
            }
        } else if let known {
            guard known.symbols.contains(symbol) else {
                throw SigningError(.displaySymbol, member, "the token is \(known.symbol), not what it was called")
            }
        } else if KnownToken.isTaken(symbol, on: asset.chain.text) {
            throw SigningError(.displaySymbol, member, "the token carries the name of another one on this chain")
        }
    }
}

extension AssetID {
    /// Returns true if both ids name one token. Letter case in addresses of EVM chains is only a checksum.
    func isSameToken(as other: AssetID) -> Bool {
        guard chain == other.chain, namespace == other.namespace, tokenID == other.tokenID else { return false }
        return chain.namespace == "eip155"
            ? String(reference).equalsIgnoringASCIICase(String(other.reference)) : reference == other.reference
    }
}

extension AccountID {
    /// Returns true if both ids name one account. Letter case in addresses of EVM chains is only a checksum.
    func isSameAccount(as other: AccountID) -> Bool {
        guard chain == other.chain else { return false }
        return chain.namespace == "eip155"
            ? address.equalsIgnoringASCIICase(other.address) : address == other.address
    }
}
