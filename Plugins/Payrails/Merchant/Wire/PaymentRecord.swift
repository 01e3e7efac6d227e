import PaymentCore
import PayrailsProvider

/// The record of a payment, which states the moved amounts (Protocol 4.2).
struct PaymentRecord: Sendable, Hashable {
    private let captured: Money?
    private let refunded: Money?

    /// Creates a record from the service's list of payments; nil unless the list has one payment, over `total`.
    init?(_ answer: JSONValue, total: Money) {
        guard let list = answer["results"]?.array, list.count == 1 else { return nil }
        let record = list[0]
        guard case .stated(total) = WireAmount(record["amount"]) else { return nil }
        func part(_ name: String) -> Money? {
            guard case .stated(let money) = WireAmount(record[name]), money.currency == total.currency,
                money.minorUnits <= total.minorUnits
            else { return nil }
            return money
        }
        captured = part("capturedAmount")
        refunded = part("refundedAmount")
    }

    /// Returns the amount that actions of `kind` have moved; nil if the record does not state it.
    func moved(by kind: PayrailsAction) -> Money? {
        switch kind {
        case .capture: captured
        case .refund: refunded
        default: nil
        }
    }
}

extension PayrailsMerchantClient {
    /// Returns the report of the payment of `execution`. Where the merchant captures, only the payment's record states
    /// the amount.
    func report(of payment: PaymentReference, _ execution: ExecutionRecord) async -> ServiceReport {
        let mode = merchant.captureMode
        let isOwn = mode == .manual && execution.status(mode) == .captured
        return execution.report(of: payment, mode: mode, captured: isOwn ? await captured(of: execution) : nil)
    }

    /// Returns the captured amount; nil if the service does not state it.
    func captured(of execution: ExecutionRecord) async -> Money? {
        await record(of: execution)?.moved(by: .capture).flatMap { $0.isZero ? nil : $0 }
    }

    /// Returns the record of the payment of `execution`; nil if the service does not state it.
    func record(of execution: ExecutionRecord) async -> PaymentRecord? {
        guard let order = execution.order, let total = execution.amount else { return nil }
        let list = try? await calls.send(.get, ["payment", "payments"], query: [("filter[merchantReference]", order)])
        return list.flatMap { PaymentRecord($0, total: total) }
    }
}
