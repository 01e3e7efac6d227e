package import PaykitProvider
package import PaymentCore

/// The answers of a homeserver about grants and their sessions (Protocol 10.3), as apps read them.
extension GrantSession {
    package var json: JSONValue {
        Self.json(
            homeserver: homeserver, user: user, clientID: clientID, capabilities: capabilities, grantID: grantID,
            tokenExpiresAt: tokenExpiresAt, grantExpiresAt: grantExpiresAt, createdAt: createdAt)
    }

    package static func json(
        homeserver: PubkyKey, user: PubkyKey, clientID: String, capabilities: [PubkyCapability], grantID: String,
        tokenExpiresAt: UInt64, grantExpiresAt: UInt64, createdAt: UInt64
    ) -> JSONValue {
        [
            "homeserver": .string(homeserver.text), "pubky": .string(user.text), "client_id": .string(clientID),
            "capabilities": .array(capabilities.map { .string($0.text) }), "grant_id": .string(grantID),
            "token_expires_at": .number(JSONNumber(tokenExpiresAt)),
            "grant_expires_at": .number(JSONNumber(grantExpiresAt)), "created_at": .number(JSONNumber(createdAt)),
        ]
    }
}

extension PubkyGrantRecord {
    package var json: JSONValue {
        Self.json(id, clientID, capabilities, issuedAt: issuedAt, expiresAt: expiresAt)
    }

    package static func json(of grant: PubkyGrant) -> JSONValue {
        json(grant.id, grant.clientID, grant.capabilities, issuedAt: grant.issuedAt, expiresAt: grant.expiresAt)
    }

    private static func json(
        _ id: String, _ clientID: String, _ capabilities: [PubkyCapability], issuedAt: UInt64, expiresAt: UInt64
    ) -> JSONValue {
        [
            "grant_id": .string(id), "client_id": .string(clientID),
            "capabilities": .string(capabilities.map(\.text).joined(separator: ",")),
            "issued_at": .number(JSONNumber(issuedAt)), "expires_at": .number(JSONNumber(expiresAt)),
        ]
    }
}

extension PubkyCapability {
    /// Returns true if a file at `path` may be written, by the rule of older homeservers: by its prefix alone.
    package func allowsWriting(_ path: String) -> Bool { canWrite && path.hasPrefix(scope) }
}

extension SessionInfo {
    package var wire: [UInt8] {
        let texts = capabilities.map(\.text)
        return Postcard.varint(0) + key.bytes + Postcard.varint(createdAt) + Postcard.string(name)
            + Postcard.string(userAgent) + Postcard.varint(UInt64(texts.count)) + texts.flatMap { Postcard.string($0) }
    }
}

extension AuthToken {
    /// The bytes by which a homeserver recognises a token that it has seen before.
    package var id: [UInt8] { Array(bytes[75..<115]) }
}

/// A proof of an app, as a homeserver has checked it.
package struct CheckedProof: Sendable {
    package let grantID: String
    package let nonce: String

    /// The largest difference between its time and the homeserver's, in seconds.
    package static let window: UInt64 = 180

    /// Reads a proof, and checks that `grant`'s client signed it for `server`, near `now`.
    package init(
        _ text: some StringProtocol, of grant: PubkyGrant, for server: PubkyKey, now: UInt64
    ) throws(GrantDefect) {
        let token = try SignedToken(parsing: text)
        try token.check(.proof, signedBy: grant.clientKey)
        guard let audience = token.claims["aud"]?.string.flatMap({ try? PubkyKey(bare: $0) }),
            let id = token.claims["gid"]?.string, let nonce = token.claims["nonce"]?.string, PubkyGrant.isID(nonce),
            let time = token.claims["iat"]?.uint64
        else { throw .format }
        guard audience == server else { throw .audience }
        guard id == grant.id else { throw .owner }
        guard time <= now &+ Self.window, now <= time &+ Self.window else { throw .time }
        grantID = id
        self.nonce = nonce
    }
}
