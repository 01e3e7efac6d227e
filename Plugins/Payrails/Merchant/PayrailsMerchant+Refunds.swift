public import PaymentCore

extension PayrailsMerchant: RefundingService {
    /// Gives money back, once: the request's key follows from the payment and the refund's id.
    ///
    /// The service takes a refund on and says how it ended later. Here it is waited for a few seconds; after that it is
    /// pending, and ends with its notification, or when it is asked for again.
    ///
    /// - Returns: what has become of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    public func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        guard RefundMark.isSound(request.id) else {
            throw PaymentError(
                .requestRefused, "a refund's id must be 1 to 120 printable ASCII characters", provider: id)
        }
        let client = client(context)
        let before = try await context.step("find the payment", .query) {
            let execution = try await client.found(request.payment)
            try client.check(request.amount, against: execution.amount, "the refund")
            let refunds = execution.tally(.refund)
            // Statuses name no refund: of two at the same time, nobody could say which ended how.
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
        // A token that is not there yet must not blur whether the refund itself was sent.
        try await asMerchant(id) { () throws(CallError) in try await client.calls.prepare() }
        let receipt: ActionReceipt
        do {
            receipt = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await ask(request, since: before, client)
            }
        } catch let error as PaymentError where error.phase == .answered && error.code == .requestRefused {
            return .declined(DeclineReason(.refused, "no money went back: \(error.message)"))
        }
        return try await ending(of: request, receipt, since: before, client, context)
    }

    /// Asks for the refund: the call that moves money.
    private func ask(
        _ request: RefundRequest, since before: ActionTally, _ client: PayrailsMerchantClient
    ) async throws(PaymentError) -> ActionReceipt {
        let body: JSONValue = [
            "amount": WireAmount.body(request.amount), "meta": [RefundMark.member: .string(request.id)],
        ]
        let key = client.key(["refund", request.payment.id, request.id])
        do throws(CallError) {
            return try await client.calls.act(.refund, on: request.payment.id, body, key: key)
        } catch {
            let open = ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: true, at: id)
            guard case .refused(let refusal) = error, refusal.isOfState, open.phase == .maybeSent,
                let execution = try? await client.found(request.payment), execution.tally(.refund) == before
            else { throw open }
            // The state forbids it, a copy under the same key would have been answered like the first, and none shows.
            throw ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: false, at: id)
        }
    }

    /// How the refund that `receipt` is for has ended.
    private func ending(
        of request: RefundRequest, _ receipt: ActionReceipt, since before: ActionTally,
        _ client: PayrailsMerchantClient, _ context: ProviderContext
    ) async throws -> PaymentOutcome {
        let after = await client.look(at: request.payment) { $0.hasEnded(.refund, since: before) }
        do {
            switch try after?.tally(.refund).ending(since: before) {
            case true?:
                return .succeeded(
                    PaymentReceipt(
                        reference: request.reference, amount: request.amount, transactionID: receipt.actionID))
            case false?:
                let reason = after?.failure(of: .refund) ?? ""
                // What no status tells of this refund alone is known from here on.
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

    private static func failure(_ reason: String) -> PaymentOutcome {
        .declined(DeclineReason(.refused, "the refund failed, and no money went back: \(reason)"))
    }

    /// Asks what has become of a refund. An execution's statuses name no refund, so that they prove only that none is
    /// there: notifications tell refunds apart, and so does asking for the same one again, which makes no second.
    ///
    /// - Returns: what has become of the refund.
    /// - Throws: ``PaymentError`` when the service cannot be asked.
    public func status(of refund: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
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

/// How a refund is told from others (Protocol 3.4).
enum RefundMark {
    /// The member of `meta` that holds the refund's id; notifications repeat it.
    static let member = "refundReference"
    /// The step that stands for a refund that failed.
    static let failed = "the refund failed"

    static func isSound(_ id: String) -> Bool {
        (1...120).contains(id.utf8.count) && id.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}
