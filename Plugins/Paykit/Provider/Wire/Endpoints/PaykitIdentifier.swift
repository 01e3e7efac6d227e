/// The generation 3 identifier of a way to pay (Protocol 11.2): `btc-lightning-bolt11`.
public struct PaykitIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// The identifier, which is compared byte for byte.
    public let text: String

    /// Reads an identifier as the apps' library takes it: 1 to 64 letters, digits, `.`, `_` and `-`; nil for anything
    /// else, and for names that mean something else in the same directory.
    public init?(_ text: some StringProtocol) {
        guard text.isWord(1...64, "._-"), text.contains(where: { $0 != "." }),
            !["private", "encrypted-link-recovery"].contains(text)
        else { return nil }
        self.text = String(text)
    }

    /// The three parts of an identifier that follows the convention; nil for others, which may be used all the same.
    ///
    /// Asset (`btc`, `usdt`, `eur`: never a chain), rail (a chain, a payment network, a custodian) and format (what the
    /// value is), each of lower-case letters and digits.
    public var parts: (asset: String, rail: String, format: String)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, parts.allSatisfy({ $0.isWord(1...64, lowerCase: true) }) else { return nil }
        return (parts[0], parts[1], parts[2])
    }

    /// The name that generation 2 has for it (Protocol 4.2); nil if it has none.
    public var formerName: String? {
        guard let parts, parts.asset == "btc" else { return nil }
        if parts.rail == "lightning" { return "lightning" }
        return Self.chains.contains(parts.rail) ? "onchain" : nil
    }

    private static let chains = ["bitcoin", "testnet", "signet", "regtest"]
    private static let addressFormats = ["p2tr", "p2wpkh", "p2sh", "p2pkh"]

    /// All identifiers that generation 3 wallets know, in the order in which they try them.
    public static let known: [String] =
        ["btc-lightning-bolt11", "btc-lightning-lnurl"]
        + addressFormats.flatMap { format in chains.map { "btc-\($0)-\(format)" } }

    /// Returns the identifiers that a text to be paid in bitcoin can have, the likeliest first; none for unknown forms.
    ///
    /// Only the form is looked at: the checksum is checked by a payment standard. Test chains share their forms.
    package static func candidates(for value: String) -> [String] {
        let text = value.lowercased()
        // Prefixes of several networks are also prefixes of longer ones.
        if ["lnbc", "lntb", "lnsb"].contains(where: text.hasPrefix) { return ["btc-lightning-bolt11"] }
        if text.hasPrefix("lno1") { return ["btc-lightning-bolt12"] }
        if text.hasPrefix("lnurl1") || isLightningAddress(text) { return ["btc-lightning-lnurl"] }
        let trials = ["testnet", "signet"]
        for (prefix, chains) in [("bc1", ["bitcoin"]), ("tb1", trials), ("bcrt1", ["regtest"])]
        where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count)
            // 20 bytes, or 32: this many characters with version and checksum.
            if rest.hasPrefix("q"), rest.count == 39 { return chains.map { "btc-\($0)-p2wpkh" } }
            if rest.hasPrefix("p"), rest.count == 59 { return chains.map { "btc-\($0)-p2tr" } }
            return []
        }
        guard value.isWord(26...35) else { return [] }
        switch value.first {
        case "1": return ["btc-bitcoin-p2pkh"]
        case "3": return ["btc-bitcoin-p2sh"]
        case "m", "n": return (trials + ["regtest"]).map { "btc-\($0)-p2pkh" }
        case "2": return (trials + ["regtest"]).map { "btc-\($0)-p2sh" }
        default: return []
        }
    }

    /// Returns true if `value` fits the identifier. Any value fits an identifier whose values are not known here.
    package func allows(_ value: String) -> Bool {
        guard Self.known.contains(text) else { return true }
        return Self.candidates(for: value).contains(text)
    }

    private static func isLightningAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !parts[1].hasPrefix(".")
            && !text.contains { $0.isWhitespace || $0 == ":" || $0 == "/" }
    }

    /// The identifier.
    public var description: String { text }
}
