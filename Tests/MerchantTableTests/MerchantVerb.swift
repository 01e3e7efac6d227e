import PaymentCore
import PaymentRouting

/// An operation of a merchant on a payment.
enum MerchantVerb: String, Sendable, CaseIterable {
    case capture, cancel, refund

    /// Returns true for the request that carries the operation out.
    func isRequest(_ method: String, _ path: String) -> Bool {
        method == "POST" && path.split(separator: "/").last?.hasPrefix(rawValue) == true
    }

    /// Carries the operation out by `router`, and returns what it states.
    func state(_ payment: PaymentReference, _ amount: Money, by router: PaymentRouter) async -> Statement {
        do throws(PaymentError) {
            switch self {
            case .capture: return Statement(try await router.capture(CaptureRequest(of: payment, amount: amount)), self)
            case .cancel: return Statement(try await router.cancel(payment), self)
            case .refund:
                return Statement(
                    try await router.refund(RefundRequest(of: payment, amount: amount, id: "return-1")), self)
            }
        } catch { return Statement(error) }
    }
}
