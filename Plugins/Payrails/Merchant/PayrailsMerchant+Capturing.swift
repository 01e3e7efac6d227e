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
        let before = try await context.step("find the payment", .query) {
            let execution = try await client.found(request.payment)
            try client.check(request.amount, against: execution.amount, "the amount to capture")
            let captures = execution.tally(.capture)
            guard execution.status(captureMode) == .authorized, !captures.isInFlight else {
                throw PaymentError(
                    .requestRefused,
                    "Payrails captures only what is authorised, and not captured yet; ask for the payment's status",
                    provider: self.id, phase: .answered)
            }
            return captures
        }
        // A failed capture may be requested again; one of another amount is a separate request, of which the service
        // takes the first.
        let key = client.key(["capture", request.payment.id, "\(before.failures)", request.amount.description])
        try await asMerchant(id) { () throws(CallError) in try await client.calls.prepare() }
        let receipt = try await context.step("capture", .mutation(replay: .sameKey)) {
            try await client.act(
                .capture, on: request.payment, ["amount": WireAmount.body(request.amount)], key: key, since: before)
        }
        let after = await client.look(at: request.payment) { $0.hasEnded(.capture, since: before) }
        // Counting proves nothing if another worker has begun a capture of the payment meanwhile.
        try await context.ensureInCharge()
        guard let after, let isDone = try? after.tally(.capture).ending(since: before) else {
            return .pending(retryAfter: .seconds(60))
        }
        guard after.tally(.capture).requests == before.requests + 1 else {
            return unknown(request, "a capture has ended that may be another one, over another amount")
        }
        guard isDone else {
            let reason = after.failure(of: .capture)
            // From here on the journal knows the result, which no status gives for this capture alone.
            _ = try await context.step(Self.failed, .query) { reason }
            return Self.failure(reason)
        }
        return .succeeded(
            PaymentReceipt(reference: request.reference, amount: request.amount, transactionID: receipt.actionID))
    }

    /// The name of the step that records a failed capture.
    private static let failed = "the capture failed"

    private static func failure(_ reason: String) -> ServiceReport {
        .declined(DeclineReason(.refused, "the capture failed, and the money may still be authorised: \(reason)"))
    }

    /// Returns the report of a capture, as far as the payment's shows it: an execution's statuses state no amount, so
    /// that of a capture by the merchant itself only its own answer does.
    ///
    /// - Returns: the report of the capture.
    /// - Throws: ``PaymentError`` if the query fails.
    public func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport {
        let execution = try await client(context).found(capture.payment)
        if await context.hasRun(Self.failed) { return Self.failure(execution.failure(of: .capture)) }
        let captures = execution.tally(.capture)
        if captures.isInFlight { return .pending(retryAfter: nil) }
        if captures.successes > 0 {
            return unknown(capture, "Payrails shows a capture of the payment, but not over which amount")
        }
        switch execution.report(of: capture.payment, mode: captureMode) {
        case .succeeded(let receipt):
            return .succeeded(PaymentReceipt(reference: capture.reference, amount: receipt.amount))
        case .pending:
            return unknown(capture, "Payrails shows no capture of the payment, which may be on its way")
        case let report: return report
        }
    }

    private func unknown(_ capture: CaptureRequest, _ fact: String) -> ServiceReport {
        .unknown(
            UnknownOutcome(
                reference: capture.reference,
                message: "\(fact); ask for the same capture again, or look at the notifications or the portal"))
    }
}
