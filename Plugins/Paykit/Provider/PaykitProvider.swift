public import PaymentCore
import PaymentSettlement

/// Paykit: people are paid who publish on the Pubky network how they can be, in bitcoin.
///
/// Claims links to people (`pubky://`, `pubky<key>`, `pk:`, `paykit:<key>`), single invoices (`paykit:invoice?…`),
/// requests over the user's own private links (``PaykitRequestURL``) and links that ask for authorisation, which cannot
/// be paid. A bare key begins like nothing in particular: it is claimed where the router's readers of payment standards
/// know it for a key, and for nothing else. The payer needs a settler, and where nothing says how much, an amount
/// chooser.
///
/// Somebody's key is no single payment: whoever pays it again pays again, but not by an invoice that was paid before.
/// An invoice is paid once.
public struct PaykitProvider: SettlingProvider, PayeeProvider, ReusableReferenceProvider, PayeeNotifyingProvider {
    /// `paykit`.
    public static let id: ProviderID = "paykit"

    private let id: ProviderID
    private let network: PubkyNetwork
    private let reader: any InstructionReader
    private let callbacks: [String]
    private let dht: DHTWay?
    private let privately: PaykitChannelPayments?
    private let links: PaykitLinkPayments?

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: another one for each network and each user in one registry or journal, and the same for ever.
    ///   - network: where the Pubky network is entered.
    ///   - reader: reads the endpoints that people publish, with their checksums and signatures: `StandardsReader()`.
    ///     What it does not read is not paid.
    ///   - callbacks: the application's own URLs by which key managers come back to it. They say nothing about
    ///     payments.
    ///   - datagrams: the way to the DHT that `network` describes, such as `UDPTransport()`. Without it only relays are
    ///     asked, and a payee whom none of them knows, or whom none can be asked about, is not found. Keep the
    ///     provider: it learns whom to ask.
    ///   - privately: with which payees who can be spoken to are asked for an invoice of their own; nil pays what they
    ///     publish for everybody.
    ///   - links: with which requests over private links are paid; nil for not at all.
    public init(
        id: ProviderID = PaykitProvider.id, network: PubkyNetwork, reader: any InstructionReader,
        callbacks: [String] = [], datagrams: (any DatagramTransport)? = nil, privately: PaykitChannelPayments? = nil,
        links: PaykitLinkPayments? = nil
    ) {
        self.links = links
        self.id = id
        self.network = network
        self.reader = reader
        self.callbacks = callbacks
        dht = datagrams.map { DHTWay($0) }
        self.privately = privately
    }

    /// Who the provider is and what it claims. People choose their homeservers, so every named host may be called.
    public var descriptor: ProviderDescriptor {
        ProviderDescriptor(
            id: id, name: "Paykit",
            patterns: ["pubky", "pk", "pip", "paykit", "pubkyauth", "pubkyring"].map { .scheme($0) }
                + [.textPrefix("pubky"), .standard("pubky")] + callbacks.map { .returnURL($0) },
            outboundHosts: network.outboundHosts)
    }

    /// Recognises links to people and invoices. What cannot be paid is unverified, with the reason.
    public func recognize(_ link: PaymentLink) -> LinkMatch? { PayableLink.match(link, reader, callbacks) }

    /// Returns whom an option pays: the key of somebody who was paid by a link to them.
    public func payee(of option: PaymentMethodOption) -> String? { SettlementFlow.payee(of: option) }

    /// Refuses to take an attempt for one at what `link` asks for when it was about something else.
    ///
    /// - Throws: ``PaymentError/Code/integrity``.
    public func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError) {
        guard case .invoice(let endpoint)? = try? PaykitLink.read(link) else { return }
        try SettlementFlow.distinguish(EndpointOffers.offers(of: endpoint, reader), from: attempt)
    }

    /// Looks up how somebody can be paid, or reads the invoice of the link. Names and pictures are the payee's own
    /// text: nobody vouches for them.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote {
        try await flow(context).quote(request)
    }

    /// Reads the endpoint again, compares it with what the payer chose, and has the payer's settler pay it, once. A
    /// payee who is paid privately is asked for the endpoint before, and told afterwards.
    ///
    /// - Throws: ``PaymentError``; with phase `maybeSent` the settler may have paid.
    public func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        if let request = RoutedRequest(attempt.option) {
            return try await flow(context).requests().pay(attempt, request)
        }
        guard let order = ChannelOrder(attempt.option) else {
            return try await SettlementFlow.pay(attempt, reader, in: context)
        }
        return try await flow(context).privateFlow.pay(attempt, order)
    }

    /// Keeps the proof of a request's payment once more where it was lost with what is kept of the link, so that it is
    /// sent.
    package func notifyPayee(
        _ receipt: PaymentReceipt, of attempt: PaymentAttempt, in context: ProviderContext
    ) async throws {
        guard let request = RoutedRequest(attempt.option) else { return }
        try await flow(context).requests().notifyPayee(receipt, of: attempt, request)
    }

    /// Tells payees once more of what was paid privately and they have not confirmed yet, as they may have been away.
    /// It is paid without that; call it when the application starts, or from time to time.
    ///
    /// - Parameters:
    ///   - transport: the way to homeservers.
    ///   - clock: time.
    ///   - random: makes the channels' keys.
    ///   - limit: how many payments are told of at most, the latest first.
    /// - Returns: how many were confirmed now; none without the means for private payments.
    /// - Throws: ``PaykitNetworkError`` when the receipts cannot be read.
    @discardableResult
    public func confirmPayments(
        over transport: any HTTPTransport, clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), atMost limit: Int = 20
    ) async throws(PaykitNetworkError) -> Int {
        guard let privately else { return 0 }
        let directory = PaymentFlow.directory(network, over: transport, dht, clock: clock, random: random)
        return try await privately.checkout(directory, network, clock: clock, random: random).confirmAll(atMost: limit)
    }

    private func flow(_ context: ProviderContext) -> PaymentFlow {
        PaymentFlow(network, dht: dht, reader: reader, id: id, in: context, privately: privately, links: links)
    }
}

extension PubkyNetwork {
    /// The hosts that providers of this network call.
    var outboundHosts: [String] {
        var hosts = relays.map(\.authority) + [OutboundHosts.anyNamedHost]
        // A homeserver on this machine shares the relay's port, as in a sandbox.
        if allowsLocalHomeservers { hosts += relays.filter(\.isLoopback).map { "localhost:\($0.port)" } }
        var seen: Set<String> = []
        return hosts.filter { seen.insert($0).inserted }
    }
}
