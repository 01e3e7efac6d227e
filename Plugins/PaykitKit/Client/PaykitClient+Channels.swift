import PaykitProvider
import PaymentCore

/// Where somebody can be spoken to privately.
public struct PaykitNoiseEndpoint: Sendable, Hashable {
    /// The host; somebody else's text.
    public let host: String
    /// The port; zero where nobody listens yet.
    public let port: UInt16
    /// The public key of the channel: 32 bytes (X25519).
    public let key: [UInt8]

    /// Whether somebody listens there: a key may be published before.
    public var isConnectable: Bool { port != 0 && !host.isEmpty && host != "pending" }

    init?(_ json: JSONValue) {
        guard let host = json["host"]?.string, let port = json["port"]?.uint64.flatMap({ UInt16(exactly: $0) }),
            let key = (json["pubkey"] ?? json["public_key"])?.string.flatMap(Hex.decode), key.count == 32
        else { return nil }
        self.host = host
        self.port = port
        self.key = key
    }
}

extension PaykitClient {
    /// Returns where somebody can be spoken to privately; nil when they have published no such place. Nothing but its being
    /// on their homeserver says that the key is theirs.
    ///
    /// - Throws: ``PaykitError``.
    public func noiseEndpoint(pubkey: String) async throws -> PaykitNoiseEndpoint? {
        try await told { () async throws(PaykitFailure) in
            let user = try Self.key(pubkey)
            guard let address = try? PubkyAddress(user, path: PaykitDirectory.root + "noise"),
                let bytes = try await reader.file(address), !bytes.isEmpty
            else { return nil }
            guard let endpoint = (try? JSONValue(parsing: bytes)).flatMap(PaykitNoiseEndpoint.init) else {
                throw PaykitFailure(
                    .invalidData, "\(user) has published where to be spoken to in a way that cannot be read")
            }
            return endpoint
        }
    }
}
