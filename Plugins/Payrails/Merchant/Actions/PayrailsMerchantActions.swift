public import PaymentCore

// MARK: - Captures

extension PayrailsMerchant: CapturingService {
    /// Captures authorised money once, all of it or less. The rest is then released. Only workflows of
    /// ``PayrailsCaptureMode/manual`` take another amount than the authorised one.
    ///
    /// The service accepts a capture and reports its result later. This method waits a few seconds for it. After that
    /// the capture is pending, and ends when it is requested again.
    ///
    /// - Returns: the report of the capture. Unknown if a capture has ended that may be another server's, over another
    ///   amount; declined if it failed: then it may be requested again.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the payment may have been captured.
    public func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let isRepeated = await context.hasRun(MerchantAction.Step.found)
        let before = try await context.step(MerchantAction.Step.found, .query) {
            let execution = try await client.found(request.payment)
            try client.check(request.amount, against: execution.amount, "the amount to capture")
            guard execution.status(captureMode) == .authorized else {
                throw PaymentError(
                    .requestRefused,
                    "Payrails captures only what is authorised, and not captured yet; ask for the payment's status",
                    provider: self.id, phase: .answered)
            }
            return await client.standing(.capture, in: execution)
        }
        let action = MerchantAction(kind: .capture, payment: request.payment, amount: request.amount)
        let ended = try await client.perform(action, since: before, isRepeated: isRepeated, in: context)
        switch ended.result {
        case .inFlight: return .pending(retryAfter: .seconds(60))
        case .unclear: return unknown(request, "a capture has ended that may be another one, over another amount")
        case .done:
            return .succeeded(
                PaymentReceipt(
                    reference: request.reference, amount: request.amount, transactionID: ended.receipt.actionID))
        case .failed(let reason):
            // From here on the journal has the result, which no status gives for this capture alone.
            _ = try await context.step(MerchantAction.Step.failed(.capture), .query) { reason }
            return Self.failedCapture(reason)
        }
    }

    private static func failedCapture(_ reason: String) -> ServiceReport {
        .declined(DeclineReason(.refused, "the capture failed, and the money may still be authorised: \(reason)"))
    }

    /// Returns the report of a capture, as far as the payment's report shows it. An execution's statuses state no
    /// amount: only the payment's record states that of a capture by the merchant itself.
    ///
    /// - Returns: the report of the capture.
    /// - Throws: ``PaymentError`` if the query fails.
    public func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let execution = try await client.found(capture.payment)
        if await context.hasRun(MerchantAction.Step.failed(.capture)) {
            return Self.failedCapture(execution.failure(of: .capture))
        }
        switch execution.status(captureMode) {
        case .captured:
            // Without a capture everything was taken with the authorisation.
            let isWhole = execution.tally(.capture).successes == 0
            guard let taken = isWhole ? execution.amount : await client.captured(of: execution) else {
                return unknown(capture, "Payrails shows a capture of the payment, but not over which amount")
            }
            guard taken == capture.amount else {
                return unknown(capture, "Payrails shows another capture of the payment, over \(taken)")
            }
            return .succeeded(PaymentReceipt(reference: capture.reference, amount: taken))
        case .authorized: return unknown(capture, "Payrails shows no capture of the payment, which may be on its way")
        default: return await client.report(of: capture.payment, execution)
        }
    }

    private func unknown(_ capture: CaptureRequest, _ fact: String) -> ServiceReport {
        .unknown(
            UnknownOutcome(
                reference: capture.reference,
                message: "\(fact); ask for the same capture again, or look at the notifications or the portal"))
    }
}

// MARK: - Cancellations

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
            // request without an answer may still arrive, and refund the captured amount.
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

// MARK: - Refunds

extension PayrailsMerchant: RefundingService {
    /// Refunds a payment once: the request's key follows from the payment, the amount and the refund's id, which may be
    /// any text.
    ///
    /// The service accepts a refund and reports its result later. This method waits a few seconds for it. After that
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
                return Self.failedRefund(reason)
            }
        } catch let error as PaymentError where error.phase == .answered && error.code == .requestRefused {
            return .declined(DeclineReason(.refused, "no money went back: \(error.message)"))
        }
    }

    private static func failedRefund(_ reason: String) -> ServiceReport {
        .declined(DeclineReason(.refused, "the refund failed, and no money went back: \(reason)"))
    }

    /// Returns the report of a refund. An execution's statuses name no refund, so they can only prove that there is
    /// none. Notifications distinguish refunds. So does a repeated request for the same refund, which makes no second
    /// one.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError`` if the query fails.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let execution = try await client(context).found(refund.payment)
        if await context.hasRun(MerchantAction.Step.failed(.refund)) {
            return Self.failedRefund(execution.failure(of: .refund))
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
