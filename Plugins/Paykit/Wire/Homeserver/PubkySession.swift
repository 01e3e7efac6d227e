public import PaymentCore

/// A session at somebody's own homeserver. Its secret is as good as the key for what it may do; it prints as nothing.
public struct PubkySession: Sendable, Hashable {
    /// Whose session it is.
    public let user: PubkyKey
    /// What it may do.
    public let capabilities: [PubkyCapability]
    package let cookie: Redacted<String>
    /// The homeserver that opened it, or said that it knows it: nobody else is shown the cookie, whatever is published of
    /// where the user's data lies.
    package let origin: String

    package init(user: PubkyKey, capabilities: [PubkyCapability], cookie: Redacted<String>, origin: String) {
        self.user = user
        self.capabilities = capabilities
        self.cookie = cookie
        self.origin = origin
    }

    /// The session as it is handed to another program of the same user: key, colon and cookie (Protocol 3.4).
    public var exported: Redacted<String> { Redacted("\(user):\(cookie.reveal())") }

    /// The key and cookie of an exported session.
    ///
    /// - Throws: ``PaykitFailure/Code/validationFailed``.
    package static func read(_ exported: Redacted<String>) throws(PaykitFailure) -> (PubkyKey, Redacted<String>) {
        let parts = exported.reveal().split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let user = try? PubkyKey(parts[0]), isCookie(parts[1]) else {
            throw PaykitFailure(.validationFailed, "an exported session is a key, a colon and the session's secret")
        }
        return (user, Redacted(String(parts[1])))
    }

    /// Whether a text can be the value of a cookie: nothing of it may end a header or begin another cookie.
    static func isCookie(_ text: some StringProtocol) -> Bool {
        1...256 ~= text.utf8.count
            && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.~".utf8.contains($0) }
    }
}
