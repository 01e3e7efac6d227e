/// The means with which a ``PaykitProvider`` pays over private channels: the payer's key, connections and a store of
/// receipts.
///
/// A payee with a published private endpoint is asked there for an invoice that only both parties see, over an
/// encrypted channel. The invoice is checked and paid in a durable step, the proof is sent to the payee, and the
/// receipt is kept. The payee's homeserver decides which endpoint is contacted, and the payee learns the payer's key.
///
/// ```swift
/// let privately = try PaykitChannelPayments(
///     as: keyPair, over: TCPTransport(), receipts: try SQLiteReceipts(path: path))
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), privately: privately)
/// ```
public struct PaykitChannelPayments: Sendable {
    /// The rule for payees that cannot be asked.
    @nonexhaustive
    public enum Use: Sendable, Hashable {
        /// Public endpoints are paid where payees do not answer, or decline a private payment.
        case preferred
        /// Only endpoints that were agreed on privately are paid.
        case only
    }

    /// The id of the option that is paid over a channel. Other options have the names of their methods.
    public static let optionID: PaymentMethodOption.ID = "private-lightning"

    let identity: ChannelIdentity
    let streams: any StreamTransport
    let receipts: any ReceiptStore
    /// The rule for payees that cannot be asked.
    public let use: Use
    /// The chain of the payer's settler; invoices of another chain are rejected.
    public let chain: PaykitEndpointCheck.Network
    /// The longest wait for a payee's message, for each message.
    public let timeout: Duration

    /// Creates the means for private payments.
    ///
    /// - Parameters:
    ///   - payer: the payer's key pair: payees learn the public half.
    ///   - device: an identifier that differs between the payer's devices, at least 16 bytes; nil for the one that the
    ///     vendor's library uses for all devices.
    ///   - streams: the connections to payees, such as `TCPTransport()` of `PaymentTransport`.
    ///   - receipts: keeps agreements and proofs across restarts; one store that all programs of this payer share.
    ///   - use: the rule for payees that cannot be asked.
    ///   - chain: the chain of the payer's settler.
    ///   - timeout: the longest wait for a payee's message, for each message.
    /// - Throws: ``PaykitNetworkError`` when no channel key can be derived from the payer's key.
    public init(
        as payer: PubkyKeyPair, device: [UInt8]? = nil, over streams: any StreamTransport, receipts: any ReceiptStore,
        use: Use = .preferred, chain: PaykitEndpointCheck.Network = .mainnet, timeout: Duration = .seconds(30)
    ) throws(PaykitNetworkError) {
        identity = try ChannelIdentity(payer, device: device ?? ChannelIdentity.unnamed)
        self.streams = streams
        self.receipts = receipts
        self.use = use
        self.chain = chain
        self.timeout = timeout
    }

    /// The payer's public key.
    public var payer: PubkyKey { identity.owner.publicKey }

    func checkout(
        _ directory: PaykitDirectory, _ network: PubkyNetwork, clock: any PaymentClock, random: any RandomSource
    ) -> ChannelCheckout {
        var limits = PrivateChannel.Timeouts()
        limits.message = timeout
        limits.handshake = min(limits.handshake, timeout)
        limits.connecting = min(limits.connecting, timeout)
        let dialer = ChannelDialer(
            identity, over: streams, allowsLocal: network.allowsLocalHomeservers, clock: clock, random: random,
            timeout: limits)
        return ChannelCheckout(directory, dialer, receipts, clock: clock)
    }
}
