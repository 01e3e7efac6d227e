import PaymentCore

/// Refunds at the tea house: the conformance declares the capability.
extension TeaProvider: RefundingService {
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        guard request.amount.currency == .eur, request.amount.exponent == 2 else {
            throw PaymentError(.requestRefused, "the tea house refunds euros, in cents")
        }
        let url = try orders([request.payment.id, "refunds"])
        let refund: TeaRefund = try await context.step("refund", .mutation(replay: .sameKey)) {
            try await context.json(
                .post, url, body: ["id": .string(request.id), "amount": .string(request.amount.decimalText)],
                headers: credentials, idempotencyKey: "\(request.payment.id)/\(request.id)")
        }
        return refund.report(of: request)
    }

    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
        let url = try orders([refund.payment.id, "refunds", refund.id])
        let found: TeaRefund = try await context.json(.get, url, headers: credentials)
        return found.report(of: refund)
    }
}

/// A refund as the tea house reports it.
struct TeaRefund: Codable, Sendable {
    let id: String
    let order: String
    let amount: String

    func report(of request: RefundRequest) -> ServiceReport {
        guard id == request.id, order == request.payment.id, amount == request.amount.decimalText else {
            return .unknown(UnknownOutcome(reference: request.reference, message: "the answer names another refund"))
        }
        return .succeeded(PaymentReceipt(reference: request.reference, amount: request.amount))
    }
}
