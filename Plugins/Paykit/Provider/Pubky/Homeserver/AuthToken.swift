import PaymentCrypto

/// A user's signed permission to open a session at their homeserver (Protocol 3.2).
///
/// A value of this type was always signed by ``key``, whatever its source. Until it expires, its holder can open a
/// session with it: it is a secret.
package struct AuthToken: Sendable {
    package let key: PubkyKey
    /// The time of the signature: microseconds since 1970.
    package let timestamp: UInt64
    package let capabilities: [PubkyCapability]
    package var bytes: [UInt8] { content.reveal() }
    private let content: Redacted<[UInt8]>

    private static let namespace = Array("PUBKY:AUTH".utf8)
    /// The start of the signed bytes: one byte behind the end of the signature, as in all implementations.
    private static let signedFrom = 65

    package init(_ capabilities: [PubkyCapability], at timestamp: UInt64, by owner: PubkyKeyPair) {
        let content =
            Self.namespace + [0] + timestamp.bigEndianBytes + owner.publicKey.bytes
            + Postcard.string(PubkyCapability.text(capabilities))
        self.content = Redacted(owner.sign(Array(content.dropFirst())) + content)
        key = owner.publicKey
        self.timestamp = timestamp
        self.capabilities = capabilities
    }

    /// Checks and reads a token. The caller checks its age.
    package init(parsing bytes: [UInt8]) throws(WireDefect) {
        var reader = ByteReader(bytes)
        let signature = try reader.bytes(64)
        guard try reader.bytes(10) == Self.namespace else { throw WireDefect("a token does not say that it is one") }
        guard try reader.byte() == 0 else { throw WireDefect("a token has a version that is not known") }
        timestamp = try reader.uint64()
        do { key = try PubkyKey(bytes: reader.bytes(32)) } catch let defect as PubkyKeyDefect {
            throw WireDefect("\(defect)")
        } catch { throw WireDefect("a token ends too early") }
        do { capabilities = try PubkyCapability.list(reader.string()) } catch { throw WireDefect("\(error)") }
        try reader.end()
        guard Ed25519.isValid(signature, message: Array(bytes[Self.signedFrom...]), publicKey: key.bytes) else {
            throw WireDefect("a token was not signed by \(key)")
        }
        content = Redacted(bytes)
    }
}
