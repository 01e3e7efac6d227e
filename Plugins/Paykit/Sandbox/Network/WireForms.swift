package import PaykitProvider
package import PaymentCore
import PaymentCrypto

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
    /// The bytes that identify a token that a homeserver has seen before.
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

/// Numbers of entries that apps do not read.
extension SealedEnvelope.Key {
    package static let createdAt: UInt64 = 1
    package static let expiresAt: UInt64 = 2
    package static let messageID: UInt64 = 4
    package static let purpose: UInt64 = 6
}

/// Envelopes as later key managers write them (Protocol 5.4); apps only read them.
extension SealedEnvelope {
    /// The public header of an envelope.
    package struct Label: Sendable {
        package var context: [UInt8]
        package var createdAt: UInt64?
        package var expiresAt: UInt64?
        package var messageID: String?
        package var purpose: String?

        package init(
            context: [UInt8], createdAt: UInt64? = nil, expiresAt: UInt64? = nil, messageID: String? = nil,
            purpose: String? = nil
        ) {
            self.context = context
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.messageID = messageID
            self.purpose = purpose
        }
    }

    /// Seals and signs `content`. `recipient` is the recipient, and their X25519 key. `place` is the owner and the path
    /// of the file. `ephemeral` is 32 random bytes, used for this envelope alone. `nonce` is 24 random bytes.
    package init(
        _ content: [UInt8], _ label: Label, from sender: PubkyKeyPair, to recipient: (user: PubkyKey, key: [UInt8]),
        at place: (owner: PubkyKey, path: String), ephemeral: [UInt8], nonce: [UInt8]
    ) throws(WireDefect) {
        guard content.count <= SealedBlob.maximumLength, label.context.count == 32,
            (label.messageID?.utf8.count ?? 0) <= 128
        else { throw WireDefect("an envelope holds at most \(SealedBlob.maximumLength) bytes and a short label") }
        let (publicHalf, key) = try SealedKeys.sealing(ephemeral, for: recipient.key, Self.info)
        var entries: [UInt64: CBORValue] = [
            Key.context: .bytes(label.context), Key.nonce: .bytes(nonce), Key.ephemeral: .bytes(publicHalf),
            Key.recipientID: .bytes(Array(Digest.sha256.hash(recipient.key).prefix(16))),
            Key.recipient: .bytes(recipient.user.bytes), Key.sender: .bytes(sender.publicKey.bytes),
        ]
        entries[Key.createdAt] = label.createdAt.map { .unsigned($0) }
        entries[Key.expiresAt] = label.expiresAt.map { .unsigned($0) }
        entries[Key.messageID] = label.messageID.map { .text($0) }
        entries[Key.purpose] = label.purpose.map { .text($0) }
        let header = CBORMap(entries)
        let ciphertext: [UInt8]
        do {
            ciphertext = try XChaCha20Poly1305.seal(
                content, key: key, nonce: nonce, authenticating: Self.associated(place.owner, place.path, header))
        } catch { throw WireDefect("nothing can be sealed: \(error)") }
        let signed = Self.signable(place.owner, place.path, header: header, ciphertext: ciphertext)
        try self.init(parsing: Self.wire(header, sender.sign(signed), ciphertext))
    }

    package var wire: [UInt8] { Self.wire(header, signature, ciphertext) }

    private static func wire(_ header: CBORMap, _ signature: [UInt8]?, _ ciphertext: [UInt8]) -> [UInt8] {
        var map = header
        map.entries[Key.signature] = signature.map { .bytes($0) }
        let bytes = map.wire
        return magic + UInt16(bytes.count).bigEndianBytes + bytes + ciphertext
    }
}
