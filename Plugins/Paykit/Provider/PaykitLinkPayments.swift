public import PaymentCore

/// What a ``PaykitProvider`` needs to pay what is asked for over private links of today (Protocol 12.9): whose links
/// they are, and where they are kept.
///
/// ```swift
/// let links = try PaykitLinkPayments(as: user, receiver: receiver, secret: secret, store: store)
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), links: links)
/// ```
///
/// A request is paid once, by whichever of the programs that share the store: which endpoint it goes to, and by which
/// name the payer's settler knows it, is kept there before the settler is asked, and what it says in one step with the
/// message that proves it to the payee. Nothing is sent here: whoever polls the link sends it.
public struct PaykitLinkPayments: Sendable {
    let user: PubkyKey
    let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let store: any SealedStateStore
    /// The chain that the payer's settler is on; endpoints of another one are not paid.
    public let chain: PaykitEndpointCheck.Network

    /// Creates the means for paying requests.
    ///
    /// - Parameters:
    ///   - user: who pays.
    ///   - receiver: the app of theirs that has the links.
    ///   - secret: the app's secret for links: 32 bytes.
    ///   - store: what is kept of the links; the same that they are polled with.
    ///   - chain: the chain that the payer's settler is on.
    /// - Throws: ``PaykitNetworkError`` when the secret is none.
    public init(
        as user: PubkyKey, receiver: PaykitReceiverPath, secret: Redacted<[UInt8]>, store: any SealedStateStore,
        chain: PaykitEndpointCheck.Network = .mainnet
    ) throws(PaykitNetworkError) {
        do { keys = try PrivateLinkKeys(secret: secret) } catch {
            throw PaykitNetworkError(.validationFailed, "the secret of an app's private links has 32 bytes")
        }
        self.user = user
        self.receiver = receiver
        self.store = store
        self.chain = chain
    }

    /// What reads and changes what is kept.
    func flow(_ reader: PubkyReader, clock: any PaymentClock, random: any RandomSource) -> PrivateLinkFlow {
        PrivateLinkFlow(user, as: receiver, keys, reader, store: store, clock: clock, random: random)
    }
}
