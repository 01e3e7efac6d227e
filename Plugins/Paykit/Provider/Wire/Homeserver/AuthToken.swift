import PaymentCore
import PaymentCrypto

/// What somebody signs to open a session at their homeserver (Protocol 3.2).
///
/// Whoever brings it, a value of this type was signed by ``key``. Until it is too old, whoever has it can open a
/// session with it: it is a secret.
package struct AuthToken: Sendable {
    package let key: PubkyKey
    /// When it was signed: microseconds since 1970.
    package let timestamp: UInt64
    package let capabilities: [PubkyCapability]
    package var bytes: [UInt8] { content.reveal() }
    private let content: Redacted<[UInt8]>

    private static let namespace = Array("PUBKY:AUTH".utf8)
    /// Where the signature begins to count: one byte behind its end, as all implementations have it.
    private static let signedFrom = 65

    /// Signs a token.
    package init(_ capabilities: [PubkyCapability], at timestamp: UInt64, by owner: PubkyKeyPair) {
        let content =
            Self.namespace + [0] + timestamp.bigEndianBytes + owner.publicKey.bytes
            + Postcard.string(PubkyCapability.text(capabilities))
        self.content = Redacted(owner.sign(Array(content.dropFirst())) + content)
        key = owner.publicKey
        self.timestamp = timestamp
        self.capabilities = capabilities
    }

    /// Checks and reads a token. Its age is for the caller to look at.
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

    /// By what a homeserver knows that it has seen the token before.
    package var id: [UInt8] { Array(bytes[75..<115]) }
}
