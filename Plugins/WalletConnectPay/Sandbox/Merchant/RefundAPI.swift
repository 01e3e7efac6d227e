import PaymentCore
import PaymentTesting
import SandboxSupport

/// Refunds: a mark on a whole payment, which no later answer shows.
extension WalletConnectPaySandbox {
    func refund(_ request: HTTPRequest) throws(ServiceError) -> HTTPResponse {
        let caller = try RequestChecks.caller(request.headers, configuration, needsMerchant: true, isCore: false)
        let body = try RequestChecks.body(request)
        guard let id = body["paymentId"]?.string, Self.isRefundable(id) else {
            throw .invalid("paymentId", "must be a payment's id")
        }
        guard let payment = try? own(id, caller) else { throw .notFound }
        guard payment.status == .succeeded else {
            throw ServiceError(
                status: 400, code: "payment_not_succeeded", message: "Payment is not in a refundable state")
        }
        guard !payment.isRefunded else {
            throw ServiceError(status: 409, code: "already_refunded", message: "Payment is already refunded")
        }
        payments[id]?.isRefunded = true
        record(id, .refunded(amount: "\(payment.units) \(payment.pricing.unit)"))
        return .json(["paymentId": .string(id)]).speaking(caller.version)
    }

    /// Returns true for `^pay_[A-Za-z0-9]+$`, at most 64 characters.
    private static func isRefundable(_ id: String) -> Bool {
        id.hasPrefix("pay_") && (5...64).contains(id.utf8.count)
            && id.utf8.dropFirst(4).allSatisfy { $0.isASCIIDigit || $0.isASCIILetter }
    }
}

extension HTTPResponse {
    /// Returns the response with the version of the request.
    func speaking(_ version: String) -> HTTPResponse {
        var response = self
        response.headers["WCP-Version"] = version
        return response
    }
}
