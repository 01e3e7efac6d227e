import PaymentCrypto

/// A file that only one device can read, in the binary form `SB2` (Protocol 5.4).
package struct SealedEnvelope: Sendable, Hashable {
    /// The header's entries by their numbers, except the signature.
    package let header: CBORMap
    package let signature: [UInt8]?
    package let ciphertext: [UInt8]

    private enum Key {
        static let context: UInt64 = 0
        static let createdAt: UInt64 = 1
        static let expiresAt: UInt64 = 2
        static let recipientID: UInt64 = 3
        static let messageID: UInt64 = 4
        static let nonce: UInt64 = 5
        static let purpose: UInt64 = 6
        static let recipient: UInt64 = 7
        static let ephemeral: UInt64 = 8
        static let sender: UInt64 = 9
        static let signature: UInt64 = 10
    }

    private static let magic = Array("SB2".utf8) + [2]
    private static let info = SealedBlob.Version.two.info
    package static let maximumHeader = 2048

    // MARK: Reading

    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        guard try reader.bytes(4) == Self.magic else { throw WireDefect("an envelope does not say that it is one") }
        let count = Int(try reader.uint16())
        guard count <= Self.maximumHeader else { throw WireDefect("an envelope's header is too long") }
        let map = try CBORMap(parsing: try reader.bytes(count))
        let lengths: [UInt64: Int] = [
            Key.context: 32, Key.recipientID: 16, Key.nonce: 24, Key.recipient: 32, Key.ephemeral: 32, Key.sender: 32,
        ]
        for (key, length) in lengths {
            guard map[key]?.bytes?.count == length else { throw WireDefect("an envelope has no entry \(key)") }
        }
        if let entry = map[Key.signature] {
            guard let bytes = entry.bytes, bytes.count == 64 else {
                throw WireDefect("an envelope's signature is none")
            }
            signature = bytes
        } else {
            signature = nil
        }
        var unsigned = map
        unsigned.entries[Key.signature] = nil
        header = unsigned
        ciphertext = reader.rest()
        guard 16...SealedBlob.maximumLength + 16 ~= ciphertext.count else { throw WireDefect("an envelope is cut off") }
    }

    /// The sender; proven by ``isSigned(owner:path:)`` only.
    package var sender: PubkyKey? { header[Key.sender]?.bytes.flatMap { try? PubkyKey(bytes: $0) } }

    /// Opens it with the recipient's private X25519 key, at its place.
    package func open(_ key: [UInt8], owner: PubkyKey, path: String) throws(WireDefect) -> [UInt8] {
        guard let key = SealedKeys.opening(header[Key.ephemeral]?.bytes ?? [], with: key, Self.info),
            let content = try? XChaCha20Poly1305.open(
                ciphertext, key: key, nonce: header[Key.nonce]?.bytes ?? [],
                authenticating: Self.associated(owner, path, header))
        else { throw WireDefect("an envelope was changed, moved, or is for another recipient") }
        return content
    }

    /// Returns true if its sender signed it for its place.
    package func isSigned(owner: PubkyKey, path: String) -> Bool {
        guard let signature, let sender else { return false }
        return Ed25519.isValid(
            signature, message: Self.signable(owner, path, header: header, ciphertext: ciphertext),
            publicKey: sender.bytes)
    }

    // MARK: Writing

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

    /// Seals and signs `content`.
    ///
    /// - Parameters:
    ///   - recipient: the recipient, and their X25519 key.
    ///   - place: the owner and the path of the file.
    ///   - ephemeral: 32 random bytes, used for this envelope alone.
    ///   - nonce: 24 random bytes.
    package init(
        _ content: [UInt8], _ label: Label, from sender: PubkyKeyPair, to recipient: (user: PubkyKey, key: [UInt8]),
        at place: (owner: PubkyKey, path: String), ephemeral: [UInt8], nonce: [UInt8]
    ) throws(WireDefect) {
        guard content.count <= SealedBlob.maximumLength, label.context.count == 32,
            (label.messageID?.utf8.count ?? 0) <= 128
        else { throw WireDefect("an envelope holds at most \(SealedBlob.maximumLength) bytes and a short label") }
        let (publicHalf, key) = try SealedKeys.sealing(ephemeral, for: recipient.key, Self.info)
        var entries: [UInt64: CBORMap.Value] = [
            Key.context: .bytes(label.context), Key.nonce: .bytes(nonce), Key.ephemeral: .bytes(publicHalf),
            Key.recipientID: .bytes(Array(Digest.sha256.hash(recipient.key).prefix(16))),
            Key.recipient: .bytes(recipient.user.bytes), Key.sender: .bytes(sender.publicKey.bytes),
        ]
        entries[Key.createdAt] = label.createdAt.map { .number($0) }
        entries[Key.expiresAt] = label.expiresAt.map { .number($0) }
        entries[Key.messageID] = label.messageID.map { .text($0) }
        entries[Key.purpose] = label.purpose.map { .text($0) }
        let header = CBORMap(entries)
        self.header = header
        do {
            ciphertext = try XChaCha20Poly1305.seal(
                content, key: key, nonce: nonce,
                authenticating: Self.associated(place.owner, place.path, header))
        } catch { throw WireDefect("nothing can be sealed: \(error)") }
        signature = sender.sign(Self.signable(place.owner, place.path, header: header, ciphertext: ciphertext))
    }

    package var wire: [UInt8] {
        var map = header
        map.entries[Key.signature] = signature.map { .bytes($0) }
        let bytes = map.wire
        return Self.magic + UInt16(bytes.count).bigEndianBytes + bytes + ciphertext
    }

    private static func associated(_ owner: PubkyKey, _ path: String, _ header: CBORMap) -> [UInt8] {
        Array("pubky-envelope/v2:".utf8) + owner.bytes + Array(path.utf8) + header.wire
    }

    private static func signable(_ owner: PubkyKey, _ path: String, header: CBORMap, ciphertext: [UInt8]) -> [UInt8] {
        BLAKE3.hash(Array("pubky-envelope-sig/v2".utf8) + associated(owner, path, header) + header.wire + ciphertext)
    }
}
