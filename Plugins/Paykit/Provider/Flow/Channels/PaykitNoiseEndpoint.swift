/// A published address and key for private channels (Protocol 5.6).
public struct PaykitNoiseEndpoint: Sendable, Hashable {
    /// The user that published it. Only its place on the user's homeserver shows that the key is theirs.
    public let owner: PubkyKey
    /// The host: a name, an IPv4 address, or an IPv6 address, in brackets or without; untrusted text.
    public let host: String
    /// The port; zero if nothing listens yet.
    public let port: UInt16
    /// The public key of the channel: 32 bytes (X25519).
    public let key: [UInt8]

    /// The most bytes of a host's name (RFC 1035 section 2.3.4).
    static let longestHost = 253

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - owner: the user that publishes it.
    ///   - host: the name or address to connect to.
    ///   - port: the port there.
    ///   - key: 32 bytes; with another length no channel can be opened.
    public init(owner: PubkyKey, host: String, port: UInt16, key: [UInt8]) {
        self.owner = owner
        self.host = host
        self.port = port
        self.key = key
    }

    /// True if host and port can be connected to: a key may be published before a listener exists.
    public var isConnectable: Bool {
        port != 0 && 1...Self.longestHost ~= host.utf8.count && host != "pending"
            && host.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    package init?(_ file: [UInt8], of owner: PubkyKey) {
        guard let json = try? JSONValue(parsing: file), let host = json["host"]?.string,
            let port = json["port"]?.uint64.flatMap({ UInt16(exactly: $0) }),
            let key = (json["pubkey"] ?? json["public_key"])?.string.flatMap(Hex.decode), key.count == 32
        else { return nil }
        self.init(owner: owner, host: host, port: port, key: key)
    }

    package var wire: [UInt8] {
        OrderedJSON.object([
            ("host", .string(host)), ("port", .number(port)), ("pubkey", .string(Hex.encode(key))),
        ]).bytes
    }
}

extension PaykitDirectory {
    package static func noiseAddress(of owner: PubkyKey) throws(PaykitNetworkError) -> PubkyAddress {
        try PubkyAddress(in: owner, at: root + "noise")
    }

    package func noiseEndpoint(of owner: PubkyKey) async throws(PaykitNetworkError) -> PaykitNoiseEndpoint? {
        guard let bytes = try await reader.file(try Self.noiseAddress(of: owner)), !bytes.isEmpty else { return nil }
        guard let endpoint = PaykitNoiseEndpoint(bytes, of: owner) else {
            throw PaykitNetworkError(
                .invalidData, "\(owner) has published where to be spoken to in a way that cannot be read")
        }
        return endpoint
    }

    package func publish(_ endpoint: PaykitNoiseEndpoint, _ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.noiseAddress(of: session.user)
        try await reader.homeserver(of: session.user).write(endpoint.wire, to: address, session)
    }

    /// Removes the private endpoint of the session's user, if there is one.
    package func removeNoiseEndpoint(_ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.noiseAddress(of: session.user)
        try await reader.homeserver(of: session.user).delete(address, session)
    }
}

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
    /// cannot be known before (Protocol 5.2). Nothing is requested before the channel is open.
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
