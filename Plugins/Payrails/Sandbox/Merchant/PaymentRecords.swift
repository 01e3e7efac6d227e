import PaymentCore
import SandboxSupport

/// The records of payments, with the moved amounts: `GET /payment/payments?filter[merchantReference]=…`.
extension PayrailsSandbox {
    func payments(_ request: HTTPRequest) throws(PayrailsSandboxError) -> HTTPResponse {
        guard request.method == .get else { throw .wrongMethod }
        try requireMerchant(request)
        guard configuration.statesRecords else { throw .unknownPath }
        let wanted = QueryItems(Substring(request.url.query ?? "")).first {
            PercentCoding.decode($0.name) == "filter[merchantReference]"
        }?.decodedValue
        guard let wanted, !wanted.isEmpty else { throw .invalid("filter", "must name a payment") }
        var results: [JSONValue] = []
        for id in executions.filter({ $0.value.merchantReference == wanted }).keys.sorted() {
            let execution = try current(id)
            // A payment is recorded with its authorisation.
            guard execution.has("authorizeSuccessful") else { continue }
            let captured = execution.units(.capture, [.successful])
            let refunded = captured - (execution.isCancelled ? 0 : execution.kept)
            results.append([
                "id": .string("payment-" + id), "merchantReference": .string(wanted), "amount": execution.amount.body,
                "capturedAmount": execution.amount.with(units: captured).body,
                "refundedAmount": execution.amount.with(units: refunded).body,
            ])
        }
        return .json(["results": .array(results)])
    }
}
