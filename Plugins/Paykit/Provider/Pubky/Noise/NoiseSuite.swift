import PaymentCrypto

/// A handshake pattern (The Noise Protocol Framework, revision 34, section 7): which side sends which keys.
package enum NoisePattern: String, Sendable, CaseIterable {
    /// Neither side identifies itself.
    case nn = "NN"
    /// Both sides identify themselves in the handshake.
    case xx = "XX"
    /// The initiator knows the other's key, and identifies itself at once.
    case ik = "IK"
    /// The initiator knows the other's key, and identifies itself later.
    case xk = "XK"

    enum Token {
        case e, s, ee, es, se, ss
    }

    /// True if the initiator has to know the responder's key in advance.
    package var needsRemoteKey: Bool { self == .ik || self == .xk }

    package var needsOwnKey: Bool { self != .nn }

    var messages: [[Token]] {
        switch self {
        case .nn: [[.e], [.e, .ee]]
        case .xx: [[.e], [.e, .ee, .s, .es], [.s, .se]]
        case .ik: [[.e, .es, .s, .ss], [.e, .ee, .se]]
        case .xk: [[.e, .es], [.e, .ee], [.s, .se]]
        }
    }
}

package enum NoiseHash: String, Sendable, CaseIterable {
    case blake2s = "BLAKE2s"
    case sha256 = "SHA256"

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .blake2s: BLAKE2s.hash(bytes)
        case .sha256: Digest.sha256.hash(bytes)
        }
    }

    private func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        switch self {
        case .blake2s: BLAKE2s.authenticate(message, key: key)
        case .sha256: Digest.sha256.authenticate(message, key: key)
        }
    }

    /// Returns two keys derived from a chaining key and a secret (section 4.3).
    func derive(_ chaining: [UInt8], _ secret: [UInt8]) -> ([UInt8], [UInt8]) {
        let temporary = authenticate(secret, key: chaining)
        let first = authenticate([1], key: temporary)
        return (first, authenticate(first + [2], key: temporary))
    }
}

/// The algorithms that both sides of a channel have to agree on in advance.
package struct NoiseSuite: Sendable, Hashable {
    package let pattern: NoisePattern
    package let hash: NoiseHash

    package init(_ pattern: NoisePattern, _ hash: NoiseHash = .blake2s) {
        self.pattern = pattern
        self.hash = hash
    }

    /// The suite's name, which is a part of every handshake: `Noise_IK_25519_ChaChaPoly_BLAKE2s`.
    package var name: String { "Noise_\(pattern.rawValue)_25519_ChaChaPoly_\(hash.rawValue)" }
}

/// A failure of a channel or handshake, which ends it. Holds no keys or contents.
package enum NoiseError: Error, Hashable {
    /// A key is missing, of another length or a point of small order.
    case key
    /// A message is longer than 65,535 bytes, or shorter than its keys.
    case length
    /// A message was changed, replayed, left out, or made with other keys.
    case untrusted
    /// A message out of turn, or before the end of the handshake.
    case order
    /// The key has protected as many messages as it may.
    case exhausted
}
