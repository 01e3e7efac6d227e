import PaymentSettlement

/// Pays users of the Pubky network in bitcoin, by the Paykit endpoints that they publish.
///
/// Claims links to users (`pubky://`, `pubky<key>`, `pk:`, `paykit:<key>`), single invoices (`paykit:invoice?…`),
/// requests over the user's own private links (``PaykitRequestURL``) and authorisation links, which cannot be paid. A
/// bare key has no prefix: it is claimed only if the router's readers of payment standards recognise it as a key. The
/// payer needs a settler, and an amount chooser if no amount is given.
///
/// A user's key is no single payment: paying it again makes another payment, but never by an invoice that was paid
/// before. An invoice is paid once.
public struct PaykitProvider: SettlingProvider, PayeeProvider, ReusableReferenceProvider, PayeeNotifyingProvider {
    /// The default identifier, `paykit`.
    public static let id: ProviderID = "paykit"

    private let id: ProviderID
    private let network: PubkyNetwork
    private let reader: any InstructionReader
    private let callbacks: [String]
    private let privately: PaykitChannelPayments?
    private let links: PaykitLinkPayments?

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: an identifier that never changes, and differs for each network and each user in one registry or journal.
    ///   - network: the entry points of the Pubky network. Keep it with the provider: its DHT learns which nodes to
    ///     ask.
    ///   - reader: reads the published endpoints, with their checksums and signatures: `StandardsReader()`. An endpoint
    ///     that it does not read is not paid.
    ///   - callbacks: the application's own URLs that key managers open. They say nothing about payments.
    ///   - privately: the means to ask payees with a private endpoint for an invoice over a private channel; nil pays
    ///     their public endpoints.
    ///   - links: the means to pay requests over private links; nil rejects these requests.
    public init(
        id: ProviderID = PaykitProvider.id, network: PubkyNetwork, reader: any InstructionReader,
        callbacks: [String] = [], privately: PaykitChannelPayments? = nil, links: PaykitLinkPayments? = nil
    ) {
        self.links = links
        self.id = id
        self.network = network
        self.reader = reader
        self.callbacks = callbacks
        self.privately = privately
    }

    /// The provider's identity and patterns. Users choose their homeservers, so every named host may be called.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Paykit",
            patterns: ["pubky", "pk", "pip", "paykit", "pubkyauth", "pubkyring", "slashpay", "slash"].map {
                .scheme($0)
            } + [.textPrefix("pubky"), .standard("pubky")] + callbacks.map { .returnURL($0) },
            outboundHosts: network.outboundHosts)
    }

    /// Recognises links to users and invoices. A link that cannot be paid is unverified, with the reason.
    public func recognize(_ link: PaymentLink) -> LinkMatch? { PayableLink.match(link, reader, callbacks) }

    /// Returns the payee of an option: the key of a user that was paid by a link to them.
    public func payee(of option: PaymentMethodOption) -> String? { SettlementFlow.payee(of: option) }

    /// Rejects an attempt that pays for something else than `link` asks for.
    ///
    /// - Throws: ``PaymentError/Code/integrity``.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        guard case .invoice(let endpoint)? = try? PaykitLink.read(link) else { return }
        try SettlementFlow.distinguish(EndpointOffers.offers(of: endpoint, reader), from: attempt)
    }

    /// Looks up the endpoints of a user, or reads the link's invoice. Names and pictures are unverified claims.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        var quote = try await flow(context).quote(request)
        if let name = PaykitSubscription.name(in: request.link) {
            quote.options = try quote.options.map { option in
                guard var order = ChannelOrder(option) else { return option }
                order.subscription = name
                return try order.placed(in: option)
            }
        }
        return quote
    }

    /// Reads the endpoint again, compares it with the payer's choice, and has the payer's settler pay it, once. A payee
    /// over a private channel is asked for the endpoint before, and notified afterwards.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the settler may have paid.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        if let request = RoutedRequest(attempt.option) {
            return try await flow(context).requests().pay(attempt, request)
        }
        if let order = ListedOrder(attempt.option) { return try await flow(context).pay(attempt, order) }
        guard let order = ChannelOrder(attempt.option) else {
            return try await SettlementFlow.pay(attempt, reader, in: context)
        }
        return try await flow(context).privateFlow.pay(attempt, order)
    }

    /// Stores the proof of a request's payment again if it was lost with the state of the link. It is then sent.
    package func notifyPayee(
        _ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext
    ) async throws {
        guard let request = RoutedRequest(attempt.option) else { return }
        try await flow(context).requests().notifyPayee(receipt, of: attempt, request)
    }

    /// Notifies payees again of private payments that they have not confirmed yet, as they may have been offline. The
    /// payments are complete without it. Call it when the application starts, or from time to time.
    ///
    /// - Parameters:
    ///   - transport: the HTTP client for homeservers.
    ///   - clock: the source of time.
    ///   - random: the source of the channels' keys.
    ///   - limit: the greatest number of payments to notify of, the latest first.
    /// - Returns: the number of payments confirmed now; zero without the means for private payments.
    /// - Throws: ``PaykitNetworkError`` when the receipts cannot be read.
    @discardableResult
    public func confirmPayments(
        over transport: any HTTPTransport, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), atMost limit: Int = 20
    ) async throws(PaykitNetworkError) -> Int {
        guard let privately else { return 0 }
        let directory = PaymentFlow.directory(network, over: transport, links?.store, clock: clock)
        return try await privately.checkout(directory, network, clock: clock, random: random).confirmAll(atMost: limit)
    }

    private func flow(_ context: ProviderContext) -> PaymentFlow {
        PaymentFlow(network, reader: reader, id: id, in: context, privately: privately, links: links)
    }
}

