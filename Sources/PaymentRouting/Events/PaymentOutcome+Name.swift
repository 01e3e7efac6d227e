public import PaymentCore

extension PaymentOutcome {
    /// A short name that does not change, for the labels of metrics and for scripts: `succeeded`, `declined`,
    /// `cancelled`, `expired`, `pending` or `unknown`. Unlike the description it has nothing of the payment.
    public var name: String {
        switch self {
        case .succeeded: "succeeded"
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .pending: "pending"
        case .unknown: "unknown"
        }
    }
}
