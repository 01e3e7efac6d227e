/// The means with which a ``PaykitProvider`` pays requests over private links (Protocol 12.9): the owner, the keys and
/// the store of the links.
///
/// ```swift
/// let links = try PaykitLinkPayments(as: user, receiver: receiver, secret: secret, store: store)
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), links: links)
/// ```
///
/// A request is paid once, whichever of the programs that share the store pays it. The chosen endpoint and the
/// settler's name for the payment are stored before the settler is asked; its answer in one step with the message that
/// proves the payment to the payee. Nothing is sent here: the program that polls the link sends it.
public struct PaykitLinkPayments: Sendable {
    let user: PubkyKey
    package let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let store: any SealedStateStore
    /// The chain of the payer's settler; endpoints of another chain are not paid.
    public let chain: PaykitEndpointCheck.Network

    /// Creates the means for paying requests.
    ///
    /// - Parameters:
    ///   - user: the payer.
    ///   - receiver: the payer's app that has the links.
    ///   - secret: the app's secret for links: 32 bytes.
    ///   - store: the stored state of the links; the same store with which the links are polled.
    ///   - chain: the chain of the payer's settler.
    /// - Throws: ``PaykitNetworkError`` when the secret has another length.
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

    package func flow(_ reader: PubkyReader, clock: any PaymentClock, random: any RandomSource) -> PrivateLinkFlow {
        PrivateLinkFlow(user, as: receiver, keys, reader, store: store, clock: clock, random: random)
    }
}
