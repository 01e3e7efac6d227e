/// The guide's service: asks a payee for a receipt with the terms of a payment.
public final class InteractivePaymentService: Sendable {
    private let client: PaykitClient?

    /// Creates a service. `client` is the client; nil for that of the guide's functions.
    public init(client: PaykitClient? = nil) { self.client = client }

    /// Asks for a receipt. Nothing is paid. `amount` is in satoshis. `method` is the method, such as `lightning`.
    ///
    /// - Returns: the receipt, with the payee's invoice or address among its metadata.
    /// - Throws: ``PaykitError``.
    public func requestReceipt(fromPubkey: String, amount: UInt64, method: String) async throws -> PaykitReceipt {
        let client = if let client { client } else { try Paykit.client() }
        return try await client.requestReceipt(
            fromPubkey: fromPubkey,
            PaykitReceiptRequest(amount: amount, method: method, metadata: ["description": "Payment request"]))
    }
}

/// Returns the address and the key of a user's private channel (the guide's first step).
///
/// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published none.
public func resolveNoiseKey(pubkey: String) async throws -> PaykitNoiseEndpoint {
    guard let endpoint = try await Paykit.client().noiseEndpoint(pubkey: pubkey) else {
        throw PaykitError(.methodNotSupported, "\(pubkey) cannot be spoken to privately")
    }
    return endpoint
}

/// Opens a private channel (the guide's second step). `peerKey` is the result of ``resolveNoiseKey(pubkey:)``.
///
/// - Throws: ``PaykitError``.
public func establishNoiseChannel(peerKey: PaykitNoiseEndpoint) async throws -> PaykitNoiseChannel {
    try await Paykit.client().openChannel(to: peerKey)
}

/// An open private channel to a user. It is closed when it is released.
public final class PaykitNoiseChannel: Sendable {
    private let client: PaykitClient
    private let channel: PrivateChannel

    init(_ channel: PrivateChannel, of client: PaykitClient) {
        self.channel = channel
        self.client = client
    }

    deinit { channel.close() }

    /// The user at the other end.
    public var peer: PubkyKey { channel.peer }

    /// Asks for a receipt (the guide's third and fourth step). Nothing is paid.
    ///
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func requestReceipt(_ request: PaykitReceiptRequest) async throws -> PaykitReceipt {
        try await client.mappingErrors {
            let inquiry = try await client.inquiry(request, to: peer)
            return PaykitReceipt(try await client.checkout().agree(inquiry, over: channel).receipt)
        }
    }

    /// Offers endpoints to the other side alone.
    ///
    /// - Returns: the methods that were accepted.
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func offer(_ offers: [PaykitChannelOffer]) async throws -> [String] {
        let messages = offers.map {
            ChannelMessage.Offer($0.endpoint, expiresAt: $0.expiresAt.map { Int64(clamping: $0.timeIntervalSince1970) })
        }
        do { return try await channel.offer(messages) } catch { throw PaykitError(error) }
    }

    /// Closes the channel.
    public func close() { channel.close() }
}

extension Int64 {
    /// Creates the seconds of a time, as near as possible.
    fileprivate init(clamping seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}
