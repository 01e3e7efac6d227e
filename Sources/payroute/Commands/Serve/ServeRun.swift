import PaymentCore
import PaymentRouting

/// One run of a payment: what the router is asked for, in the order that pays it once after any interruption.
struct ServeRun: Sendable {
    let router: PaymentRouter
    let journal: any PaymentJournal
    let table: ServeTable
    let payers: ServePayer
    let payment: ServedPayment
    /// The quote that the caller has seen; nil asks for one.
    let quote: PaymentQuote?
    /// Receives the router's events of the payment.
    let note: @Sendable (PaymentEvent) async -> Void

    /// Carries the payment out, or resumes it.
    ///
    /// - Throws: ``PaymentError``, as the router.
    func outcome() async throws(PaymentError) -> PaymentOutcome {
        let payer = payers.payer(of: payment.id, payment.order, tenant: payment.tenant)
        if let reference = payment.reference {
            // An attempt of this order alone: one before it, over for another order, says nothing of this one.
            let own = try await attempts(reference, after: payment.earlier)
            if let last = own.last(where: { !$0.isFinished || $0.outcome != nil }) {
                return try await heard(reference) { () async throws(PaymentError) in
                    try await router.resume(last.attempt.id, as: payer)
                }
            }
        }
        guard let order = payment.order else {
            throw PaymentError(.notFound, "nothing is left of the request; pay the link by another key")
        }
        let quote = try await quoted(order, as: payer)
        let reference = quote.reference
        let earlier = try await attempts(reference, after: nil)
        // Stored before anything can be sent: from here on, a run after a crash looks for this payment's attempts.
        try await stored {
            try await table.name(
                payment.id, reference, after: earlier.last?.attempt.id, terms: .object(ServePayer.terms(quote)))
        }
        return try await heard(reference) { () async throws(PaymentError) in
            if let open = earlier.last(where: { !$0.isFinished }) {
                return try await router.resume(open.attempt.id, as: payer)
            }
            if let outcome = quote.outcome { return outcome }
            return try await router.pay(quote, option: try await choice(from: quote, order), as: payer)
        }
    }

    /// Abandons an attempt that has sent nothing, or settles one that has.
    ///
    /// - Throws: ``PaymentError``, as the router; `cancelled` where nothing was begun.
    func abandoned() async throws(PaymentError) -> PaymentOutcome {
        var own: [AttemptHistory] = []
        if let reference = payment.reference { own = try await attempts(reference, after: payment.earlier) }
        guard let open = own.last(where: { !$0.isFinished }) else {
            throw PaymentError(.cancelled, "cancelled before anything was sent")
        }
        return try await router.recover(open.attempt.id, as: Payer()).result.get()
    }

    private func heard(
        _ reference: PaymentReference, _ work: () async throws(PaymentError) -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        let events = router.events(of: reference)
        let listener = Task { for await event in events { await note(event) } }
        defer { listener.cancel() }
        return try await work()
    }

    private func quoted(_ order: ServeOrder, as payer: Payer) async throws(PaymentError) -> PaymentQuote {
        if let quote { return quote }
        let decision = router.route(order.link)
        guard case .matched(let route) = decision else { throw PaymentError(.unroutable, decision.explanation) }
        return try await router.quote(route, as: payer, acceptingUnverified: order.acceptsUnverified)
    }

    /// Returns the option to be paid: the one that was asked for, one within the limits, or the caller's answer.
    private func choice(
        from quote: PaymentQuote, _ order: ServeOrder
    ) async throws(PaymentError) -> PaymentMethodOption.ID? {
        if let option = order.option { return option }
        guard let limits = order.limits else {
            do { return try await payers.choice(from: quote, of: payment.id) } catch {
                let message = "stopped before an option was chosen"
                throw PaymentError(.cancelled, message, provider: quote.reference.provider, cause: error)
            }
        }
        switch OptionPolicy.first(upTo: limits).choice(from: quote) {
        case .option(let option): return option.id
        case .none(let objection):
            throw PaymentError(
                .unusableOption,
                objection.isEmpty ? "no option can be paid" : "no option is within the limits: \(objection)",
                provider: quote.reference.provider)
        }
    }

    private func attempts(
        _ reference: PaymentReference, after earlier: AttemptID?
    ) async throws(PaymentError) -> [AttemptHistory] {
        let histories = try await stored { try await journal.histories(of: reference) }
        guard let earlier, let place = histories.firstIndex(where: { $0.attempt.id == earlier }) else {
            return histories
        }
        return Array(histories[(place + 1)...])
    }

    private func stored<Value: Sendable>(_ work: () async throws -> Value) async throws(PaymentError) -> Value {
        do { return try await work() } catch {
            throw PaymentError(.journal, "the payment could not be read or stored: \(error)", cause: error)
        }
    }
}
