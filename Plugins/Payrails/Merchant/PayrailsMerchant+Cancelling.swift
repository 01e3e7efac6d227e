public import PaymentCore

extension PayrailsMerchant: CancellingService {
    /// Calls a payment off whose money is set aside, and says what has become of it.
    ///
    /// The service gives back what was captured when it is asked to cancel that: so nothing is sent once a payment is
    /// paid. What is paid is given back by ``refund(_:in:)``, which the journal makes once. Where nobody has paid there
    /// is nothing to call off, unless the service says otherwise.
    ///
    /// The request's key follows from the payment, so asking twice cancels once.
    ///
    /// - Returns: what has become of the payment; pending while the cancellation is under way.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been called off.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let client = client(context)
        let execution = try await client.found(payment)
        let before = execution.tally(.cancel)
        let isCancellable: Bool =
            switch execution.status(captureMode) {
            case .captured, .cancelled: false
            case .authorized: true
            case .unpaid, .inFlight, .declined: execution.allows(.cancel)
            }
        if !isCancellable {
            switch execution.status(captureMode) {
            case .unpaid, .inFlight:
                throw PaymentError(
                    .requestRefused,
                    "Payrails cancels only what was authorised, and this is not paid yet; do not hand its session out, "
                        + "or wait until its token has ended",
                    provider: id, phase: .answered)
            default: return execution.outcome(of: payment, mode: captureMode)
            }
        }
        if !before.isInFlight {
            // One that failed may be asked for again; two at the same time are one.
            let key = client.key(["cancel", payment.id, "\(before.failures)"])
            do {
                _ = try await context.step("cancel", .mutation(replay: .sameKey)) {
                    try await asMerchant(self.id, isMutation: true) { () throws(CallError) in
                        _ = try await client.calls.act(.cancel, on: payment.id, [:], key: key)
                    }
                    return true
                }
            } catch let failure as PaymentError {
                // Captured just now, cancelled before, or the answer was lost: the execution itself says which.
                guard let after = try? await client.found(payment) else { throw failure }
                switch after.status(captureMode) {
                case .captured, .cancelled: return after.outcome(of: payment, mode: captureMode)
                case .unpaid, .inFlight, .declined, .authorized: throw failure
                }
            }
        }
        return try await ending(of: payment, since: before, client)
    }

    /// What became of a cancellation that the service has taken on.
    private func ending(
        of payment: PaymentReference, since before: ActionTally, _ client: PayrailsMerchantClient
    ) async throws(PaymentError) -> PaymentOutcome {
        let after = await client.look(at: payment) { $0.hasEnded(.cancel, since: before) }
        guard let after else {
            throw PaymentError(
                .network, "the cancellation was accepted, but what has become of the payment cannot be asked",
                provider: id, phase: .maybeSent, retry: .later)
        }
        switch after.status(captureMode) {
        case .cancelled, .captured: return after.outcome(of: payment, mode: captureMode)
        case .unpaid, .inFlight, .declined, .authorized:
            guard after.tally(.cancel).failures > before.failures else { return .pending(retryAfter: nil) }
            throw PaymentError(
                .requestRefused, "Payrails could not cancel the payment: \(after.failure(of: .cancel))", provider: id,
                phase: .answered)
        }
    }
}
