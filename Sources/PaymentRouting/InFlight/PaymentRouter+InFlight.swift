import PaymentCore

/// Payments under way, and who is told of them.
extension PaymentRouter {
    /// Carries a payment through while its lease is held, or joins whoever does so in this process.
    func carryOnce(
        _ payment: PaymentReference, _ operation: @escaping @Sendable (LeasedJournal) async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        try await once(payment, about: { payment }) { try await leases.with(payment, operation) { $0 } }
    }

    /// Does `operation`, or joins whoever does so in this process.
    ///
    /// - Parameters:
    ///   - payee: whoever is paid, where any payment to them under way is to be joined.
    ///   - subject: what the work is about by now.
    func once(
        _ payment: PaymentReference, to payee: String? = nil,
        about subject: @escaping @Sendable () -> PaymentReference,
        _ operation: @escaping @Sendable () async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        let cancellationReply = InFlightPayments.CancellationReply {
            // Payers hang in real time, whatever clock payments go by; only simulations have no other.
            let clock: any PaymentClock = RouterTasks.executor == nil ? SystemPaymentClock() : effects.clock
            try? await clock.sleep(for: leases.policy.grace)
        } known: { isCancelled in
            await known(of: subject(), isCancelled: isCancelled)
        }
        return try await inFlight.run(payment, to: payee, cancellationReply) { joined in
            effects.emit(.joined, at: joined.provider, joined)
        } work: {
            do { return .success(try await operation()) } catch {
                let failure = PaymentError(thrown: error, at: payment.provider)
                effects.emit(.failed(failure), at: payment.provider, subject())
                return .failure(failure)
            }
        }.get()
    }

    /// An engine that brings news of a payment: how it ends is told to everyone who waits for it here.
    func visitor(_ journal: LeasedJournal, _ serviceClient: ServiceClient) -> AttemptEngine {
        AttemptEngine(serviceClient: serviceClient, journal: journal) { await inFlight.end($0, with: $1) }
    }

    /// What the journal knows of a payment that somebody stops waiting for.
    ///
    /// - Parameter isCalledOff: whether nobody waits any more. No step begins then, so that nothing more is sent.
    private func known(of payment: PaymentReference, isCancelled: Bool) async -> InFlightPayments.Ending {
        let histories = try? await effects.journal.histories(of: payment).filter(effects.isSound)
        for case .succeeded(let receipt)? in (histories ?? []).map(\.outcome) { return .success(.succeeded(receipt)) }
        if isCancelled, let histories, histories.allSatisfy(\.isFinished) {
            return .failure(
                PaymentError(.cancelled, "stopped before anything was sent", provider: payment.provider))
        }
        return .success(
            .unknown(
                UnknownOutcome(
                    reference: payment, message: "stopped waiting while the payment was in progress; ask again later")))
    }
}
