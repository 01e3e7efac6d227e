import PaymentSettlement

/// Quotes payments to users of the network, and single invoices (Protocol 4).
struct PaymentFlow: Sendable {
    let reader: any InstructionReader
    let id: ProviderID
    let context: ProviderContext
    let directory: PaykitDirectory
    private let endpoints: PublishedEndpoints
    private let people: PubkyPeople
    private let network: PubkyNetwork
    let privately: PaykitChannelPayments?
    let links: PaykitLinkPayments?

    init(
        _ network: PubkyNetwork, reader: any InstructionReader, id: ProviderID, in context: ProviderContext,
        privately: PaykitChannelPayments?, links: PaykitLinkPayments?
    ) {
        self.links = links
        self.network = network
        self.privately = privately
        self.reader = reader
        self.id = id
        self.context = context
        directory = Self.directory(network, over: context.http, links?.store, clock: context.clock)
        endpoints = PublishedEndpoints(directory.reader)
        people = PubkyPeople(directory.reader)
    }

    /// Returns the directory that reads users' endpoints. `store` stores the times of packets, so that no older packet
    /// is used.
    static func directory(
        _ network: PubkyNetwork, over http: any HTTPTransport, _ store: (any RecordStore)?, clock: any PaymentClock
    ) -> PaykitDirectory {
        let pkarr = PkarrClient(
            relays: network.relays, http: http, dht: network.dht, times: store.map { StoredPacketTimes($0) },
            clock: clock)
        let names = network.dht.map { dht -> HomeserverLocator.Names in { await dht.addresses(of: $0) } }
        return PaykitDirectory(
            PubkyReader(
                HomeserverLocator(pkarr, allowsLocal: network.allowsLocalHomeservers, names: names), over: http))
    }

    func quote(_ request: QuoteRequest) async throws -> ProviderQuote {
        switch try? PaykitLink.read(request.link) {
        case .payee(let key): return try await quote(request, to: key)
        case .invoice(let endpoint):
            let offers = EndpointOffers.offers(of: endpoint, reader)
            return try await quote(
                request, payee: Payee(name: "the creator of this \(endpoint.methodID) endpoint"),
                offers.map { (endpoint, $0) })
        case .privateRequest(let link): return try await requests().quote(request, link)
        case .request(let name, let sender): return try await quote(request, named: name, from: sender)
        default: throw PaymentError(.notAPayment, "the link does not ask for a payment", provider: id)
        }
    }

    var privateFlow: ChannelFlow {
        ChannelFlow(
            settings: privately,
            checkout: privately?.checkout(directory, network, clock: context.clock, random: context.random),
            reader: reader, provider: id, context: context)
    }

    /// Returns the flow of payments for requests over private links. Throws ``PaymentError`` if no links are
    /// configured.
    func requests() throws(PaymentError) -> RequestFlow {
        guard let links else {
            throw PaymentError(
                .unsupported,
                "this is a request over a private link, and there is none here: register the provider with the link's app",
                provider: id)
        }
        let flow = links.flow(directory.reader, clock: context.clock, random: context.random)
        return RequestFlow(settings: links, links: flow, reader: reader, provider: id, context: context)
    }

    // MARK: Users

    private func quote(_ request: QuoteRequest, to key: PubkyKey) async throws -> ProviderQuote {
        let listed = await listed(by: key)
        let isPrivate: Bool
        do { isPrivate = try await canBeAsked(key) } catch {
            // A list that was sent over a private link is private, too.
            guard listed != nil else { throw PaymentError(error, provider: id) }
            isPrivate = false
        }
        let (offers, apps) = try await published(by: key, orNone: isPrivate || listed != nil)
        // A missing or malformed profile does not prevent a payment.
        let profile = try? await people.profile(of: key)
        let payee = Payee(key, profile)
        let shown = privately?.use == .only ? [] : offers
        guard isPrivate, let privately else {
            return try await self.quote(request, payee: payee, shown, of: apps, listed: listed)
        }
        var quote = try await self.quote(
            request, payee: payee, shown, of: apps, listed: listed, before: privateOffer(privately, offers))
        quote.options = try quote.options.map { option in
            guard option.id == PaykitChannelPayments.optionID else { return option }
            // No app is chosen here.
            let fallback =
                apps.isEmpty
                ? shown.first {
                    $0.endpoint.methodID == Self.privateMethod && $0.offer.takes(option.amount)
                        && context.payer.canFulfil(
                            .settlement($0.offer.endpoint.kind, network: $0.offer.endpoint.network))
                } : nil
            return try ChannelOrder(
                payee: key, method: Self.privateMethod, fallback: fallback?.offer.endpoint
            ).placed(in: option.with(providerData: ["payee": .string(key.text)]))
        }
        return quote
    }

