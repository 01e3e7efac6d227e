import PaymentCore

extension ShopProvider: RedirectCompletingProvider {
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> PaymentOutcome {
        try await status(of: attempt.reference, in: context)
    }
}

extension ShopProvider: CancellingService {
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome {
        let request = HTTPRequest(.post, try url(payment, ["cancel"]), replay: .safe)
        let state: State = try await context.step("cancel", .mutation(replay: .sameKey)) {
            try await exchange(payment, request, isMutation: true, context)
        }
        return state.outcome(payment)
    }
}

extension ShopProvider: RefundingService {
    private struct Refund: Codable {
        let refund: String
    }

    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        let body: JSONValue = ["id": .string(request.id), "amount": .string(String(request.amount.minorUnits))]
        let post = HTTPRequest(
            .post, try url(request.payment, ["refunds"]), body: body.serialized(), replay: .safe)
        do {
            _ = try await context.step("refund", .mutation(replay: .sameKey)) {
                try await exchange(request.payment, post, isMutation: true, context) as Refund
            }
        } catch let error as PaymentError where error.phase == .answered && error.vendorCode == "402" {
            return .declined(DeclineReason(.refused, "the shop gives nothing back"))
        }
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }

    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome {
        let get = HTTPRequest(.get, try url(refund.payment, ["refunds", refund.id]))
        do { _ = try await exchange(refund.payment, get, isMutation: false, context) as Refund } catch let error
            as PaymentError where error.vendorCode == "404"
        {
            return .unknown(UnknownOutcome(reference: refund.reference, message: "the shop knows of no such refund"))
        }
        return .succeeded(PaymentReceipt(reference: refund.reference, amount: refund.amount))
    }
}

extension ShopProvider: NotificationReadingService {
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let body = try JSONValue(parsing: notification.body)
        guard notification.headers["Shop-Sign"] == "genuine", let id = body["id"]?.string,
            let status = body["status"]?.string
        else { throw PaymentError(.untrustedNotification, "it is not the shop's", provider: Self.id) }
        let reference = PaymentReference(provider: Self.id, id: id)
        let outcome: PaymentOutcome =
            switch status {
            case "paid": .succeeded(PaymentReceipt(reference: reference))
            case "declined": .declined(DeclineReason(.refused, "the card was refused"))
            case "cancelled": .cancelled
            default: .unknown(UnknownOutcome(reference: reference, message: "an unknown word"))
            }
        return PaymentNotification(reference: reference, outcome: outcome)
    }
}
