/// A session at a user's own homeserver. Its secret is as sensitive as the key for what it permits; never printed.
public struct PubkySession: Sendable, Hashable {
    /// The user of the session.
    public let user: PubkyKey
    /// The session's permissions.
    public let capabilities: [PubkyCapability]
    package let credential: Credential
    /// The homeserver that opened it, or confirmed that it knows it: no other server is shown the credential, whatever
    /// is published about the location of the user's data.
    package let origin: String

    package enum Credential: Sendable, Hashable {
        /// A cookie, for older homeservers (Protocol 3.4).
        case cookie(Redacted<String>)
        /// A bearer, valid for an hour, then renewed with the grant (Protocol 10.3).
        case bearer(Bearer)
    }

    package struct Bearer: Sendable, Hashable {
        package let token: Redacted<String>
        package let held: HeldGrant
        /// The time of its expiry, by the clock that is never set.
        package let end: Duration

        /// The remaining time below which a bearer is renewed before a request.
        package static let margin: Duration = .seconds(150)
    }

    package init(user: PubkyKey, capabilities: [PubkyCapability], credential: Credential, origin: String) {
        self.user = user
        self.capabilities = capabilities
        self.credential = credential
        self.origin = origin
    }

    package var held: HeldGrant? {
        guard case .bearer(let bearer) = credential else { return nil }
        return bearer.held
    }

    /// The session in the form that another program of the same user reads: key, colon and cookie (Protocol 3.4), or
    /// the grant with the app's key (Protocol 10.5). A grant is for one program at a time: its use in another ends the
    /// session here.
    public var exported: Redacted<String> {
        switch credential {
        case .cookie(let cookie): Redacted("\(user):\(cookie.reveal())")
        case .bearer(let bearer): bearer.held.credential
        }
    }

    /// The key and cookie of an exported session. Throws ``PaykitNetworkError/Code/validationFailed``.
    package static func read(_ exported: Redacted<String>) throws(PaykitNetworkError) -> (PubkyKey, Redacted<String>) {
        let parts = exported.reveal().split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let user = try? PubkyKey(parts[0]), isCookie(parts[1]) else {
            throw PaykitNetworkError(
                .validationFailed, "an exported session is a key, a colon and the session's secret")
        }
        return (user, Redacted(String(parts[1])))
    }

    /// Returns true if a text can be the value of a cookie: nothing in it may end a header or begin another cookie.
    static func isCookie(_ text: some StringProtocol) -> Bool {
        text.isWord(1...256, "-_.~")
    }
}
