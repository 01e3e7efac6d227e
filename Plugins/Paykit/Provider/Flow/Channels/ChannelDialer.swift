package import PaymentCore

/// Opens channels to payees, wherever they can be spoken to.
package struct ChannelDialer: Sendable {
    private let identity: ChannelIdentity
    private let streams: any StreamTransport
    private let allowsLocal: Bool
    private let clock: any PaymentClock
    private let random: any RandomSource
    private let timeout: PrivateChannel.Timeouts

    /// To how many of a host's addresses it is tried.
    private static let mostAddresses = 3

    /// - Parameter allowsLocal: whether payees may be on this machine or its network. Otherwise a stranger's word could
    ///   have this device knock at its own services.
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

    /// Who speaks.
    package var owner: PubkyKey { identity.owner.publicKey }

    /// Opens a channel. Payees of both generations are tried, the older first: which one it is cannot be known before
    /// (Protocol 5.2), and nothing is asked for before the channel is there.
    package func open(to endpoint: PaykitNoiseEndpoint) async throws(PaykitNetworkError) -> PrivateChannel {
        let payee = endpoint.owner
        guard payee != owner else {
            throw PaykitNetworkError(.validationFailed, "a private channel to oneself is not possible")
        }
        guard endpoint.isConnectable else {
            throw PaykitNetworkError(.connectionFailed, "\(payee) cannot be reached now: there is no listener yet")
        }
        let addresses = try await addresses(of: endpoint)
        do throws(PaykitNetworkError) { return try await open(to: endpoint, at: addresses, .a) } catch {
            // Who does not understand the older generation ends the connection without a word.
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
        guard !reachable.isEmpty else {
            throw PaykitNetworkError(
                .connectionFailed, "\(endpoint.owner) publishes an address that is not public on the internet")
        }
        return Array(Self.alternating(reachable).prefix(Self.mostAddresses))
    }

    /// The same addresses, those of both kinds by turns: a machine may have a way to one kind alone.
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
