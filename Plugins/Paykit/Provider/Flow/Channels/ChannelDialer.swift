package struct ChannelDialer: Sendable {
    private let identity: ChannelIdentity
    private let streams: any StreamTransport
    private let allowsLocal: Bool
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let timeout: PrivateChannel.Timeouts

    private static let mostAddresses = 3

    /// - Parameter allowsLocal: true if payees may be on this machine or its network. A stranger's record can then
    ///   direct connections to this device's own services.
    package init(
        _ identity: ChannelIdentity, over streams: any StreamTransport, allowsLocal: Bool, clock: any PaymentClock,
        random: any RandomSource, timeout: PrivateChannel.Timeouts = .init()
    ) {
        self.identity = identity
        self.streams = streams
        self.allowsLocal = allowsLocal
        self.clock = clock
        self.random = random
        self.timeout = timeout
    }

    package var owner: PubkyKey { identity.owner.publicKey }

    /// Opens a channel. Both generations of the handshake's identity are tried, the older first, because the payee's
    /// cannot be known before (Protocol 5.2); nothing is requested before the channel is open.
    package func open(to endpoint: PaykitNoiseEndpoint) async throws(PaykitNetworkError) -> PrivateChannel {
        let payee = endpoint.owner
        try require(payee != owner, .validationFailed, "a private channel to oneself is not possible")
        try require(
            endpoint.isConnectable, .connectionFailed, "\(payee) cannot be reached now: there is no listener yet")
        let addresses = try await addresses(of: endpoint)
        do throws(PaykitNetworkError) { return try await open(to: endpoint, at: addresses, .a) } catch {
            // A payee that does not support the older generation closes the connection without an answer.
            guard [.transport, .connectionTimeout].contains(error.code) else { throw error }
            return try await open(to: endpoint, at: addresses, .b)
        }
    }

    private func open(
        to endpoint: PaykitNoiseEndpoint, at addresses: [StreamAddress], _ generation: NoiseIdentity.Generation
    ) async throws(PaykitNetworkError) -> PrivateChannel {
        let wire = ChannelWire(try await connect(to: addresses, of: endpoint.owner), clock: clock, timeout)
        do throws(PaykitNetworkError) {
            return try await PrivateChannel.open(to: endpoint, as: identity, generation, over: wire, random: random)
        } catch {
            wire.close()
            throw error
        }
    }

    private func addresses(of endpoint: PaykitNoiseEndpoint) async throws(PaykitNetworkError) -> [StreamAddress] {
        let (streams, host, port) = (streams, endpoint.host, endpoint.port)
        let found = await clock.limit(to: timeout.connecting) { () async -> Result<[StreamAddress], StreamError> in
            do throws(StreamError) { return .success(try await streams.addresses(of: host, port: port)) } catch {
                return .failure(error)
            }
        }
        let usable: [StreamAddress]
        do throws(StreamError) { usable = try (found ?? .failure(.hostNotFound(host))).get() } catch {
            throw PaykitNetworkError(error)
        }
        let reachable = usable.filter { allowsLocal || $0.isPublic }
        try require(
            !reachable.isEmpty, .connectionFailed,
            "\(endpoint.owner) publishes an address that is not public on the internet")
        return Array(Self.alternating(reachable).prefix(Self.mostAddresses))
    }

    /// Returns the same addresses, alternating between IPv4 and IPv6: a machine may reach only one kind.
    private static func alternating(_ addresses: [StreamAddress]) -> [StreamAddress] {
        func isV6(_ address: StreamAddress) -> Bool { if case .v6 = address.host { true } else { false } }
        guard let first = addresses.first.map(isV6) else { return [] }
        let (ones, others) = (addresses.filter { isV6($0) == first }, addresses.filter { isV6($0) != first })
        return (0..<max(ones.count, others.count)).flatMap { index in
            [ones, others].compactMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }

    private func connect(
        to addresses: [StreamAddress], of payee: PubkyKey
    ) async throws(PaykitNetworkError) -> any ByteStream {
        var last = PaykitNetworkError(.connectionFailed, "\(payee) cannot be reached where they say that they listen")
        for address in addresses {
            let streams = streams
            let result = await clock.limit(to: timeout.connecting) { () async -> Result<any ByteStream, StreamError> in
                do throws(StreamError) { return .success(try await streams.connect(to: address)) } catch {
                    return .failure(error)
                }
            }
            switch result {
            case .success(let stream)?: return stream
            case .failure(let error)?: last = PaykitNetworkError(error)
            case nil: continue
            }
        }
        throw last
    }
}
