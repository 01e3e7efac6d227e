public import PaymentCore

extension PayrailsMerchant: RefundingService {
    /// Refunds a payment once: the request's key follows from the payment, the amount and the refund's id, which may be
    /// any text.
    ///
    /// The service accepts a refund and reports its result later. This method waits a few seconds for it; after that
    /// the refund is pending, and ends with its notification, or when it is requested again.
    ///
    /// - Returns: the report of the refund. Unknown if another refund of the payment has ended in the same moment.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let isRepeated = await context.hasRun(MerchantAction.Step.found)
        let before = try await context.step(MerchantAction.Step.found, .query) {
            let execution = try await client.found(request.payment)
            try client.check(request.amount, against: execution.amount, "the refund")
            // Statuses name no refund: the results of two concurrent ones could not be assigned.
            guard !execution.tally(.refund).isInFlight else {
                throw PaymentError(
                    .requestRefused, "another refund of this payment is in progress; ask again when it has ended",
                    provider: self.id, retry: .later)
            }
            switch execution.status(captureMode) {
            case .captured, .capturing: return await client.standing(.refund, in: execution)
            case .cancelling:
                throw PaymentError(
                    .requestRefused, "a cancellation of this payment is in flight; ask again when it has ended",
                    provider: self.id, retry: .later)
            case .open, .declined, .authorized, .cancelled:
                throw PaymentError(
                    .requestRefused,
                    "Payrails refunds only what was captured; cancel the payment, or capture it first",
                    provider: self.id)
            }
        }
        let action = MerchantAction(
            kind: .refund, payment: request.payment, amount: request.amount, name: RefundMark.of(request))
        do {
            let ended = try await client.perform(action, since: before, isRepeated: isRepeated, in: context)
            switch ended.result {
            case .inFlight: return .pending(retryAfter: .seconds(60))
            case .unclear:
                return .unknown(
                    UnknownOutcome(
                        reference: request.reference,
                        message: "several refunds of the payment have ended; the notifications, or the portal, show "
                            + "which"))
            case .done:
                return .succeeded(
                    PaymentReceipt(
                        reference: request.reference, amount: request.amount, transactionID: ended.receipt.actionID))
            case .failed(let reason):
                // From here on the journal has the result, which no status gives for this refund alone.
                _ = try await context.step(MerchantAction.Step.failed(.refund), .query) { reason }
                return Self.failure(reason)
            }
        } catch let error as PaymentError where error.phase == .answered && error.code == .requestRefused {
            return .declined(DeclineReason(.refused, "no money went back: \(error.message)"))
        }
    }

    private static func failure(_ reason: String) -> ServiceReport {
        .declined(DeclineReason(.refused, "the refund failed, and no money went back: \(reason)"))
    }

    /// Returns the report of a refund. An execution's statuses name no refund, so they only prove that there is none:
    /// notifications distinguish refunds, and so does a repeated request for the same one, which makes no second.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError`` if the query fails.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let execution = try await client(context).found(refund.payment)
        if await context.hasRun(MerchantAction.Step.failed(.refund)) {
            return Self.failure(execution.failure(of: .refund))
        }
        let refunds = execution.tally(.refund)
        if refunds.isInFlight { return .pending(retryAfter: nil) }
        return .unknown(
            UnknownOutcome(
                reference: refund.reference,
                message: refunds.ends == 0
                    ? "Payrails shows no refund of the payment; it may be on its way, so ask for the same one again"
                    : "Payrails shows refunds of the payment, but not which; ask for the same one again, or wait for its "
                        + "notification"))
    }
}
