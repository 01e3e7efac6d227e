import PaykitPubky
import PaymentCore
import PaymentCrypto
import PaymentSettlement

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Pays requests over private links through a router (Protocol 12.9): the endpoints are read from the link's state, the
/// choice is stored there before the payer's settler is asked, and the settler's result is stored in one step with the
/// proof.
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
        var due: PrivateLinkDue
        do throws(PaykitNetworkError) {
            party = try links.party(link.payee, link.app)
            due = try await links.due(link.id, period: period, party, check)
        } catch { throw paymentError(error) }
        switch due {
        case .begun(let claim, let amount): due = try await learned(claim, amount, party)
        case .open(let endpoints, let amount):
            // The link's state may be lost, and the payee's endpoints others than were paid.
            guard let endpoint = endpoints.first else { break }
            let claim = PrivateLinkClaim(
                requestID: link.id, period: period, endpoint: endpoint, number: 0, isOpen: true)
            due = try await found(claim, amount, party) ?? due
        default: break
        }
        let payee = Payee(
            claiming: nil, knownAs: "\(link.payee.text.prefix(8))…\(link.payee.text.suffix(4))", else: nil,
            id: link.payee.text)
        func ended(_ outcome: ServiceReport) -> PaymentQuote {
            PaymentQuote(reference: request.reference, payee: payee, amount: nil, options: [], report: outcome)
        }
        let offers: [(endpoint: PaykitEndpoint, offer: SettlementOffer)]
        switch due {
        case .paid(let proof, let amount): return ended(.succeeded(receipt(request.reference, amount, proof)))
        case .cancelled: return ended(.cancelled)
        case .expired: throw over()
        // This includes an expired endpoint: only the settler's status allows paying another one.
        case .begun(let claim, let amount):
            offers = [claim.endpoint].compactMap { offer($0, amount, endsInTime: false) }
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
            offers.map { ($0.endpoint.methodID, Self.title($0.offer.endpoint), $0.offer) }, of: request.reference,
            payee: payee, payeeID: link.recurs ? link.reference : nil, in: context)
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

    private static func title(_ endpoint: SettlementEndpoint) -> String {
        endpoint.kind == .bitcoinAddress
            ? "Bitcoin, on the chain, as asked for" : "Bitcoin, over Lightning, as asked for"
    }

    /// Returns the offer of exactly the request's amount at an endpoint; nil where there is none.
    func offer(
        _ endpoint: PaykitEndpoint, _ amount: Money, endsInTime: Bool
    ) -> (endpoint: PaykitEndpoint, offer: SettlementOffer)? {
        guard let found = EndpointOffers.offers(of: endpoint, reader).first(where: { $0.takes(amount) }) else {
            return nil
        }
        let offer = SettlementOffer(
            endpoint: found.endpoint, amount: .fixed(amount), expiresAt: endsInTime ? found.expiresAt : nil)
        return (endpoint, offer)
    }

    /// Returns the offers that were not paid before: a paid invoice would count as this payment without any money
    /// moving.
    private func unspent(
        _ offers: [(endpoint: PaykitEndpoint, offer: SettlementOffer)]
    ) async throws(PaymentError) -> [(endpoint: PaykitEndpoint, offer: SettlementOffer)] {
        var found: [(endpoint: PaykitEndpoint, offer: SettlementOffer)] = []
        for one in offers {
            if try await context.payer.order(paying: one.offer.endpoint) == nil { found.append(one) }
        }
        return found
    }

    // MARK: What the settler knows

    /// Asks the settler for the status of a payment that another program has begun, and may have abandoned.
    ///
    /// - Returns: paid; cancelled, where the request is closed and the settler has promised to send nothing; otherwise
    ///   the state after what the settler has reported.
    /// - Throws: ``PaymentError`` when the status is unknown, or the payment is in flight.
    func learned(_ claim: PrivateLinkClaim, _ amount: Money, _ party: PrivateLinkParty) async throws -> PrivateLinkDue {
        guard context.payer.settler != nil else { return .begun(claim, amount) }
        if let due = try await found(claim, amount, party) { return due }
        guard !claim.isOpen else { return .begun(claim, amount) }
        return try await abandon(claim, amount, party)
    }

    /// Ends a payment of a closed request: the settler is asked for the promise that nothing is sent for it.
    func abandon(_ claim: PrivateLinkClaim, _ amount: Money, _ party: PrivateLinkParty) async throws -> PrivateLinkDue {
        let name = claim.name(party)
        _ = try await answer { try await $0.abandon(name) }
        guard let due = try await found(claim, amount, party) else {
            throw PaymentError(
                .payer, "the payer's settler does not know the payment that it has abandoned: ask again later",
                provider: provider, retry: .later)
        }
        return due
    }

    /// Returns the state of a request after the settler's report about a payment; nil where the settler knows of none.
    private func found(
        _ claim: PrivateLinkClaim, _ amount: Money, _ party: PrivateLinkParty
    ) async throws -> PrivateLinkDue? {
        let name = claim.name(party)
        guard let order = try await answer({ try await $0.order(named: name) }) ?? nil else { return nil }
        switch order.state {
        case .settled(let settled):
            // The first endpoint of the name was paid, and not always the claim's.
            let known = offer(claim.endpoint, amount, endsInTime: false)?.offer.endpoint
            guard let paid = order.endpoint ?? known else {
                throw PaymentError(.integrity, "what was begun to be paid cannot be read any more", provider: provider)
            }
            let proof = try proof(settled.text, paid)
            try await keep(proof, claim, party)
            return .paid(proof, amount)
        case .nothingSent, .settledElsewhere:
            do throws(PaykitNetworkError) {
                try await links.failed(claim, party)
                return try await links.due(claim.requestID, period: claim.period, party, check)
            } catch { throw paymentError(error) }
        case .inFlight(let wait):
            throw PaymentError(
                .unusableOption, "the request is being paid: ask again later", provider: provider, phase: .answered,
                retry: wait.map { .after($0) } ?? .later)
        }
    }

    /// Returns the settler's answer to a question; nil without a settler.
    private func answer<Answer: Sendable>(
        _ ask: @Sendable (any PaymentSettler) async throws -> Answer
    ) async throws(PaymentError) -> Answer? {
        guard let settler = context.payer.settler else { return nil }
        do { return try await ask(settler) } catch {
            throw PaymentError(
                .payer, "the payer's settler does not say what became of the request's payment", provider: provider,
                retry: .later, cause: error)
        }
    }

    /// Returns the settler's result as a proof for the payee, if it is sound.
    func proof(_ text: String, _ endpoint: SettlementEndpoint) throws(PaymentError) -> PaykitProof {
        let proof: PaykitProof
        if endpoint.kind.method == "lightning" {
            let hash = endpoint.paymentHash ?? Hex.encode(Digest.sha256.hash(Hex.decode(text) ?? []))
            proof = .preimage(text, paymentHash: hash)
        } else {
            proof = .transaction(text)
        }
        guard proof.isSound else {
            throw PaymentError(
                .integrity,
                "the payer's settler says that it paid, but its proof does not fit the request: look into the wallet "
                    + "before you pay again", provider: provider, phase: .maybeSent)
        }
        return proof
    }

    /// Stores a proof in one step with the message that carries it.
    func keep(_ proof: PaykitProof, _ claim: PrivateLinkClaim, _ party: PrivateLinkParty) async throws(PaymentError) {
        do throws(PaykitNetworkError) {
            let isSent = try await links.keep(
                proof, of: claim.requestID, period: claim.period, at: claim.endpoint, party)
            if !isSent {
                context.log("it is paid, but the proof is too long for a message: show it to the payee yourself")
            }
        } catch {
            throw PaymentError(
                .journal,
                "it is paid, but the proof for the payee could not be kept (\(error.message)): resume the attempt, so "
                    + "that they learn of it", provider: provider, phase: .maybeSent, retry: .later)
        }
    }

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
