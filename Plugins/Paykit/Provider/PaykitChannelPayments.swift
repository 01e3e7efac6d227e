import PaymentCore

/// What a ``PaykitProvider`` needs to pay by private agreement: who pays, connections, and a store of receipts.
///
/// Whoever says where they can be spoken to is asked there for an invoice that nobody else sees, over an encrypted
/// channel. The invoice is checked, paid in a durable step, and the proof told to the payee; the receipt is kept. Which
/// payee is spoken to rests on their homeserver, and they learn the payer's key.
///
/// ```swift
/// let privately = try PaykitChannelPayments(
///     as: keyPair, over: TCPTransport(), receipts: try SQLiteReceipts(path: path))
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), privately: privately)
/// ```
public struct PaykitChannelPayments: Sendable {
    /// What becomes of payees who cannot be asked.
    @nonexhaustive
    public enum Use: Sendable, Hashable {
        /// What they publish for everybody is paid where they do not answer, or do not want to be paid privately.
        case preferred
        /// Nothing is paid but what was agreed on privately.
        case only
    }

    let identity: ChannelIdentity
    let streams: any StreamTransport
    let receipts: any ReceiptStore
    /// What becomes of payees who cannot be asked.
    public let use: Use
    /// The chain that the payer's settler is on; invoices of another one are not taken.
    public let chain: PaykitEndpointCheck.Network
    /// How long a payee is waited for, for each message.
    public let timeout: Duration

    /// Creates the means for private payments.
    ///
    /// - Parameters:
    ///   - payer: who pays: payees learn the public half.
    ///   - device: what tells the payer's devices apart, at least 16 bytes; nil for what the vendor's library gives
    ///     all.
    ///   - streams: the way to payees, such as `TCPTransport()` of `PaymentTransport`.
    ///   - receipts: keeps what was agreed on and what proves it, over restarts; one that all who pay in this name
    ///     share.
    ///   - use: what becomes of payees who cannot be asked.
    ///   - chain: the chain that the payer's settler is on.
    ///   - timeout: how long a payee is waited for, for each message.
    /// - Throws: ``PaykitNetworkError`` when no channel's key can be made of the payer's.
    public init(
        as payer: PubkyKeyPair, device: [UInt8]? = nil, over streams: any StreamTransport,
        receipts: any ReceiptStore, use: Use = .preferred, chain: PaykitEndpointCheck.Network = .mainnet,
        timeout: Duration = .seconds(30)
    ) throws(PaykitNetworkError) {
        identity = try ChannelIdentity(payer, device: device ?? ChannelIdentity.unnamed)
        self.streams = streams
        self.receipts = receipts
        self.use = use
        self.chain = chain
        self.timeout = timeout
    }

    /// Who pays.
    public var payer: PubkyKey { identity.owner.publicKey }

    /// What asks payees, and tells them.
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
