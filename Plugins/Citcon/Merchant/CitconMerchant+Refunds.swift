import CitconProvider
public import PaymentCore
import ServiceSupport

extension CitconMerchant: RefundingService {
    /// Refunds a payment, once: by a reference that is derived from the charge and the refund's id. Citcon refuses a
    /// reference that was used before, so an interrupted refund is requested again, and an inquiry finds the first one.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let reference = MerchantReference.refund(request)
        let client = client(context)
        let id = try await context.step("find the charge", .query) {
            let charge = try await client.found(request.payment)
            guard let id = charge.id, let amount = charge.money, amount.currency == request.amount.currency,
                amount.exponent == request.amount.exponent
            else {
                throw PaymentError(
                    .requestRefused, "the refund is in another currency than the charge", provider: self.id)
            }
            return id
        }
        let body: JSONValue = [
            "id": .string(id), "reference": .string(reference), "transaction_reference": .string(request.payment.id),
            "amount": try .number(number(request.amount)),
        ]
        // A failure to get a token must not obscure if the refund itself was sent.
        try await asMerchant(self.id) { () throws(CitconCallError) in try await client.service.prepare() }
        do {
            let refund = try await context.step("refund", .mutation(replay: .sameKey)) {
                do throws(CitconCallError) {
                    return RefundFacts(try await client.service.refund(body), isFound: false)
                } catch {
                    return try await copy(of: request, refused: error, reference, client)
                }
            }
            return try refund.report(of: request, reference: reference, isEarlier: refund.isEarlier == true)
        } catch let error as PaymentError where error.phase == .answered {
            switch error.vendorCode {
            case "4202"?:
                return .declined(
                    DeclineReason(.refused, "Citcon refuses the refund: it was not paid, or too little of it is left"))
            case "4208"?:
                return .declined(DeclineReason(.refused, "Citcon does not allow a part of this payment to go back"))
            default: throw error
            }
        }
    }

    /// Finds the refund that another copy of the request made before this one was refused: a copy that the network
    /// made, or a request whose journal is elsewhere.
    ///
    /// - Throws: ``PaymentError`` when there is none: with phase `answered` if the refusal is conclusive.
    private func copy(
        of request: RefundRequest, refused error: CitconCallError, _ reference: String, _ client: CitconMerchantClient
    ) async throws -> RefundFacts {
        let open = error.merchantError(isMutation: true, of: id)
        guard error.mayFollowItsOwnEffect else { throw open }
        let found: RefundFacts?
        do { found = try await StepScope.asking { try await facts(reference, of: request, client) } } catch {
            throw open
        }
        // Without an answer it may be this very request's.
        if let found { return found.madeEarlier(!error.leavesFateOpen) }
        // A used reference that cannot be found may belong to a request in flight.
        guard open.vendorCode != "4100" else { throw open }
        throw error.merchantError(isMutation: false, of: id)
    }

    /// Asks for the status of a refund: first by its own reference, a search that Citcon may not support, then in the
    /// list of the charge.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError`` when the inquiry fails.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let reference = MerchantReference.refund(refund)
        guard let facts = try await facts(reference, of: refund, client(context)) else {
            return .unknown(
                UnknownOutcome(
                    reference: refund.reference,
                    message: "Citcon shows no such refund; it may be on its way, so look again before another"))
        }
        return try facts.report(of: refund, reference: reference)
    }

    private func facts(
        _ reference: String, of refund: RefundRequest, _ client: CitconMerchantClient
    ) async throws -> RefundFacts? {
        let direct = try? await asMerchant(id) { () throws(CitconCallError) in
            try await client.service.inquire(reference: reference)
        }
        if let data = direct ?? nil {
            let facts = RefundFacts(TransactionFields(data), isFound: true)
            if facts.object == "refund" { return facts }
        }
        let charge = try await asMerchant(id) { () throws(CitconCallError) in
            try await client.service.inquire(reference: refund.payment.id)
        }
        // Its charge exists; a service that does not show it did not search.
        guard let charge else {
            throw PaymentError(
                .notFound, "Citcon does not show the charge whose refund is asked about", provider: id,
                phase: .answered, retry: .later)
        }
        return charge["refunds"]?["data"]?.array?.map { RefundFacts(TransactionFields($0), isFound: true) }
            .first { $0.reference == reference }
    }

    private func number(_ amount: Money) throws -> JSONNumber {
        guard let units = Int64(exactly: amount.minorUnits), units > 0 else {
            throw PaymentError(.requestRefused, "the refund's amount must be above zero", provider: id)
        }
        return JSONNumber(units)
    }
}
