/// A published address and key for private channels (Protocol 5.6).
public struct PaykitNoiseEndpoint: Sendable, Hashable {
    /// The user that published it. Only its place on the user's homeserver shows that the key is theirs.
    public let owner: PubkyKey
    /// The host: a name, an IPv4 address, or an IPv6 address, in brackets or without; untrusted text.
    public let host: String
    /// The port; zero where nothing listens yet.
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

    /// Removes the private endpoint of the session's user; does nothing when there is none.
    package func removeNoiseEndpoint(_ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.noiseAddress(of: session.user)
        try await reader.homeserver(of: session.user).delete(address, session)
    }
}
