public import PaymentCore

extension PayrailsMerchant: CancellingService {
    /// Cancels an authorised payment, and returns its report.
    ///
    /// The service refunds a captured payment when it is asked to cancel it: so no request is sent once a payment is
    /// paid. ``refund(_:in:)`` refunds a paid payment, which the journal does once. An unpaid payment cannot be
    /// cancelled, unless the service allows it.
    ///
    /// The request's key follows from the payment, so a repeated request cancels once.
    ///
    /// - Returns: the report of the payment; pending while the cancellation is in progress.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
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
            default: return execution.report(of: payment, mode: captureMode)
            }
        }
        if !before.isInFlight {
            // A failed cancellation may be requested again; two concurrent requests are one.
            let key = client.key(["cancel", payment.id, "\(before.failures)"])
            do {
                _ = try await context.step("cancel", .mutation(replay: .sameKey)) {
                    try await asMerchant(self.id, isMutation: true) { () throws(CallError) in
                        _ = try await client.calls.act(.cancel, on: payment.id, [:], key: key)
                    }
                    return true
                }
            } catch let failure as PaymentError {
                // Captured just now, cancelled before, or the answer was lost: the execution shows the case.
                guard let after = try? await client.found(payment) else { throw failure }
                switch after.status(captureMode) {
                case .captured, .cancelled: return after.report(of: payment, mode: captureMode)
                case .unpaid, .inFlight, .declined, .authorized: throw failure
                }
            }
        }
        return try await ending(of: payment, since: before, client)
    }

    /// Returns the report after a cancellation that the service has accepted.
    private func ending(
        of payment: PaymentReference, since before: ActionTally, _ client: PayrailsMerchantClient
    ) async throws(PaymentError) -> ServiceReport {
        let after = await client.look(at: payment) { $0.hasEnded(.cancel, since: before) }
        guard let after else {
            throw PaymentError(
                .network, "the cancellation was accepted, but what has become of the payment cannot be asked",
                provider: id, phase: .maybeSent, retry: .later)
        }
        switch after.status(captureMode) {
        case .cancelled, .captured: return after.report(of: payment, mode: captureMode)
        case .unpaid, .inFlight, .declined, .authorized:
            guard after.tally(.cancel).failures > before.failures else { return .pending(retryAfter: nil) }
            throw PaymentError(
                .requestRefused, "Payrails could not cancel the payment: \(after.failure(of: .cancel))", provider: id,
                phase: .answered)
        }
    }
}
