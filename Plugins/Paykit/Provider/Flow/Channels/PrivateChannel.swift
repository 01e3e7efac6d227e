import PaymentCrypto

/// A channel between two users, over one connection. Any failure closes it.
///
/// It serves one task at a time: a concurrent send or receive is rejected.
package actor PrivateChannel {
    package struct Timeouts: Sendable {
        package var connecting = Duration.seconds(10)
        package var handshake = Duration.seconds(10)
        /// The limit for a message, once the other side's turn begins.
        package var message = Duration.seconds(30)

        package init() {}
    }

    /// The user at the other end. For the opening side it is the user that published the channel's key; for the
    /// listening side, the user that signed the key.
    package nonisolated let peer: PubkyKey
    /// The hash of the handshake, which names the session.
    package nonisolated let session: [UInt8]

    private let wire: ChannelWire
    private var noise: NoiseChannel
    private var isBusy = false

    private init(_ noise: NoiseChannel, with peer: PubkyKey, over wire: ChannelWire) {
        self.noise = noise
        self.peer = peer
        self.wire = wire
        session = noise.binding
    }

    // MARK: Opening

    /// Opens a channel to the owner of `endpoint`. `generation` is the form of this side's proof of identity.
    package static func open(
        to endpoint: PaykitNoiseEndpoint, as identity: ChannelIdentity, _ generation: NoiseIdentity.Generation,
        over wire: ChannelWire, random: any RandomSource
    ) async throws(PaykitNetworkError) -> PrivateChannel {
        var handshake = try mappingErrors { () throws(NoiseError) in
            try identity.handshake(.initiator, with: endpoint.key, random)
        }
        let name = NoiseIdentity.text(
            of: identity.owner, .init(.ik, .client, local: identity.publicKey, remote: endpoint.key), generation)
        let first = try mappingErrors { () throws(NoiseError) in try handshake.write(name) }
        let answer = try await wire.within(wire.timeout.handshake, "the handshake") {
            wire async throws(PaykitNetworkError) in
            try await wire.write(first)
            return try await wire.read()
        }
        let noise = try mappingErrors { () throws(NoiseError) in
            _ = try handshake.read(answer)
            return try handshake.channel()
        }
        return PrivateChannel(noise, with: endpoint.owner, over: wire)
    }

    /// Accepts a channel from a connected peer, in the generation of its first message. `now` is seconds since 1970.
    package static func accept(
        as identity: ChannelIdentity, over wire: ChannelWire, random: any RandomSource, now: UInt64
    ) async throws(PaykitNetworkError) -> PrivateChannel {
        var handshake = try mappingErrors { () throws(NoiseError) in try identity.handshake(.responder, random) }
        let first = try await wire.within(wire.timeout.handshake, "the handshake") {
            wire async throws(PaykitNetworkError) in try await wire.read()
        }
        let payload = try mappingErrors { () throws(NoiseError) in try handshake.read(first) }
        guard let remote = handshake.remoteStatic else { throw NoiseError.key.failure }
        let peer: PubkyKey
        do throws(WireDefect) {
            let binding = NoiseIdentity.Binding(.ik, .client, local: remote, remote: identity.publicKey)
            peer = try NoiseIdentity(payload, binding, now: now).key
        } catch { throw PaykitNetworkError(.invalidCredentials, "a peer did not prove its identity: \(error)") }
        let (second, noise) = try mappingErrors { () throws(NoiseError) in
            (try handshake.write([]), try handshake.channel())
        }
        try await wire.within(wire.timeout.handshake, "the handshake") { wire async throws(PaykitNetworkError) in
            try await wire.write(second)
        }
        return PrivateChannel(noise, with: peer, over: wire)
    }

    // MARK: Messages

    package func send(_ message: ChannelMessage, in dialect: ChannelMessage.Dialect = .native)
        async throws(PaykitNetworkError)
    {
        guard let text = message.wire(dialect) ?? message.wire() ?? message.wire(.flat) else {
            throw PaykitNetworkError(.validationFailed, "there are no words for this message")
        }
        try await alone { () async throws(PaykitNetworkError) in
            let sealed = try Self.mappingErrors { () throws(NoiseError) in try noise.sending.seal(text) }
            try await wire.within(wire.timeout.message, "the other side") { wire async throws(PaykitNetworkError) in
                try await wire.write(sealed)
            }
        }
    }

    /// Waits for the next message. Returns the message and its dialect; nil when the other side has closed the channel.
    package func receive() async throws(PaykitNetworkError) -> (
        message: ChannelMessage, dialect: ChannelMessage.Dialect
    )? {
        try await alone { () async throws(PaykitNetworkError) in
            let sealed = try await wire.within(wire.timeout.message, "the other side") {
                wire async throws(PaykitNetworkError) in try await wire.readOrEnd()
            }
            guard let sealed else { return nil }
            let text = try Self.mappingErrors { () throws(NoiseError) in try noise.receiving.open(sealed) }
            do throws(WireDefect) { return try ChannelMessage.read(text) } catch {
                throw PaykitNetworkError(.invalidData, "\(peer) sent what cannot be read: \(error)")
            }
        }
    }

    /// Offers endpoints, and waits for the answer. Returns the accepted methods; all of them if the peer only
    /// acknowledges.
    package func offer(_ offers: [ChannelMessage.Offer]) async throws(PaykitNetworkError) -> [String] {
        try await send(.offer(offers))
        for _ in 0..<8 {
            switch try await receive()?.message {
            case .accept(let methods):
                return methods.filter { name in offers.contains { $0.endpoint.methodID == name } }
            case .acknowledgement: return offers.map(\.endpoint.methodID)
            case .decline: return []
            case .ping: try await send(.pong)
            case .error(let code, let message):
                throw PaykitNetworkError(
                    .paymentRejected, "\(peer) refuses (\(PeerText.shown(code))): \(PeerText.shown(message))")
            default: throw PaykitNetworkError(.invalidData, "\(peer) answered with something else than was asked for")
            }
        }
        throw PaykitNetworkError(.invalidData, "\(peer) does not say whether the offer is taken")
    }

    /// Shows this side's view of a subscription, and returns the other side's; nil if it has none.
    package func exchange(_ view: JSONValue) async throws(PaykitNetworkError) -> JSONValue? {
        try await send(.subscription(view))
        for _ in 0..<8 {
            switch try await receive()?.message {
            case .subscription(let theirs): return theirs
            case .error: return nil
            case .ping: try await send(.pong)
            default: throw PaykitNetworkError(.invalidData, "\(peer) answered with something else than was asked for")
            }
        }
        throw PaykitNetworkError(.invalidData, "\(peer) does not say what it holds of the subscription")
    }

    package nonisolated func close() { wire.close() }

    private func alone<Value>(_ work: () async throws(PaykitNetworkError) -> Value) async throws(PaykitNetworkError)
        -> Value
    {
        guard !isBusy else { throw PaykitNetworkError(.validationFailed, "a channel is used by one task at a time") }
        isBusy = true
        defer { isBusy = false }
        do throws(PaykitNetworkError) { return try await work() } catch {
            // A missing or altered message cannot be recovered: the next one would be read in its place.
            close()
            throw error
        }
    }

    private static func mappingErrors<Value>(_ work: () throws(NoiseError) -> Value) throws(PaykitNetworkError) -> Value
    {
        do throws(NoiseError) { return try work() } catch { throw error.failure }
    }
}

