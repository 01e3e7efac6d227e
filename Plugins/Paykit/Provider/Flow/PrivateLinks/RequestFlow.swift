import PaymentSettlement

/// Pays requests over private links through a router (Protocol 12.9). The endpoints are read from the link's state. The
/// choice is stored there before the payer's settler is asked, and the result is stored in one step with the proof.
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

    // MARK: Quoting

    func quote(_ request: QuoteRequest, _ link: PaykitRequestURL) async throws -> ProviderQuote {
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
        func ended(_ outcome: ServiceReport) -> ProviderQuote {
            ProviderQuote(reference: request.reference, payee: payee, amount: nil, options: [], report: outcome)
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

    /// Returns the offer of exactly the request's amount at an endpoint; nil if there is none.
    func offer(_ endpoint: PaykitEndpoint, _ amount: Money, endsInTime: Bool) -> EndpointOffers.Offer? {
        guard let found = EndpointOffers.offers(of: endpoint, reader).first(where: { $0.takes(amount) }) else {
            return nil
        }
        let offer = SettlementOffer(
            endpoint: found.endpoint, amount: .fixed(amount), expiresAt: endsInTime ? found.expiresAt : nil)
        return (endpoint, offer)
    }

    /// Returns the offers that were not paid before: a paid invoice would count as this payment, and no money would
    /// move.
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

// MARK: - Paying

extension RequestFlow {
    /// The step that gives a payment its name at the settler: an on-disk contract.
    private static let step = "claim"

    /// The settler's key of the payment, as the attempt stores it.
    private struct Name: Codable, Sendable {
        let key: String
        let number: Int
    }

    private enum Status {
        case begun(PrivateLinkClaim)
        case ended(ServiceReport)
    }

    /// Pays the chosen option, once: records the payment in the link's state, has the settler pay, and stores the proof
    /// for sending.
    func pay(_ attempt: PaymentAttempt, _ order: RoutedRequest) async throws -> ServiceReport {
        guard let (endpoint, party) = try place(of: order, attempt) else {
            throw PaymentError(
                .integrity, "the endpoint does not ask for what was chosen; nothing is handed to the settler",
                provider: provider)
        }
        var claim: PrivateLinkClaim?
        // Once the settler may have been asked, only its status counts, whatever the payee has sent since.
        if await !context.hasRun(SettlementFlow.step) {
            switch try await begin(attempt, order, party) {
            case .begun(let begun): claim = begun
            case .ended(let outcome): return outcome
            }
        }
        let name = try await context.step(Self.step, .query) { [claim] in
            guard let claim else {
                throw PaymentError(.integrity, "the attempt has lost its payment's name", provider: provider)
            }
            return Name(key: claim.key, number: claim.number)
        }
        // Another program has received the settler's final status for the attempt's key.
        if let claim, claim.number != name.number { throw changed() }
        let own = self.claim(order, attempt, party, number: name.number)
        let (outcome, paid) = try await SettlementFlow.settle(attempt.known(by: name.key), to: endpoint, in: context) {
            try await handOver(own)
        }
        switch outcome {
        case .succeeded(let receipt): try await keep(receipt.transactionID ?? "", at: paid, own)
        case .declined:
            // If this cannot be stored, the settler is asked by the same key the next time, and gives the same answer.
            do throws(PaykitNetworkError) { try await links.failed(own) } catch { context.log(error.message) }
            // In this case it was not the settler that refused.
            if case .cancelled? = try? await links.due(own.requestID, period: own.period, party, check) {
                return .cancelled
            }
        default: break
        }
        return outcome
    }

    /// Stores a paid attempt's proof again if it was lost with the link's state.
    func notifyPayee(_ receipt: PaymentReceipt, of attempt: PaymentAttempt, _ order: RoutedRequest) async throws {
        guard let text = receipt.transactionID, let (chosen, party) = try place(of: order, attempt) else { return }
        // Its proof was checked when it was paid, and may be of an earlier endpoint of the same name.
        let endpoint = SettlementEndpoint(chosen.kind, text: chosen.text, network: chosen.network)
        try await keep(text, at: endpoint, claim(order, attempt, party, number: 0))
    }

    private func claim(
        _ order: RoutedRequest, _ attempt: PaymentAttempt, _ party: PrivateLinkParty, number: Int
    ) -> PrivateLinkClaim {
        PrivateLinkClaim(
            party: party, requestID: order.id, period: order.period, amount: attempt.option.amount,
            endpoint: order.endpoint, number: number, isOpen: true)
    }

    /// Makes the last check before the settler is asked. A claim that is over is abandoned at the settler, so that no
    /// program has it paid.
    private func handOver(_ claim: PrivateLinkClaim) async throws {
        let isGranted: Bool
        do throws(PaykitNetworkError) { isGranted = try await links.handOver(claim) } catch {
            throw paymentError(error)
        }
        guard !isGranted else { return }
        if case .paid = try await abandon(claim) {
            throw PaymentError(
                .unusableOption, "another app that shares this private link has paid the request: resume the attempt",
                provider: provider, phase: .maybeSent, retry: .later)
        }
        throw PaymentError(
            .notSettled,
            "the settler was not asked: the request was cancelled, or another app that shares this private link pays it by "
                + "another try", provider: provider)
    }

    /// Begins the payment, unless that was done before or is no longer allowed.
    private func begin(
        _ attempt: PaymentAttempt, _ order: RoutedRequest, _ party: PrivateLinkParty
    ) async throws -> Status {
        var due: PrivateLinkDue
        do throws(PaykitNetworkError) {
            due = try await links.claim(order.id, period: order.period, at: order.endpoint, party, check)
        } catch { throw paymentError(error) }
        // Nothing is stored of a payment that was lost with the link's state, and another program may still make it.
        if case .cancelled = due { due = try await self.due(order.id, order.period, party) }
        switch due {
        case .begun(let claim):
            guard claim.endpoint == order.endpoint, claim.amount == attempt.option.amount else { throw changed() }
            return .begun(claim)
        case .paid(let proof, let amount): return .ended(.succeeded(receipt(attempt.reference, amount, proof)))
        case .cancelled: return .ended(.cancelled)
        case .expired: throw over()
        case .open: throw changed()
        }
    }

    /// Returns the endpoint and the link of an attempt; nil if the endpoint does not match the chosen option.
    private func place(
        of order: RoutedRequest, _ attempt: PaymentAttempt
    ) throws(PaymentError) -> (SettlementEndpoint, PrivateLinkParty)? {
        guard let payee = try? PubkyKey(bare: order.payee), let app = PaykitReceiverPath(order.app),
            let endpoint = offer(order.endpoint, attempt.option.amount, endsInTime: false)?.offer.endpoint
        else { return nil }
        do throws(PaykitNetworkError) { return (endpoint, try links.party(payee, app)) } catch {
            throw paymentError(error)
        }
    }

    private func changed() -> PaymentError {
        PaymentError(
            .optionChanged, "the payee has sent another way to pay the request, or another app pays it in another way",
            provider: provider)
    }
}

extension PaymentAttempt {
    fileprivate func known(by key: String) -> PaymentAttempt {
        PaymentAttempt(
            id: id, reference: reference, option: option, idempotencyKey: key, startedAt: startedAt,
            expiresAt: expiresAt)
    }
}

// MARK: - The payer's settler

/// Requests and the payer's settler, with a router.
extension RequestFlow {
    /// Returns the state of a request after what the payer's settler reports about its payments: those that another
    /// program has begun, and may have abandoned, and those that the link's state has lost. Throws ``PaymentError``
    /// when the status is unknown, or a payment is in flight.
    func due(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaymentError) -> PrivateLinkDue {
        guard let settler = context.payer.settler else { return try await stored(id, period, party) }
        do throws(RequestSettlerError) { try await links.restore(id, period, party, from: settler) } catch {
            throw paymentError(error)
        }
        let due = try await stored(id, period, party)
        guard case .begun(let claim) = due else { return due }
        let report: PrivateLinkFlow.SettlerReport
        do throws(RequestSettlerError) { report = try await links.report(on: claim, from: settler) } catch {
            throw paymentError(error)
        }
        switch report {
        case .paid(let proof, _): return .paid(proof, claim.amount)
        case .nothingBegun where claim.isOpen: return due
        case .nothingBegun: return try await abandon(claim)
        case .nothingSent: return try await stored(id, period, party)
        }
    }

    func abandon(_ claim: PrivateLinkClaim) async throws(PaymentError) -> PrivateLinkDue {
        if let settler = context.payer.settler {
            do throws(RequestSettlerError) {
                if case .paid(let proof, _) = try await links.abandon(claim, at: settler) {
                    return .paid(proof, claim.amount)
                }
            } catch { throw paymentError(error) }
        }
        return try await stored(claim.requestID, claim.period, claim.party)
    }

    /// Stores a payment that the settler has reported in a step, together with the message that carries its proof.
    func keep(_ text: String, at endpoint: SettlementEndpoint, _ claim: PrivateLinkClaim) async throws(PaymentError) {
        let proof: SettlementProof = endpoint.kind.method == "lightning" ? .preimage(text) : .transaction(text)
        let order = SettlementOrder(name: claim.name, endpoint: endpoint, amount: claim.amount, state: .settled(proof))
        do throws(RequestSettlerError) {
            if case .paid(_, isSaid: false) = try await links.store(order, of: claim) {
                context.log("it is paid, but the proof is too long for a message: show it to the payee yourself")
            }
        } catch { throw paymentError(error) }
    }

    private func stored(
        _ id: String, _ period: BillingPeriod?, _ party: PrivateLinkParty
    ) async throws(PaymentError) -> PrivateLinkDue {
        do throws(PaykitNetworkError) { return try await links.due(id, period: period, party, check) } catch {
            throw paymentError(error)
        }
    }

    /// Maps what the settler leaves open to a router's error.
    private func paymentError(_ failure: RequestSettlerError) -> PaymentError {
        switch failure {
        case .noAnswer(let cause):
            PaymentError(
                .payer, "the payer's settler does not say what became of the request's payment", provider: provider,
                retry: .later, cause: cause)
        case .inFlight(let wait):
            PaymentError(
                .unusableOption, "the request is being paid: ask again later", provider: provider, phase: .answered,
                retry: wait.map { .after($0) } ?? .later)
        case .notKnown:
            PaymentError(
                .payer, "the payer's settler does not know the payment that it has abandoned: ask again later",
                provider: provider, retry: .later)
        case .mismatch(let message): PaymentError(.integrity, message, provider: provider, phase: .maybeSent)
        case .notStored(let failure):
            PaymentError(
                .journal,
                "it is paid, but the proof for the payee could not be kept (\(failure.message)): resume the attempt, so "
                    + "that they learn of it", provider: provider, phase: .maybeSent, retry: .later)
        case .link(let failure): paymentError(failure)
        }
    }
}

// MARK: - The stored order

/// The request that an option pays, as journals store it: its ids and the endpoint, but no messages.
struct RoutedRequest: StoredOrder, Sendable, Hashable {
    let id: String
    let payee: String
    let app: String
    /// The period's start and end, in seconds since 1970; nil for a single payment.
    let start: Int64?
    let end: Int64?
    let identifier: String
    let value: String

    static let place = "request"

    init(_ link: PaykitRequestURL, _ period: BillingPeriod?, _ endpoint: PaykitEndpoint) {
        id = link.id
        payee = link.payee.text
        app = link.app.text
        start = period?.start.seconds
        end = period?.end.seconds
        identifier = endpoint.methodID
        value = endpoint.endpoint
    }

    var endpoint: PaykitEndpoint { PaykitEndpoint(methodID: identifier, endpoint: value) }

    var period: BillingPeriod? {
        guard let start, let end else { return nil }
        return try? BillingPeriod(start: PrivateLinkTime(seconds: start), end: PrivateLinkTime(seconds: end))
    }
}
