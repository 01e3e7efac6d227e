public import PaymentCore

extension PayrailsMerchant: CancellingService {
    /// Cancels an authorised payment, and returns its report.
    ///
    /// The service refunds a captured payment when it is asked to cancel it. So no request is sent once a payment is
    /// captured, or is being captured. ``refund(_:in:)`` refunds a paid payment, which the journal does once. An unpaid
    /// payment cannot be cancelled, unless the service allows it.
    ///
    /// The request's key follows from the payment, so a repeated request cancels once. While a cancellation is in
    /// flight, of this server or another, the payment is pending and no request is sent.
    ///
    /// - Returns: the report of the payment; pending while the cancellation is in flight.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been cancelled.
    public func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let execution = try await client.found(payment)
        let action = MerchantAction(kind: .cancel, payment: payment)
        let before = await client.standing(.cancel, in: execution)
        switch execution.status(captureMode) {
        case .captured, .capturing, .cancelled: return await client.report(of: payment, execution)
        case .cancelling: return try await wait(for: action, since: before, client)
        case .authorized: break
        case .declined where !execution.allows(.cancel): return await client.report(of: payment, execution)
        case .open, .declined:
            guard execution.allows(.cancel) else {
                throw PaymentError(
                    .requestRefused,
                    "Payrails cancels only what was authorised, and this is not paid yet; do not hand its session out, "
                        + "or wait until its token has ended",
                    provider: id, phase: .answered)
            }
        }
        do {
            let ended = try await client.perform(action, since: before, isRepeated: false, in: context)
            return try await report(of: action, ended.result, ended.shown, client)
        } catch let failure as PaymentError {
            // Captured just now, cancelled before, or the answer was lost: the execution shows the case. Until then a
            // request without an answer may still arrive, and refund what is captured.
            guard let after = try? await client.found(payment) else { throw failure }
            switch after.status(captureMode) {
            case .cancelled: return .cancelled
            case .captured where failure.phase == .answered: return await client.report(of: payment, after)
            case .cancelling where failure.phase == .answered: return try await wait(for: action, since: before, client)
            default: throw failure
            }
        }
    }

    /// Waits for the end of a cancellation that is in flight.
    private func wait(
        for action: MerchantAction, since before: ActionStanding, _ client: PayrailsMerchantClient
    ) async throws -> ServiceReport {
        let after = await client.look(at: action.payment) { $0.status(captureMode) != .cancelling }
        guard let after, after.status(captureMode) != .cancelling else { return .pending(retryAfter: nil) }
        let isFailed = after.tally(.cancel).failures > before.tally.failures
        return try await report(
            of: action, isFailed ? .failed(after.failure(of: .cancel)) : .inFlight, after, client)
    }

    /// Returns the report after a cancellation that the service has accepted: until it has ended, nothing else is
    /// final.
    private func report(
        of action: MerchantAction, _ result: ActionResult, _ shown: ExecutionRecord?, _ client: PayrailsMerchantClient
    ) async throws(PaymentError) -> ServiceReport {
        guard let shown else {
            throw PaymentError(
                .network, "the cancellation was accepted, but the payment's status cannot be queried", provider: id,
                phase: .maybeSent, retry: .later)
        }
        switch (shown.status(captureMode), result) {
        case (.cancelled, _): return .cancelled
        case (.captured, .failed): return await client.report(of: action.payment, shown)
        case (_, .failed(let reason)):
            throw PaymentError(
                .requestRefused, "Payrails could not cancel the payment: \(reason)", provider: id, phase: .answered)
        default: return .pending(retryAfter: nil)
        }
    }
}
