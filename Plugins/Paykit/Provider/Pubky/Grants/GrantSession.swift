import PaymentCrypto

/// A homeserver's description of a session by a grant (Protocol 10.3). Times are seconds since 1970, by its clock.
package struct GrantSession: Sendable, Hashable {
    package let homeserver: PubkyKey
    package let user: PubkyKey
    package let clientID: String
    package let capabilities: [PubkyCapability]
    package let grantID: String
    package let tokenExpiresAt: UInt64
    package let grantExpiresAt: UInt64
    package let createdAt: UInt64

    /// Reads a session. Unknown members are skipped.
    package init(_ json: JSONValue) throws(WireDefect) {
        func key(_ name: String) -> PubkyKey? { json[name]?.string.flatMap { try? PubkyKey(bare: $0) } }
        guard let homeserver = key("homeserver"), let user = key("pubky"), let clientID = json["client_id"]?.string,
            let capabilities = PubkyCapability.list(json["capabilities"]), let grantID = json["grant_id"]?.string,
            let tokenExpiresAt = json["token_expires_at"]?.uint64,
            let grantExpiresAt = json["grant_expires_at"]?.uint64, let createdAt = json["created_at"]?.uint64
        else { throw WireDefect("a session has a member that is missing or cannot be read") }
        self.homeserver = homeserver
        self.user = user
        self.clientID = clientID
        self.capabilities = capabilities
        self.grantID = grantID
        self.tokenExpiresAt = tokenExpiresAt
        self.grantExpiresAt = grantExpiresAt
        self.createdAt = createdAt
    }
}

/// A grant of an app to act in this user's name, as their homeserver lists it.
public struct PubkyGrantRecord: Sendable, Hashable, Identifiable {
    /// The id by which it is revoked.
    public let id: String
    /// The app, by the name that it chose.
    public let clientID: String
    /// The app's permissions.
    public let capabilities: [PubkyCapability]
    /// The time at which the user granted it: seconds since 1970, by the signer's clock.
    public let issuedAt: UInt64
    /// The time of its expiry: seconds since 1970.
    public let expiresAt: UInt64

    /// Reads an entry of the list; its capabilities are one text there.
    package init(_ json: JSONValue) throws(WireDefect) {
        guard let id = json["grant_id"]?.string, PubkyGrant.isID(id), let client = json["client_id"]?.string,
            let text = json["capabilities"]?.string, let capabilities = try? PubkyCapability.list(text),
            let issuedAt = json["issued_at"]?.uint64, let expiresAt = json["expires_at"]?.uint64
        else { throw WireDefect("a list of grants has an entry that cannot be read") }
        self.id = id
        clientID = client
        self.capabilities = capabilities
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
