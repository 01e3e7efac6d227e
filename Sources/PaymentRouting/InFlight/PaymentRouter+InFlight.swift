import PaymentCore

/// Payments in progress, and the callers that receive their ends.
extension PaymentRouter {
    /// Carries a payment or refund out while its lease is held, or joins the worker in this process that does so.
    func carryOnce(
        _ payment: PaymentReference,
        _ operation: @escaping @Sendable (LeasedJournal) async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        try await once(payment, about: { payment }) {
            try await leases.with(payment, operation) { $0 }
        }
    }

    /// Does `operation`, or joins the worker in this process that does so.
    ///
    /// - Parameters:
    ///   - payee: the payee, where any payment to them in progress is to be joined.
    ///   - owner: the caller's name for the request: another one's work is waited for, and not joined. Nil joins any.
    ///   - subject: the payment that the work is about by now.
    func once(
        _ payment: PaymentReference, to payee: String? = nil, for owner: String? = nil,
        about subject: @escaping @Sendable () -> PaymentReference,
        _ operation: @escaping @Sendable () async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        // Payers hang in real time, whatever clock payments use; only simulations have no other.
        let clock: any PaymentClock = RouterTasks.executor == nil ? SystemPaymentClock() : effects.clock
        let cancellationReply = InFlightPayments.CancellationReply {
            try? await clock.sleep(for: leases.policy.grace)
        } known: { isCancelled in
            await known(of: subject(), isCancelled: isCancelled)
        }
        while true {
            let ending = await inFlight.run(payment, to: payee, for: owner, cancellationReply) { joined in
                effects.emit(.joined, at: joined.provider, joined)
            } work: {
                do { return .success(try await operation()) } catch {
                    let failure = PaymentError(thrown: error, at: payment.provider)
                    effects.emit(.failed(failure), at: payment.provider, subject())
                    return .failure(failure)
                }
            }
            if let ending { return try ending.get() }
            try await inFlight.awaitOther(payment, to: payee, within: leases.policy.timeout, clock)
        }
    }

    /// Returns an engine that pays `payment`, and releases other reservations where they are in its way.
    func engine(_ serviceClient: ServiceClient, _ journal: LeasedJournal, _ payment: PaymentReference) -> AttemptEngine
    {
        var engine = AttemptEngine(serviceClient: serviceClient, journal: journal)
        engine.settleOthers = { await settleSpendings(holding: payment) }
        return engine
    }

    /// Returns an engine for an outside event of a payment: its end is passed to every caller that waits for it here.
    func visitor(_ journal: LeasedJournal, _ serviceClient: ServiceClient) -> AttemptEngine {
        AttemptEngine(serviceClient: serviceClient, journal: journal) { await inFlight.end($0, with: $1) }
    }

    /// Returns the journal's result for a payment when a caller stops waiting for it.
    ///
    /// - Parameter isCancelled: true if no caller waits any more. No step begins then, so that nothing more is sent.
    private func known(of payment: PaymentReference, isCancelled: Bool) async -> InFlightPayments.Ending {
        let histories = try? await effects.journal.histories(of: payment)
        if let paid = Ledger(histories ?? [], effects).recordedPayment?.outcome { return .success(paid) }
        if isCancelled, let histories, histories.allSatisfy({ $0.isFinished && effects.isSound($0) }) {
            return .failure(
                PaymentError(.cancelled, "stopped before anything was sent", provider: payment.provider))
        }
        return .success(
            .unknown(
                UnknownOutcome(
                    reference: payment, message: "stopped waiting while the payment was in progress; ask again later")))
    }
}
