import PaymentSettlement

/// Pays requests over private links through a router (Protocol 12.9): the endpoints are read from the link's state, the
/// choice is stored there before the payer's settler is asked, and its result in one step with the proof.
///
/// The journal stores the progress of the attempt, the link the endpoint and the key of each payment. Either is enough
/// to pay once: two programs that share the link ask the settler by one key, and a program that lost its journal finds
/// its payment in the link.
struct RequestFlow: Sendable {
    let settings: PaykitLinkPayments
    let links: PrivateLinkFlow
    let reader: any InstructionReader
    let provider: ProviderID
    let context: ProviderContext

    var check: PaykitEndpointCheck { PaykitEndpointCheck(reader, network: settings.chain) }

    // MARK: Before anything is chosen

    func quote(_ request: QuoteRequest, _ link: PaykitRequestURL) async throws -> PaymentQuote {
        guard link.recurs == (request.period != nil) else {
            throw PaymentError(
                .notAPayment,
                link.recurs
                    ? "the request recurs, and is paid period by period: add its plan to a scheduler"
                    : "the request is for one payment, and has no periods: pay its link", provider: provider)
        }
        let period = request.period.flatMap { BillingPeriod($0) }
        let party: PrivateLinkParty
        do throws(PaykitNetworkError) { party = try links.party(link.payee, link.app) } catch {
            throw paymentError(error)
        }
        let due = try await due(link.id, period, party)
        let payee = Payee(link.payee)
        func ended(_ outcome: ServiceReport) -> PaymentQuote {
            PaymentQuote(reference: request.reference, payee: payee, amount: nil, options: [], report: outcome)
        }
        let offers: [EndpointOffers.Offer]
        switch due {
        case .paid(let proof, let amount): return ended(.succeeded(receipt(request.reference, amount, proof)))
        case .cancelled: return ended(.cancelled)
        case .expired: throw over()
        // This includes an expired endpoint: only the settler's status allows paying another one.
        case .begun(let claim): offers = [claim.endpoint].compactMap { offer($0, claim.amount, endsInTime: false) }
        case .open(let endpoints, let amount):
            offers = try await unspent(endpoints.compactMap { offer($0, amount, endsInTime: true) })
        }
        guard !offers.isEmpty else {
            throw PaymentError(
                .unusableOption,
                "nothing that the payee has sent for this can be paid: wait for their next message, or ask them for another "
                    + "invoice", provider: provider, phase: .answered, retry: .later)
        }
        var quote = try await SettlementFlow.quote(
            offers.map { ($0.endpoint.methodID, $0.offer.endpoint.title(", as asked for"), $0.offer) },
            of: request.reference, payee: payee, payeeID: link.recurs ? link.reference : nil, in: context)
        quote.options = try quote.options.map { option in
            guard let endpoint = offers.first(where: { $0.endpoint.methodID == option.id })?.endpoint else {
                return option
            }
            return try RoutedRequest(link, period, endpoint).placed(in: option)
        }
        return quote
    }

    /// Returns the error for an expired request. Only this device's clock decides; another device's may differ.
    func over() -> PaymentError {
        PaymentError(
            .unusableOption,
            "the request can be accepted no longer by this device's clock: check the clock, or ask the payee to ask again",
            provider: provider, phase: .answered)
    }

    /// Returns the offer of exactly the request's amount at an endpoint; nil where there is none.
    func offer(_ endpoint: PaykitEndpoint, _ amount: Money, endsInTime: Bool) -> EndpointOffers.Offer? {
        guard let found = EndpointOffers.offers(of: endpoint, reader).first(where: { $0.takes(amount) }) else {
            return nil
        }
        let offer = SettlementOffer(
            endpoint: found.endpoint, amount: .fixed(amount), expiresAt: endsInTime ? found.expiresAt : nil)
        return (endpoint, offer)
    }

    /// Returns the offers that were not paid before: a paid invoice would count as this payment, and no money move.
    private func unspent(_ offers: [EndpointOffers.Offer]) async throws(PaymentError) -> [EndpointOffers.Offer] {
        var found: [EndpointOffers.Offer] = []
        for one in offers {
            if try await context.payer.order(paying: one.offer.endpoint) == nil { found.append(one) }
        }
        return found
    }

    // MARK: Results

    func receipt(_ reference: PaymentReference, _ amount: Money, _ proof: PaykitProof?) -> PaymentReceipt {
        let text: String? =
            switch proof {
            case .preimage(let preimage, _): preimage
            case .transaction(let id): id
            case .other, nil: nil
            }
        return PaymentReceipt(reference: reference, amount: amount, transactionID: text)
    }

    /// Maps a link's failure to a router's error. Nothing was sent then.
    func paymentError(_ failure: PaykitNetworkError) -> PaymentError {
        switch failure.code {
        case .storage: PaymentError(.journal, failure.message, provider: provider, retry: .later)
        // After a loss of state the payee sends its requests again.
        case .notFound, .notInitialized:
            PaymentError(.notFound, failure.message, provider: provider, phase: .answered, retry: .later)
        case .paymentRejected, .validationFailed:
            PaymentError(.unusableOption, failure.message, provider: provider, phase: .answered)
        case .methodNotSupported, .paymentInDoubt:
            PaymentError(.unusableOption, failure.message, provider: provider, phase: .answered, retry: .later)
        default: PaymentError(failure, provider: provider)
        }
    }
}
