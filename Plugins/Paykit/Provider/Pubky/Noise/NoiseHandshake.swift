import PaymentCrypto

/// A handshake (section 5.3), as a value: each message is written or read once, in turn.
package struct NoiseHandshake: Sendable, CustomReflectable {
    package enum Role: Sendable {
        case initiator
        case responder
    }

    package let suite: NoiseSuite
    package let role: Role
    private let ownStatic: [UInt8]?
    private let ownEphemeral: [UInt8]
    /// The other side's key, once it is known. The caller determines its owner.
    package private(set) var remoteStatic: [UInt8]?
    private var remoteEphemeral: [UInt8]?
    private var state: SymmetricState
    private var turn = 0
    private var isBroken = false

    /// Begins a handshake. `prologue` is the bytes agreed on before. If they differ, the handshake fails. `ownStatic`
    /// is this side's private key; nil if the pattern needs none. `ownEphemeral` is 32 random bytes, used for this
    /// handshake alone. `remoteStatic` is the other side's public key, if the pattern requires it in advance.
    package init(
        _ suite: NoiseSuite, _ role: Role, prologue: [UInt8], ownStatic: [UInt8]?, ownEphemeral: [UInt8],
        remoteStatic: [UInt8]? = nil
    ) throws(NoiseError) {
        guard (ownStatic != nil) == suite.pattern.needsOwnKey, ownStatic.map({ $0.count == 32 }) ?? true,
            ownEphemeral.count == 32
        else { throw .key }
        self.suite = suite
        self.role = role
        self.ownStatic = ownStatic
        self.ownEphemeral = ownEphemeral
        state = SymmetricState(suite)
        state.mix(hash: prologue)
        guard suite.pattern.needsRemoteKey else { return }
        // The responder's key counts on both sides before the first message.
        switch role {
        case .initiator:
            guard let remoteStatic, remoteStatic.count == 32 else { throw .key }
            self.remoteStatic = remoteStatic
            state.mix(hash: remoteStatic)
        case .responder: state.mix(hash: try Self.publicKey(ownStatic))
        }
    }

    package var isFinished: Bool { turn == suite.pattern.messages.count }

    package var hash: [UInt8] { state.hash }

    private var isOwnTurn: Bool { (turn.isMultiple(of: 2)) == (role == .initiator) }

    package mutating func write(_ payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard !isBroken, !isFinished, isOwnTurn else { throw .order }
        isBroken = true
        var message: [UInt8] = []
        for token in suite.pattern.messages[turn] {
            switch token {
            case .e:
                let key = try Self.publicKey(ownEphemeral)
                state.mix(hash: key)
                message += key
            case .s: message += try state.seal(try Self.publicKey(ownStatic))
            default: try agree(token)
            }
        }
        message += try state.seal(payload)
        guard message.count <= NoiseCipher.maximumLength else { throw .length }
        turn += 1
        isBroken = false
        return message
    }

    /// Reads the next message. A failure ends the handshake.
    package mutating func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard !isBroken, !isFinished, !isOwnTurn else { throw .order }
        isBroken = true
        guard message.count <= NoiseCipher.maximumLength else { throw .length }
        var rest = message[...]
        func take(_ count: Int) throws(NoiseError) -> [UInt8] {
            guard rest.count >= count else { throw .length }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        for token in suite.pattern.messages[turn] {
            switch token {
            case .e:
                let key = try take(32)
                remoteEphemeral = key
                state.mix(hash: key)
            case .s: remoteStatic = try state.open(try take(32 + state.tagLength))
            default: try agree(token)
            }
        }
        let payload = try state.open(Array(rest))
        turn += 1
        isBroken = false
        return payload
    }

    package func channel() throws(NoiseError) -> NoiseChannel {
        guard isFinished, !isBroken else { throw .order }
        let (first, second) = suite.hash.derive(state.chaining, [])
        let (sending, receiving) = role == .initiator ? (first, second) : (second, first)
        return NoiseChannel(
            sending: NoiseCipher(key: sending), receiving: NoiseCipher(key: receiving), binding: state.hash)
    }

    private mutating func agree(_ token: NoisePattern.Token) throws(NoiseError) {
        let own: [UInt8]?
        let remote: [UInt8]?
        switch (token, role) {
        case (.ee, _): (own, remote) = (ownEphemeral, remoteEphemeral)
        case (.ss, _): (own, remote) = (ownStatic, remoteStatic)
        case (.es, .initiator), (.se, .responder): (own, remote) = (ownEphemeral, remoteStatic)
        default: (own, remote) = (ownStatic, remoteEphemeral)
        }
        guard let own, let remote, let secret = try? X25519.sharedSecret(own, with: remote) else { throw .key }
        state.mix(key: secret)
    }

    private static func publicKey(_ key: [UInt8]?) throws(NoiseError) -> [UInt8] {
        guard let key, let made = try? X25519.publicKey(of: key) else { throw .key }
        return made
    }

    /// The state that both sides share (section 5.2).
    private struct SymmetricState: Sendable {
        let algorithm: NoiseHash
        var chaining: [UInt8]
        var hash: [UInt8]
        var cipher: NoiseCipher?

        init(_ suite: NoiseSuite) {
            algorithm = suite.hash
            let name = Array(suite.name.utf8)
            // A name that fits is padded with zeros instead of hashed.
            hash = name.count <= 32 ? name + [UInt8](repeating: 0, count: 32 - name.count) : suite.hash.hash(name)
            chaining = hash
        }

        /// The number of bytes that encryption adds; zero before there is a key.
        var tagLength: Int { cipher == nil ? 0 : ChaCha20Poly1305.tagLength }

        mutating func mix(hash bytes: [UInt8]) { hash = algorithm.hash(hash + bytes) }

        mutating func mix(key secret: [UInt8]) {
            let (chaining, key) = algorithm.derive(chaining, secret)
            self.chaining = chaining
            cipher = NoiseCipher(key: key)
        }

        mutating func seal(_ plaintext: [UInt8]) throws(NoiseError) -> [UInt8] {
            let sealed = try cipher?.seal(plaintext, authenticating: hash) ?? plaintext
            mix(hash: sealed)
            return sealed
        }

        mutating func open(_ sealed: [UInt8]) throws(NoiseError) -> [UInt8] {
            let plaintext = try cipher?.open(sealed, authenticating: hash) ?? sealed
            mix(hash: sealed)
            return plaintext
        }
    }

    /// The part that dumps show: neither private keys nor what is derived from them.
    package var customMirror: Mirror { Mirror(self, children: ["role": role, "turn": turn], displayStyle: .struct) }
}

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

