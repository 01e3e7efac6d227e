import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a webhook: the whole payment in its current state, whatever the event.
struct WebhookBody {
    let json: JSONValue

    init(_ kind: String, _ payment: PaymentRecord, id: String, at now: Date) {
        json = [
            "id": .string(id), "type": .string(kind), "api_version": "2026-05-18",
            "created_at": .string(WalletConnectPaySandbox.time(now)),
            "data": Self.data(payment, isSettled: kind == "payment.settled"),
        ]
    }

    private static func data(_ payment: PaymentRecord, isSettled: Bool) -> JSONValue {
        let transaction = payment.transfer.map { JSONValue.string($0.transactionID) } ?? .null
        func event(_ status: PaymentRecord.Status, _ name: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
            guard payment.status == status else { return .null }
            return .object(more.merging([name: time(payment.changedAt)]) { $1 })
        }
        return [
            "payment_id": .string(payment.id), "merchant_id": .string(payment.merchantID),
            "live": .bool(payment.world == .live), "reference_id": .string(payment.referenceID),
            "payment_state_version": .number(JSONNumber(payment.version)),
            "status": .string(payment.status.rawValue), "amount": payment.pricing.plainAmount(payment.units),
            "created_at": time(payment.createdAt),
            "expires_at": time(Date(timeIntervalSince1970: Double(payment.expiresAt))),
            "processing": processing(payment),
            "success": event(.succeeded, "succeeded_at", ["tx_id": transaction]),
            "failed": event(
                .failed, "failed_at", ["failure_reason": payment.failureCode.map { .string($0) } ?? .null]),
            "cancelled": event(
                .cancelled, "cancelled_at",
                ["cancellation_reason": payment.cancelledReason.map { .string($0) } ?? .null]),
            "expired": event(.expired, "expired_at"),
            "settled": isSettled
                ? [
                    "settled_at": time(payment.changedAt), "tx_id": transaction,
                    "amount": payment.transfer?.plainAmount ?? nil,
                ] : nil,
        ]
    }

    private static func processing(_ payment: PaymentRecord) -> JSONValue {
        guard let transfer = payment.transfer, let date = payment.processingAt else { return nil }
        let fees = Fees(on: payment.units, in: payment.pricing)
        let pricing = payment.pricing
        return [
            "processing_at": time(date), "option_amount": transfer.plainAmount,
            "fee": [
                "kind": "base_plus_percent", "base_amount": pricing.plainAmount(fees.fixed),
                "percent": ["numerator": "4", "denominator": "1000"],
                "percent_amount": pricing.plainAmount(fees.percentage), "total_amount": pricing.plainAmount(fees.total),
            ],
            "settlement_amount": pricing.plainAmount(payment.units - min(payment.units, fees.total)),
            "buyer_caip10": .string(transfer.account),
            "chain_caip2": .string(transfer.account.split(separator: ":").prefix(2).joined(separator: ":")),
        ]
    }

    private static func time(_ date: Date) -> JSONValue { .string(WalletConnectPaySandbox.time(date)) }
}