    /// Only an invoice belongs to one payment and proves by itself that it was paid.
    private static let privateMethod = "lightning"

    /// Returns true if the user publishes a private endpoint that can be connected to. Throws ``PaykitNetworkError``
    /// instead of returning false if only private payments are allowed.
    private func canBeAsked(_ key: PubkyKey) async throws(PaykitNetworkError) -> Bool {
        guard let privately, key != privately.payer else { return false }
        let isOnly = privately.use == .only
        let place: PaykitNoiseEndpoint?
        do throws(PaykitNetworkError) { place = try await directory.noiseEndpoint(of: key) } catch {
            guard !isOnly else { throw error }
            return false
        }
        guard let place, place.isConnectable else {
            guard !isOnly else {
                throw PaykitNetworkError(
                    .methodNotSupported,
                    "\(key) cannot be paid privately: they publish no address for private channels; pay their "
                        + "public endpoints, or ask them for an invoice")
            }
            return false
        }
        return true
    }

    /// Returns the offer of a private payment, with an invoice's amount if the payer has no amount chooser.
    private func privateOffer(_ privately: PaykitChannelPayments, _ offers: [EndpointOffers.Offer]) -> SettlementOffer {
        var amount = PaymentInstruction.Amount.open
        if context.payer.amountChooser == nil {
            for case .fixed(let money) in offers.map(\.offer.amount) where money.exponent == Currency.satoshi.exponent {
                amount = .fixed(money)
                break
            }
        }
        // The payee names the invoice when asked.
        let endpoint = SettlementEndpoint(.bolt11, text: "", network: privately.chain.rawValue)
        return SettlementOffer(endpoint: endpoint, amount: amount, expiresAt: nil)
    }

    /// Returns the public endpoints of a user, best first. `isOptional` is true if an empty result is acceptable.
    /// Returns the endpoints, and the app of each if several apps publish some: then the payer has to choose.
    func published(
        by key: PubkyKey, orNone isOptional: Bool
    ) async throws -> (offers: [EndpointOffers.Offer], apps: [PaykitEndpoint: PaykitReceiverPath]) {
        let published: [ReceiverDirectory.Offer]
        do { published = try await self.endpoints.offers(of: key) } catch {
            guard !isOptional else { return ([], [:]) }
            throw PaymentError(error, provider: id)
        }
        let isChoice = published.count > 1
        // Any app that the payee has let in may be one of them, so none is chosen automatically.
        guard !isChoice || context.payer.chooser != nil else {
            guard !isOptional else { return ([], [:]) }
            throw PaymentError(
                .unusableOption,
                "\(key) is paid through several apps (\(ReceiverDirectory.names(published))): let the payer choose one, by a "
                    + "chooser, or ask the payee for an invoice", provider: id, phase: .answered)
        }
        let endpoints = published.flatMap(\.endpoints)
        var apps: [PaykitEndpoint: PaykitReceiverPath] = [:]
        if isChoice { for offer in published { for endpoint in offer.endpoints { apps[endpoint] = offer.receiver } } }
        guard isOptional || !endpoints.isEmpty else {
            throw PaymentError(
                .unusableOption, "\(key) publishes no way to be paid; ask them for an invoice", provider: id,
                phase: .answered, retry: .later)
        }
        let offers = SmartCheckout.sorted(endpoints).flatMap { endpoint in
            EndpointOffers.offers(of: endpoint, reader).map { (endpoint, $0) }
        }
        guard isOptional || !offers.isEmpty else {
            let names = endpoints.map(\.methodID).prefix(5).joined(separator: ", ")
            throw PaymentError(
                .unusableOption,
                "nothing that \(key) publishes is sound and of a kind that is known (\(names)); ask them to publish it again",
                provider: id, phase: .answered, retry: .later)
        }
        return (offers, apps)
    }

    // MARK: Options

