public import PaymentCore

extension PayrailsMerchant: CapturingService {
    /// Captures authorised money once, all of it or less; then the rest is released. Only workflows of
    /// ``PayrailsCaptureMode/manual`` take another amount than the authorised one.
    ///
    /// The service accepts a capture and reports its result later. This method waits a few seconds for it; after that
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
            return Self.failure(reason)
        }
    }

    private static func failure(_ reason: String) -> ServiceReport {
        .declined(DeclineReason(.refused, "the capture failed, and the money may still be authorised: \(reason)"))
    }

    /// Returns the report of a capture, as far as the payment's shows it: an execution's statuses state no amount, so
    /// that of a capture by the merchant itself only the payment's record does.
    ///
    /// - Returns: the report of the capture.
    /// - Throws: ``PaymentError`` if the query fails.
    public func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let execution = try await client.found(capture.payment)
        if await context.hasRun(MerchantAction.Step.failed(.capture)) {
            return Self.failure(execution.failure(of: .capture))
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
