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

    /// Opens a channel to the owner of `endpoint`. `generation` is the form in which this side proves its identity.
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

    // MARK: Speaking

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

    /// Offers endpoints, and waits for the answer. Returns the accepted methods; all where the peer only acknowledges.
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
                .invalidData, "the other side's key for the channel is none; the payee has to publish it")
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