/// One direction of a channel (section 5.1): a key, and the number of messages that it has protected.
package struct NoiseCipher: Sendable, CustomReflectable {
    package static let maximumLength = 65_535
    /// The most bytes that fit into a message next to its tag.
    package static let maximumPlaintext = maximumLength - ChaCha20Poly1305.tagLength

    private let key: [UInt8]
    package private(set) var count: UInt64

    init(key: [UInt8], count: UInt64 = 0) {
        self.key = key
        self.count = count
    }

    /// Returns the same direction after `count` messages, when it is restored from a stored state.
    package func at(_ count: UInt64) -> NoiseCipher { NoiseCipher(key: key, count: count) }

    package mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintext else { throw .length }
        let nonce = try nonce()
        guard
            let sealed = try? ChaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: data)
        else { throw .key }
        count += 1
        return sealed
    }

    /// Decrypts the next message. One that fails leaves the number unchanged.
    package mutating func open(_ sealed: [UInt8], authenticating data: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard sealed.count <= Self.maximumLength else { throw .length }
        let nonce = try nonce()
        guard let plaintext = try? ChaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: data) else {
            throw .untrusted
        }
        count += 1
        return plaintext
    }

    /// Four zeros, then the message number, least significant byte first. The specification reserves the last number.
    private func nonce() throws(NoiseError) -> [UInt8] {
        guard count < .max else { throw .exhausted }
        return [UInt8](repeating: 0, count: 4) + count.bigEndianBytes.reversed()
    }

    /// The part that dumps show: never the key.
    package var customMirror: Mirror { Mirror(self, children: ["count": count], displayStyle: .struct) }
}

package struct NoiseChannel: Sendable {
    package var sending: NoiseCipher
    package var receiving: NoiseCipher
    /// The hash of the handshake: known to both sides only.
    package let binding: [UInt8]
}

/// Messages of a channel on the wire: each behind its length, in four bytes, most significant first (Protocol 5.1). An
/// impossible length is refused before any of the message is read, so that no foreign number reserves memory.
package struct NoiseFrames: Sendable {
    private static let head = 4
    private static let shortest = ChaCha20Poly1305.tagLength

    private var bytes: [UInt8] = []
    private var length: Int?

    package init() {}

    /// The number of bytes wanted next. No more are ever taken.
    package var wanted: Int { Self.head + (length ?? 0) - bytes.count }

    package var isAtStart: Bool { bytes.isEmpty }

    /// Takes bytes that have arrived. `more` is at most ``wanted`` bytes. Returns the message, when it is complete.
    package mutating func take(_ more: [UInt8]) throws(NoiseError) -> [UInt8]? {
        guard more.count <= wanted else { throw .length }
        bytes += more
        guard wanted == 0 else { return nil }
        guard length != nil else {
            let length = bytes.reduce(0) { $0 << 8 | Int($1) }
            guard Self.shortest...NoiseCipher.maximumLength ~= length else { throw .length }
            self.length = length
            return nil
        }
        let message = Array(bytes.dropFirst(Self.head))
        self = NoiseFrames()
        return message
    }

    package static func wire(_ message: [UInt8]) -> [UInt8] { UInt32(message.count).bigEndianBytes + message }
}