    /// Returns the options of published endpoints, named by their methods, and by a number if a method has several.
    /// `rest` is the end of each title, before the app's name.
    func named(
        _ offers: [EndpointOffers.Offer], of apps: [PaykitEndpoint: PaykitReceiverPath], _ rest: String = ""
    ) -> [(id: String, title: String, offer: SettlementOffer)] {
        var seen: [String: Int] = [:]
        return offers.map { endpoint, offer in
            let method = endpoint.methodID
            seen[method, default: 0] += 1
            let number = seen[method] ?? 1
            let app = apps[endpoint].map { ", to the app \($0)" } ?? ""
            return (number == 1 ? method : "\(method)-\(number)", offer.endpoint.title(rest) + app, offer)
        }
    }

    /// Returns a quote with one option for each offer. `privately` is the offer of the private payment, which comes
    /// first; nil for none.
    private func quote(
        _ request: QuoteRequest, payee: Payee, _ offers: [EndpointOffers.Offer],
        of apps: [PaykitEndpoint: PaykitReceiverPath] = [:],
        listed: (list: PrivateLinkFlow.UnusedList, offers: [EndpointOffers.Offer])? = nil,
        before privately: SettlementOffer? = nil
    ) async throws -> ProviderQuote {
        var named = named(offers, of: apps)
        var limited = Dictionary(zip(named.map(\.id), offers.map(\.endpoint))) { $1 }
        if let privately {
            named.removeAll { $0.id == PaykitChannelPayments.optionID }
            named.insert((PaykitChannelPayments.optionID, "Bitcoin, over Lightning, privately", privately), at: 0)
        }
        let own = (listed?.offers ?? []).map { endpoint, offer in
            (id: ListedOrder.prefix + endpoint.methodID, endpoint: endpoint, offer: offer)
        }
        let ids = Set(own.map(\.id))
        named =
            own.map { ($0.id, $0.offer.endpoint.title(", as sent to you alone"), $0.offer) }
            + named.filter { !ids.contains($0.id) }
        for one in own { limited[one.id] = one.endpoint }
        var quote = try await SettlementFlow.quote(
            named, of: request.reference, payee: payee,
            payeeID: request.match.payee, in: context)
        try keepLimits(of: limited, &quote)
        if let listed {
            quote.options = try quote.options.map { option in
                guard let one = own.first(where: { $0.id == option.id }) else { return option }
                return try ListedOrder(listed.list, one.endpoint).placed(in: option)
            }
        }
        return quote
    }

    /// Removes options whose amount is outside their owner's limits. Throws ``PaymentError`` if no option remains, with
    /// the limits of the first.
    private func keepLimits(of endpoints: [String: PaykitEndpoint], _ quote: inout ProviderQuote) throws(PaymentError) {
        var refusal: PaykitNetworkError?
        let options = quote.options.filter { option in
            do throws(PaykitNetworkError) { try endpoints[option.id]?.take(option.amount) } catch {
                refusal = refusal ?? error
                return false
            }
            return true
        }
        if options.isEmpty, let refusal {
            throw PaymentError(.unusableOption, refusal.message, provider: id, phase: .answered)
        }
        quote.options = options
    }
}

/// The data about a payment that one of its options stores, as journals keep it.
protocol StoredOrder: Codable {
    /// The key in the option's data: an on-disk contract.
    static var place: String { get }
}

extension StoredOrder {
    init?(_ option: PaymentMethodOption) {
        guard let stored = option.providerData?[Self.place], let order = try? stored.decode(Self.self) else {
            return nil
        }
        self = order
    }

    func placed(in option: PaymentMethodOption) throws -> PaymentMethodOption {
        var data = option.providerData ?? [:]
        data[Self.place] = try JSONValue.encode(self)
        return option.with(providerData: data)
    }
}

extension PaymentError {
    /// Creates an error about reading a payee's data. No payment was sent.
    init(_ failure: PaykitNetworkError, provider: ProviderID) {
        let code: Code =
            switch failure.code {
            case .transport, .connectionFailed, .connectionTimeout: .network
            case .notFound: .notFound
            case .methodNotSupported: .unusableOption
            case .rateLimited: .rateLimited
            case .auth, .sessionExpired, .invalidCredentials: .unauthorized
            case .invalidData, .validationFailed: .invalidResponse
            default: .serviceFailure
            }
        self.init(
            code, failure.message, provider: provider, phase: .answered,
            retry: failure.retryAfter.map { .after($0) } ?? .never, cause: failure)
    }
}
