package import PaymentCore

/// Recurring payments: to payees, under names that are not drawn.
extension PaymentRouter {
    /// Pays a period under its own name, or resumes an earlier attempt for it.
    ///
    /// - Throws: ``PaymentError``.
    package func pay(
        _ charge: PlannedPeriod, as order: PlannedPeriod.Order, with payer: Payer
    ) async throws(PaymentError) -> PaymentOutcome {
        let (request, payee) = try request(for: charge, order)
        let serviceClient = try serviceClient(for: charge.provider, payer: payer)
        return try await carryOnce(request.reference) { journal in
            do { try await abandonUnsent(to: payee, besides: request.reference, serviceClient) } catch let failure
                as PaymentError
                where failure.code == .inUse
            {
                throw serviceClient.error(.unusableOption, "another payment to the same payee is in progress")
            }
            return try await engine(serviceClient, journal, request.reference).pay(charge, as: order, request)
        }
    }

    /// Returns the outcome of a period that was begun; nil when nothing was sent for it. All tries up to this one are
    /// then cancelled, also those of processes that have not reached the journal yet.
    ///
    /// - Throws: ``PaymentError``, and any error of the journal.
    package func settle(_ charge: PlannedPeriod, with payer: Payer) async throws -> PaymentOutcome? {
        let serviceClient = try serviceClient(for: charge.provider, payer: payer)
        return try await leases.with(charge.reference) { journal in
            try await engine(serviceClient, journal, charge.reference).settle(charge)
        } orElse: {
            $0
        }
    }

    /// Returns true if no attempt at a payment is open; false when that cannot be read.
    package func isIdle(_ payment: PaymentReference) async -> Bool {
        (try? await effects.journal.histories(of: payment).allSatisfy(\.isFinished)) ?? false
    }

    /// Returns the payee of a plan's link, the same for all of their links; the link itself where it names none.
    package func payee(of link: String) -> String {
        guard case .matched(let route) = route(link), let payee = route.match.reference else { return link }
        return "\(route.provider) \(payee)"
    }

    private func request(
        for charge: PlannedPeriod, _ order: PlannedPeriod.Order
    ) throws(PaymentError) -> (QuoteRequest, payee: String) {
        guard case .matched(let route) = route(order.link), route.provider == charge.provider else {
            throw PaymentError(
                .unroutable, "the plan's link does not lead to \(charge.provider); make the plan anew",
                provider: charge.provider)
        }
        // No person looks at the link again before each period.
        let payee = try trustedID(in: route)
        guard route.match.namesPayee else {
            throw PaymentError(
                .notAPayment, "the plan's link names no payee for repeated payments; make a new plan",
                provider: charge.provider)
        }
        return (
            QuoteRequest(link: route.link, match: route.match, reference: charge.reference, period: charge.period),
            payee
        )
    }
}
