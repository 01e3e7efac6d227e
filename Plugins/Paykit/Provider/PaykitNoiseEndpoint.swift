import PaymentCore

/// Where somebody can be spoken to privately, as they publish it (Protocol 5.6).
public struct PaykitNoiseEndpoint: Sendable, Hashable {
    /// Whose it is. Nothing but its being on their homeserver says that the key is theirs.
    public let owner: PubkyKey
    /// The host: a name, an IPv4 address, or an IPv6 address, in brackets or without; somebody else's text.
    public let host: String
    /// The port; zero where nobody listens yet.
    public let port: UInt16
    /// The public key of the channel: 32 bytes (X25519).
    public let key: [UInt8]

    /// The most bytes of a host's name (RFC 1035 section 2.3.4).
    static let longestHost = 253

    /// Creates the description of a place.
    ///
    /// - Parameters:
    ///   - owner: whose place it is.
    ///   - host: the name or address to connect to.
    ///   - port: the port there.
    ///   - key: 32 bytes; a channel to another length comes never about.
    public init(owner: PubkyKey, host: String, port: UInt16, key: [UInt8]) {
        self.owner = owner
        self.host = host
        self.port = port
        self.key = key
    }

    /// Whether somebody listens there: a key may be published before.
    public var isConnectable: Bool {
        port != 0 && 1...Self.longestHost ~= host.utf8.count && host != "pending"
            && host.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// Reads the file; nil for what is none.
    package init?(_ file: [UInt8], of owner: PubkyKey) {
        guard let json = try? JSONValue(parsing: file), let host = json["host"]?.string,
            let port = json["port"]?.uint64.flatMap({ UInt16(exactly: $0) }),
            let key = (json["pubkey"] ?? json["public_key"])?.string.flatMap(Hex.decode), key.count == 32
        else { return nil }
        self.init(owner: owner, host: host, port: port, key: key)
    }

    /// The file's content.
    package var wire: [UInt8] {
        Array(
            OrderedJSON.object([
                ("host", OrderedJSON.string(host)), ("port", "\(port)"),
                ("pubkey", OrderedJSON.string(Hex.encode(key))),
            ]).utf8)
    }
}

extension PaykitDirectory {
    /// Where users say how they can be spoken to.
    package static func noiseAddress(of owner: PubkyKey) throws(PaykitNetworkError) -> PubkyAddress {
        do { return try PubkyAddress(owner, path: root + "noise") } catch {
            throw PaykitNetworkError(.validationFailed, "\(error)")
        }
    }

    /// Returns where `owner` can be spoken to privately; nil when they have published no such place.
    package func noiseEndpoint(of owner: PubkyKey) async throws(PaykitNetworkError) -> PaykitNoiseEndpoint? {
        guard let bytes = try await reader.file(try Self.noiseAddress(of: owner)), !bytes.isEmpty else { return nil }
        guard let endpoint = PaykitNoiseEndpoint(bytes, of: owner) else {
            throw PaykitNetworkError(
                .invalidData, "\(owner) has published where to be spoken to in a way that cannot be read")
        }
        return endpoint
    }

    /// Publishes where the session's user can be spoken to.
    package func publish(_ endpoint: PaykitNoiseEndpoint, _ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.noiseAddress(of: session.user)
        try await reader.homeserver(of: session.user).write(endpoint.wire, to: address, session)
    }

    /// Takes back where the session's user can be spoken to. Without such a place it does nothing.
    package func removeNoiseEndpoint(_ session: PubkySession) async throws(PaykitNetworkError) {
        let address = try Self.noiseAddress(of: session.user)
        try await reader.homeserver(of: session.user).delete(address, session)
    }
}
