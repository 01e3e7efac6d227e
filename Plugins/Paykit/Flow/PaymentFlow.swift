import PaymentCore

/// Quotes for payments to somebody on the network, and for single invoices (Protocol 4).
struct PaymentFlow: Sendable {
    private let reader: any InstructionReader
    private let id: ProviderID
    private let context: ProviderContext
    private let published: PublishedEndpoints
    private let people: PubkyPeople

    /// - Parameter datagrams: the way to the DHT; without it only relays are asked.
    init(
        _ network: PubkyNetwork, _ datagrams: (any DatagramTransport)?, _ reader: any InstructionReader,
        _ id: ProviderID,
        _ context: ProviderContext
    ) {
        self.reader = reader
        self.id = id
        self.context = context
        let pkarr = PkarrClient(
            network, http: context.http, datagrams: datagrams, clock: context.clock, random: context.random)
        let pubky = PubkyReader(
            HomeserverLocator(pkarr, allowsLocal: network.allowsLocalHomeservers), over: context.http)
        published = PublishedEndpoints(pubky)
        people = PubkyPeople(pubky)
    }

    func quote(_ request: QuoteRequest) async throws -> PaymentQuote {
        switch try? PaykitLink.read(request.link) {
        case .payee(let key): return try await quote(request, to: key)
        case .invoice(let endpoint):
            let offers = EndpointOffers.offers(of: endpoint, reader)
            return try await quote(
                request, payee: Payee(name: "whoever made this \(endpoint.methodID) endpoint"),
                offers.map { (endpoint.methodID, $0) })
        case .request:
            throw PaymentError(
                .unsupported,
                "this asks for what a payment request says, which its sender keeps for the payer alone; such requests "
                    + "are not read yet: ask the sender for an invoice", provider: id)
        default: throw PaymentError(.notAPayment, "the link does not ask for a payment", provider: id)
        }
    }

    private func quote(_ request: QuoteRequest, to key: PubkyKey) async throws -> PaymentQuote {
        let endpoints: [PaykitEndpoint]
        do { endpoints = try await published.endpoints(of: key) } catch { throw PaymentError(error, provider: id) }
        guard !endpoints.isEmpty else {
            throw PaymentError(
                .unusableOption, "\(key) publishes no way to be paid; ask them for an invoice", provider: id,
                phase: .answered, retry: .later)
        }
        // A missing or odd profile keeps nobody from being paid.
        let profile = try? await people.profile(of: key)
        let payee = Payee(key, profile)
        let offers = endpoints.sorted { Self.place($0) < Self.place($1) }.flatMap { endpoint in
            EndpointOffers.offers(of: endpoint, reader).map { (endpoint.methodID, $0) }
        }
        guard !offers.isEmpty else {
            throw PaymentError(
                .unusableOption,
                "nothing that \(key) publishes is sound and of a kind that is known (\(Self.names(endpoints))); ask them to "
                    + "publish it again", provider: id, phase: .answered, retry: .later)
        }
        return try await quote(request, payee: payee, offers)
    }

    /// One option for each way: called by its method, and by a number where a method has several.
    private func quote(
        _ request: QuoteRequest, payee: Payee, _ offers: [(method: String, offer: SettlementOffer)]
    ) async throws -> PaymentQuote {
        var seen: [String: Int] = [:]
        let named = offers.map { method, offer in
            seen[method, default: 0] += 1
            let number = seen[method] ?? 1
            let title =
                switch offer.endpoint.kind {
                case .bitcoinAddress: "Bitcoin, on the chain"
                default: "Bitcoin, over Lightning"
                }
            return (id: number == 1 ? method : "\(method)-\(number)", title: title, offer: offer)
        }
        return try await SettlementFlow.quote(
            named, of: request.reference, payee: payee,
            payeeID: request.match.namesPayee ? request.match.reference : nil, in: context)
    }

    /// The usual order, then by name.
    private static func place(_ endpoint: PaykitEndpoint) -> (Int, String) {
        let index = SmartCheckout.usualOrder.firstIndex(of: endpoint.methodID)
        return (index ?? SmartCheckout.usualOrder.count, endpoint.methodID)
    }

    private static func names(_ endpoints: [PaykitEndpoint]) -> String {
        endpoints.map(\.methodID).prefix(5).joined(separator: ", ")
    }
}

extension Payee {
    /// The name and picture that somebody gives themselves, as they may be shown, with their key.
    fileprivate init(_ key: PubkyKey, _ profile: PubkyPeople.Profile?) {
        self.init(
            claiming: profile?.name, knownAs: "\(key.text.prefix(8))…\(key.text.suffix(4))",
            else: "somebody without a name", iconURL: profile?.image.flatMap(Self.picture), id: key.text)
    }

    /// Only what is fetched encrypted from elsewhere can be shown.
    private static func picture(_ url: String) -> String? {
        guard let address = try? HTTPURL(url), address.isSecure, !address.isLoopback else { return nil }
        return address.text
    }
}

extension PaymentError {
    /// What was not found or read about a payee. Nothing was sent.
    init(_ failure: PaykitFailure, provider: ProviderID) {
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
            retry: failure.retryAfter.map { .after($0) } ?? .never)
    }
}
