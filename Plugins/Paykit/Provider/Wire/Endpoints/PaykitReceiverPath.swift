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

    /// Reads a path; nil where the text is none.
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
