public import PaykitProvider
import PaymentCore

/// The guide's service: asks somebody for a receipt that says how they are to be paid.
public final class InteractivePaymentService: Sendable {
    private let client: PaykitClient?

    /// Creates a service.
    ///
    /// - Parameter client: nil for the one that the guide's functions use.
    public init(client: PaykitClient? = nil) { self.client = client }

    /// Asks for a receipt. Nothing is paid.
    ///
    /// - Parameters:
    ///   - fromPubkey: who is to be paid.
    ///   - amount: in satoshis.
    ///   - method: the method, such as `lightning`.
    /// - Returns: the receipt, with the payee's invoice or address among its metadata.
    /// - Throws: ``PaykitError``.
    public func requestReceipt(fromPubkey: String, amount: UInt64, method: String) async throws -> PaykitReceipt {
        let client = if let client { client } else { try Paykit.client() }
        return try await client.requestReceipt(
            fromPubkey: fromPubkey,
            PaykitReceiptRequest(amount: amount, method: method, metadata: ["description": "Payment request"]))
    }
}

/// Returns where somebody can be spoken to privately, and with which key (the guide's first step).
///
/// - Parameter pubkey: who.
/// - Throws: ``PaykitError``, of the type `methodNotSupported` when they have published no such place.
public func resolveNoiseKey(pubkey: String) async throws -> PaykitNoiseEndpoint {
    guard let endpoint = try await Paykit.client().noiseEndpoint(pubkey: pubkey) else {
        throw PaykitError(PaykitNetworkError(.methodNotSupported, "\(pubkey) cannot be spoken to privately"))
    }
    return endpoint
}

/// Opens a private channel (the guide's second step).
///
/// - Parameter peerKey: what ``resolveNoiseKey(pubkey:)`` gave.
/// - Throws: ``PaykitError``.
public func establishNoiseChannel(peerKey: PaykitNoiseEndpoint) async throws -> PaykitNoiseChannel {
    try await Paykit.client().openChannel(to: peerKey)
}

/// An open private channel to somebody. It is closed when nobody holds it.
public final class PaykitNoiseChannel: Sendable {
    private let client: PaykitClient
    private let channel: PrivateChannel

    init(_ channel: PrivateChannel, of client: PaykitClient) {
        self.channel = channel
        self.client = client
    }

    deinit { channel.close() }

    /// Who is at the other end.
    public var peer: PubkyKey { channel.peer }

    /// Asks for a receipt (the guide's third and fourth step). Nothing is paid.
    ///
    /// - Parameter request: what is asked for.
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func requestReceipt(_ request: PaykitReceiptRequest) async throws -> PaykitReceipt {
        try await client.requestReceipt(request, over: channel)
    }

    /// Offers endpoints to the other side alone.
    ///
    /// - Parameter offers: what is offered.
    /// - Returns: the methods that were taken.
    /// - Throws: ``PaykitError``; the channel is closed then.
    public func offer(_ offers: [PaykitChannelOffer]) async throws -> [String] {
        try await client.offer(offers, over: channel)
    }

    /// Ends the channel.
    public func close() { channel.close() }
}
