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

    /// Begins a handshake. `prologue` is the bytes agreed on before; if they differ, the handshake fails. `ownStatic`
    /// is this side's private key; nil where the pattern needs none. `ownEphemeral` is 32 random bytes, used for this
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
