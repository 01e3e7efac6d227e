import PaymentCrypto

/// A file that only one device can read, in the binary form `SB2` (Protocol 5.4).
package struct SealedEnvelope: Sendable, Hashable {
    /// The header's entries by their numbers, except the signature.
    package let header: CBORMap
    package let signature: [UInt8]?
    package let ciphertext: [UInt8]

    package enum Key {
        package static let context: UInt64 = 0
        package static let recipientID: UInt64 = 3
        package static let nonce: UInt64 = 5
        package static let recipient: UInt64 = 7
        package static let ephemeral: UInt64 = 8
        package static let sender: UInt64 = 9
        package static let signature: UInt64 = 10
    }

    package static let magic = Array("SB2".utf8) + [2]
    package static let info = SealedBlob.Version.two.info
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

    package func open(_ key: [UInt8], owner: PubkyKey, path: String) throws(WireDefect) -> [UInt8] {
        guard let key = SealedKeys.opening(header[Key.ephemeral]?.bytes ?? [], with: key, Self.info),
            let content = try? XChaCha20Poly1305.open(
                ciphertext, key: key, nonce: header[Key.nonce]?.bytes ?? [],
                authenticating: Self.associated(owner, path, header))
        else { throw WireDefect("an envelope was changed, moved, or is for another recipient") }
        return content
    }

    package func isSigned(owner: PubkyKey, path: String) -> Bool {
        guard let signature, let sender else { return false }
        return Ed25519.isValid(
            signature, message: Self.signable(owner, path, header: header, ciphertext: ciphertext),
            publicKey: sender.bytes)
    }

    package static func associated(_ owner: PubkyKey, _ path: String, _ header: CBORMap) -> [UInt8] {
        Array("pubky-envelope/v2:".utf8) + owner.bytes + Array(path.utf8) + header.wire
    }

    package static func signable(_ owner: PubkyKey, _ path: String, header: CBORMap, ciphertext: [UInt8]) -> [UInt8] {
        BLAKE3.hash(Array("pubky-envelope-sig/v2".utf8) + associated(owner, path, header) + header.wire + ciphertext)
    }
}
