package import PaykitProvider
import PaymentCore
import PaymentCrypto

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

    /// Seals and signs `content`. `recipient` is the recipient, and their X25519 key; `place` the owner and the path of
    /// the file; `ephemeral` 32 random bytes, used for this envelope alone; `nonce` 24 random bytes.
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