extension NoiseError {
    var failure: PaykitNetworkError {
        switch self {
        case .key:
            PaykitNetworkError(
                .invalidData, "the other side's key for the channel is not valid; the payee has to publish a new one")
        case .length: PaykitNetworkError(.invalidData, "the other side sent a message of a length that none has")
        case .untrusted:
            PaykitNetworkError(
                .invalidCredentials,
                "the other side has another key than it has published, or a message was changed, left out or repeated")
        case .order: PaykitNetworkError(.invalidData, "the other side spoke before it was its turn")
        case .exhausted: PaykitNetworkError(.transport, "the channel was used for as much as it may; open a new one")
        }
    }
}

/// A connection that carries a channel's messages, with length prefixes and time limits.
package struct ChannelWire: Sendable {
    package let stream: any ByteStream
    package let timeout: PrivateChannel.Timeouts
    private let clock: any PaymentClock

    package init(_ stream: any ByteStream, clock: any PaymentClock, _ timeout: PrivateChannel.Timeouts) {
        self.stream = stream
        self.clock = clock
        self.timeout = timeout
    }

    /// Runs `work` for at most `limit`. A timeout or a failure closes the connection. `who` is the name of the awaited
    /// side or step, for error messages.
    package func within<Value: Sendable>(
        _ limit: Duration, _ who: String,
        _ work: @escaping @Sendable (ChannelWire) async throws(PaykitNetworkError) -> Value
    ) async throws(PaykitNetworkError) -> Value {
        let result = await clock.limit(to: limit) { () async -> Result<Value, PaykitNetworkError> in
            do throws(PaykitNetworkError) { return .success(try await work(self)) } catch { return .failure(error) }
        }
        switch result {
        case .success(let value)?: return value
        case .failure(let failure)?:
            close()
            throw failure
        case nil:
            close()
            throw PaykitNetworkError(.connectionTimeout, "\(who) took longer than \(limit.components.seconds) s")
        }
    }

    package func write(_ message: [UInt8]) async throws(PaykitNetworkError) {
        do throws(StreamError) { try await stream.send(NoiseFrames.wire(message)) } catch {
            throw PaykitNetworkError(error)
        }
    }

    package func read() async throws(PaykitNetworkError) -> [UInt8] {
        guard let message = try await readOrEnd() else {
            throw PaykitNetworkError(.transport, "the other side has closed the connection")
        }
        return message
    }

    /// Returns the next message; nil when the other side has closed the connection before it.
    package func readOrEnd() async throws(PaykitNetworkError) -> [UInt8]? {
        var frames = NoiseFrames()
        while true {
            let more: [UInt8]
            do throws(StreamError) { more = try await stream.receive(atMost: frames.wanted) } catch {
                throw PaykitNetworkError(error)
            }
            guard !more.isEmpty else {
                if frames.isAtStart { return nil }
                throw PaykitNetworkError(
                    .transport, "the other side has closed the connection in the middle of a message")
            }
            do throws(NoiseError) { if let message = try frames.take(more) { return message } } catch {
                throw error.failure
            }
        }
    }

    package func close() { stream.close() }
}

