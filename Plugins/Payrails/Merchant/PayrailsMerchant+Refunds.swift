public import PaymentCore
import ServiceSupport

extension PayrailsMerchant: RefundingService {
    /// Refunds a payment once: the request's key follows from the payment and the refund's id, which may be any text.
    ///
    /// The service accepts a refund and reports its result later. This method waits a few seconds for it; after that
    /// the refund is pending, and ends with its notification, or when it is requested again.
    ///
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let client = client(context)
        let mark = RefundMark.of(request)
        let isRepeated = await context.hasRun(RefundMark.found)
        let before = try await context.step(RefundMark.found, .query) {
            let execution = try await client.found(request.payment)
            try client.check(request.amount, against: execution.amount, "the refund")
            let refunds = execution.tally(.refund)
            // Statuses name no refund: the results of two concurrent ones could not be assigned.
            guard !refunds.isInFlight else {
                throw PaymentError(
                    .requestRefused, "another refund of this payment is in progress; ask again when it has ended",
                    provider: self.id, retry: .later)
            }
            guard execution.status(captureMode) == .captured || execution.tally(.capture).isInFlight else {
                throw PaymentError(
                    .requestRefused,
                    "Payrails refunds only what was captured; cancel the payment, or capture it first",
                    provider: self.id)
            }
            return refunds
        }
        // Refunds that show by now may be others, begun after an interruption of this one.
        let shown = isRepeated ? try await client.found(request.payment).tally(.refund) : before
        // A failure to get a token must not leave open whether the refund itself was sent.
        try await asMerchant(id) { () throws(CallError) in try await client.calls.prepare() }
        let receipt: ActionReceipt
        do {
            receipt = try await context.step("refund", .mutation(replay: .sameKey)) {
                let amount = WireAmount.body(request.amount)
                return try await client.act(
                    .refund, on: request.payment,
                    ["amount": amount, "meta": [RefundMark.member: .string(mark), RefundMark.amount: amount]],
                    key: client.key(["refund", request.payment.id, mark]), since: before)
            }
        } catch let error as PaymentError where error.phase == .answered && error.code == .requestRefused {
            return .declined(DeclineReason(.refused, "no money went back: \(error.message)"))
        }
        let after = await client.look(at: request.payment) {
            $0.hasEnded(.refund, since: before) && $0.tally(.refund).requests > shown.requests
        }
        // Counting proves nothing if another worker has begun a refund of the payment meanwhile.
        try await context.ensureInCharge()
        return try await ending(of: request, receipt, since: before, after, context)
    }

    /// Returns the report of the refund of `receipt`, as the execution shows it `after` the request.
    private func ending(
        of request: RefundRequest, _ receipt: ActionReceipt, since before: ActionTally, _ after: ExecutionRecord?,
        _ context: ProviderContext
    ) async throws -> ServiceReport {
        do {
            switch try after?.tally(.refund).ending(since: before) {
            case true?:
                return .succeeded(
                    PaymentReceipt(
                        reference: request.reference, amount: request.amount, transactionID: receipt.actionID))
            case false?:
                let reason = after?.failure(of: .refund) ?? ""
                // From here on the journal knows the result, which no status gives for this refund alone.
                _ = try await context.step(RefundMark.failed, .query) { reason }
                return Self.failure(reason)
            case nil: return .pending(retryAfter: .seconds(60))
            }
        } catch is ActionTally.MixedEndingsError {
            return .unknown(
                UnknownOutcome(
                    reference: request.reference,
                    message:
                        "several refunds of the payment have ended, not all of them well; the notifications, or the "
                        + "portal, say which"))
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
        if await context.hasRun(RefundMark.failed) { return Self.failure(execution.failure(of: .refund)) }
        let refunds = execution.tally(.refund)
        if refunds.isInFlight { return .pending(retryAfter: nil) }
        return .unknown(
            UnknownOutcome(
                reference: refund.reference,
                message: refunds.successes + refunds.failures == 0
                    ? "Payrails shows no refund of the payment; it may be on its way, so ask for the same one again"
                    : "Payrails shows refunds of the payment, but not which; ask for the same one again, or wait for its "
                        + "notification"))
    }
}

/// The reference that identifies a refund (Protocol 3.4).
enum RefundMark {
    /// The member of `meta` with the refund's id as ``of(_:)`` spells it; notifications repeat it.
    static let member = "refundReference"
    /// The member of `meta` with the refund's amount: notifications state otherwise only the payment's total.
    static let amount = "refundAmount"
    /// The name of the step that finds the payment, before the refund is requested.
    static let found = "find the payment"
    /// The name of the step that records a failed refund.
    static let failed = "the refund failed"

    private static let longest = 120

    /// Returns the name of a refund at the service. A refund after one that failed has another name, since the service
    /// answers a repeated key as before.
    static func of(_ request: RefundRequest) -> String {
        ServiceName.make(request.id, turn: request.earlierFailures, limit: longest, isSound: isSound)
    }

    /// Returns the id of the refund with this name; nil where the name is not one of this library's, or a digest.
    static func id(in name: String) -> String? { isSound(name) ? ServiceName.read(name) : nil }

    private static func isSound(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
