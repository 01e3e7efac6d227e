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

    /// The three parts of an identifier that follows the convention; nil for others, which may be used anyway.
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

    /// All identifiers that generation 3 wallets know, in the order that they try them.
    public static let known: [String] =
        ["btc-lightning-bolt11", "btc-lightning-lnurl"]
        + addressFormats.flatMap { format in chains.map { "btc-\($0)-\(format)" } }

    /// Returns the identifiers that a text to be paid in bitcoin can have, the likeliest first; none for unknown forms.
    ///
    /// Only the form is checked here. A payment standard checks the checksum. Test chains share their forms.
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

/// The receiving app of a user, and its runtime: a wallet or a server (Protocol 11.1): `bitkit/wallet`.
public struct PaykitReceiverPath: Sendable, Hashable, CustomStringConvertible {
    /// The kind of program that receives.
    @nonexhaustive
    public enum Runtime: String, Sendable, Hashable, CaseIterable {
        /// A person's wallet.
        case wallet
        /// A service that is always available.
        case server
    }

    /// The app: 1 to 64 lower-case letters, digits and `-`.
    public let app: String
    /// The kind of program that receives.
    public let runtime: Runtime

    /// Reads a path; nil if the text is not a path.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, Self.isSegment(parts[0]), parts[0] != "private",
            let runtime = Runtime(rawValue: String(parts[1]))
        else { return nil }
        app = String(parts[0])
        self.runtime = runtime
    }

    /// The path's text.
    public var text: String { "\(app)/\(runtime.rawValue)" }

    /// The capabilities that publishing endpoints and messages of private links for this receiver requires.
    public var capabilities: [PubkyCapability] {
        // Its grammar permits nothing that a scope could not hold.
        ["/pub/paykit/v0/\(text)/:rw", "/pub/paykit/v0/private/\(text)/:rw"].compactMap { try? PubkyCapability($0) }
    }

    /// Returns true if a text can be a segment of a path, or name an app.
    package static func isSegment(_ text: some StringProtocol) -> Bool {
        text.isWord(1...64, "-", lowerCase: true)
    }

    /// The path's text.
    public var description: String { text }
}

/// The content of a generation 3 endpoint file (Protocol 11.3): JSON, of which only these members are read.
package struct EndpointPayload: Sendable, Hashable {
    /// The payment text, without blanks around it.
    package let value: String
    /// The least amount, in the asset's major unit, as it is written; nil for any.
    package let least: String?
    package let most: String?

    package static let maximumLength = 65_536

    /// Creates a payload; nil if the value is empty or longer than a payment text may be.
    package init?(_ value: String, least: String? = nil, most: String? = nil) {
        let value = value.trimmingWhitespace
        guard 1...EndpointFile.maximumLength ~= value.utf8.count else { return nil }
        self.value = value
        self.least = least
        self.most = most
    }

    /// Reads a file; nil if nothing in it can be paid, for example if it is empty or not JSON: other apps write here
    /// too.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.maximumLength, let json = try? JSONValue(parsing: bytes),
            let value = json["value"]?.string
        else { return nil }
        // A limit that cannot be read cannot be respected.
        for name in ["min", "max"] {
            guard let limit = json[name], !limit.isNull else { continue }
            guard let text = limit.string, Self.isAmount(text) else { return nil }
        }
        self.init(value, least: json["min"]?.string, most: json["max"]?.string)
    }

    package var bytes: [UInt8] {
        let (least, most) = (least.map { OrderedJSON.string($0) }, most.map { OrderedJSON.string($0) })
        return OrderedJSON.object([("value", .string(value)), ("min", least), ("max", most)]).bytes
    }

    /// Returns true if a text is an amount: digits, with at most one point.
    package static func isAmount(_ text: String) -> Bool {
        let points = text.utf8.count { $0 == UInt8(ascii: ".") }
        return points <= 1 && text.utf8.count > points && text.utf8.count <= 64
            && text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    }
}

/// The content of a payment endpoint's file (Protocol 4.1).
package enum EndpointFile {
    /// The most bytes of an endpoint: those of a payment text.
    package static let maximumLength = PaymentLink.maximumLength

    /// Reads the endpoint of `method`; nil if the file holds none, or one that was switched off. Throws `invalidData`
    /// if the file is not text, or too long.
    package static func read(_ bytes: [UInt8], method: String) throws(PaykitNetworkError) -> String? {
        func defect(_ reason: String) -> PaykitNetworkError {
            PaykitNetworkError(.invalidData, "the endpoint '\(method)' \(reason)", methodID: method)
        }
        guard bytes.count <= maximumLength else { throw defect("is longer than \(maximumLength) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw defect("is not text") }
        let endpoint = text.trimmingWhitespace
        guard endpoint.hasPrefix("{") else { return endpoint.isEmpty ? nil : endpoint }
        guard let json = try? JSONValue(parsing: Array(endpoint.utf8)) else {
            throw defect("is JSON that cannot be read")
        }
        if json["enabled"]?.bool == false { return nil }
        // The member of the second generation's documents, then those of the first's files.
        let names = ["endpoint", "bolt11", "lnurl", "address", "p2wpkh", "p2tr", "p2sh", "p2pkh"]
        return names.lazy.compactMap { json[$0]?.string?.trimmingWhitespace }.first { !$0.isEmpty }
    }
}