extension PaykitNetworkError {
    init(_ error: StreamError) {
        let code: Code =
            switch error {
            case .hostNotFound, .notConnected, .unavailable: .connectionFailed
            default: .transport
            }
        self.init(code, error.description)
    }
}

/// The identity of this device on private channels: its owner's keys, and the key derived from them (Protocol 5.3).
package struct ChannelIdentity: Sendable {
    package let owner: PubkyKeyPair
    package let publicKey: [UInt8]
    let privateKey: Redacted<[UInt8]>

    /// The identifier of a device without one: the vendor's library uses it for all devices.
    package static let unnamed = [UInt8](repeating: 0, count: 32)

    /// Derives a device's keys. `device` is an identifier that differs between the owner's devices. `epoch` is the
    /// number of the device's key.
    package init(_ owner: PubkyKeyPair, device: [UInt8] = unnamed, epoch: UInt32 = 0) throws(PaykitNetworkError) {
        let key = owner.channelKey(device: device, epoch: epoch)
        guard let publicKey = try? X25519.publicKey(of: key) else {
            throw PaykitNetworkError(.validationFailed, "no channel's key can be made of this secret key")
        }
        self.owner = owner
        self.publicKey = publicKey
        privateKey = Redacted(key)
    }

    package func handshake(
        _ role: NoiseHandshake.Role, with remote: [UInt8]? = nil, _ random: any RandomSource
    ) throws(NoiseError) -> NoiseHandshake {
        try NoiseHandshake(
            NoiseSuite(.ik), role, prologue: NoiseIdentity.prologue, ownStatic: privateKey.reveal(),
            ownEphemeral: random.bytes(32), remoteStatic: remote)
    }

    func open(_ blob: SealedBlob, at place: SealedBlob.Place) throws(WireDefect) -> [UInt8] {
        try blob.open(privateKey.reveal(), at: place)
    }

    func open(_ envelope: SealedEnvelope, at address: PubkyAddress) throws(WireDefect) -> [UInt8] {
        try envelope.open(privateKey.reveal(), owner: address.owner, path: address.path)
    }
}
