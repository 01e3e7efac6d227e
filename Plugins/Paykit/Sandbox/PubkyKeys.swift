import PaykitProvider
import PaymentCore
import PaymentCrypto

/// All users' keys and secrets, derived from one random root, so that the same seed creates the same users in every
/// run.
struct PubkyKeys: Sendable {
    private let root: [UInt8]
    let homeserver: PubkyKeyPair

    init(_ random: any RandomSource) {
        root = random.bytes(32)
        homeserver = Self.pair(Self.derive("homeserver", root))
    }

    /// Returns 32 bytes that belong to `name`.
    func bytes(_ name: String) -> [UInt8] { Self.derive(name, root) }

    func pair(_ name: String) -> PubkyKeyPair { Self.pair(bytes(name)) }

    private static func derive(_ name: String, _ root: [UInt8]) -> [UInt8] { Digest.sha256.hash(root + name.utf8) }

    private static func pair(_ seed: [UInt8]) -> PubkyKeyPair {
        // Any 32 bytes are a seed; only a system without memory or cryptography fails here.
        guard let pair = try? PubkyKeyPair(seed: seed) else { preconditionFailure("no Ed25519 on this system") }
        return pair
    }
}

/// Crockford's base 32, as homeservers write secrets and sign-up tokens.
enum Crockford {
    private static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Returns `count` random characters.
    static func random(_ count: Int, _ random: any RandomSource) -> String {
        String((0..<count).map { _ in characters[Int(random.next() >> 59)] })
    }

    /// Returns 16 random bytes: 26 characters, of which the last carries three bits.
    static func secret(_ random: any RandomSource) -> String {
        Self.random(25, random) + String(characters[Int(random.next() >> 61) << 2])
    }

    static func isText(_ text: some StringProtocol) -> Bool { text.allSatisfy(characters.contains) }
}