extension PubkyNetwork {
    var outboundHosts: [String] {
        var hosts = relays.map(\.authority) + [OutboundHosts.anyNamedHost]
        // A homeserver on this machine shares the relay's port, as in a sandbox.
        if allowsLocalHomeservers { hosts += relays.filter(\.isLoopback).map { "localhost:\($0.port)" } }
        var seen: Set<String> = []
        return hosts.filter { seen.insert($0).inserted }
    }
}

/// The payer's key, connections and a store of receipts, for a ``PaykitProvider`` that pays over private channels.
///
/// A payee with a published private endpoint is asked there for an invoice that only both parties see, over an
/// encrypted channel. The invoice is checked and paid in a durable step, the proof is sent to the payee, and the
/// receipt is kept. The payee's homeserver decides which endpoint is contacted, and the payee learns the payer's key.
///
/// ```swift
/// let privately = try PaykitChannelPayments(
///     as: keyPair, over: TCPTransport(), store: try SQLiteRecords(path: path))
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), privately: privately)
/// ```
public struct PaykitChannelPayments: Sendable {
    /// The rule for payees that cannot be asked.
    @nonexhaustive
    public enum Use: Sendable, Hashable {
        /// Public endpoints are paid if payees do not answer, or decline a private payment.
        case preferred
        /// Only endpoints that were agreed on privately are paid.
        case only
    }

    /// The id of the option that is paid over a channel. Other options have the names of their methods.
    public static let optionID: PaymentMethodOption.ID = "private-lightning"

    let identity: ChannelIdentity
    let streams: any StreamTransport
    let receipts: Receipts
    /// The rule for payees that cannot be asked.
    public let use: Use
    /// The chain of the payer's settler. Invoices of another chain are rejected.
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
    ///   - store: keeps the receipts, with agreements and proofs, across restarts: one store that all programs of this
    ///     payer share.
    ///   - use: the rule for payees that cannot be asked.
    ///   - chain: the chain of the payer's settler.
    ///   - timeout: the longest wait for a payee's message, for each message.
    /// - Throws: ``PaykitNetworkError`` when no channel key can be derived from the payer's key.
    public init(
        as payer: PubkyKeyPair, device: [UInt8]? = nil, over streams: any StreamTransport, store: any RecordStore,
        use: Use = .preferred, chain: PaykitEndpointCheck.Network = .mainnet, timeout: Duration = .seconds(30)
    ) throws(PaykitNetworkError) {
        identity = try ChannelIdentity(payer, device: device ?? ChannelIdentity.unnamed)
        self.streams = streams
        receipts = Receipts(store)
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

/// The owner, the keys and the store of private links, for a ``PaykitProvider`` that pays requests over them (Protocol
/// 12.9).
///
/// ```swift
/// let links = try PaykitLinkPayments(as: user, receiver: receiver, secret: secret, store: store)
/// let provider = PaykitProvider(network: network, reader: StandardsReader(), links: links)
/// ```
///
/// A request is paid once, whichever of the programs that share the store pays it. The chosen endpoint and the
/// settler's name for the payment are stored before the settler is asked. Its answer is stored in one step with the
/// message that proves the payment to the payee. Nothing is sent here: the program that polls the link sends it.
public struct PaykitLinkPayments: Sendable {
    let user: PubkyKey
    package let receiver: PaykitReceiverPath
    let keys: PrivateLinkKeys
    let store: any RecordStore
    /// The chain of the payer's settler. Endpoints of another chain are not paid.
    public let chain: PaykitEndpointCheck.Network

    /// Creates the means for paying requests.
    ///
    /// - Parameters:
    ///   - user: the payer.
    ///   - receiver: the payer's app that has the links.
    ///   - secret: the app's secret for links: 32 bytes.
    ///   - store: the stored state of the links: the same store that the links are polled with.
    ///   - chain: the chain of the payer's settler.
    /// - Throws: ``PaykitNetworkError`` when the secret has another length.
    public init(
        as user: PubkyKey, receiver: PaykitReceiverPath, secret: Redacted<[UInt8]>, store: any RecordStore,
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
