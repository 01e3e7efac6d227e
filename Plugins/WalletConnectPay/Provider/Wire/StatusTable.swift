package import PaymentCore

extension StatusBody {
    /// Returns the report for this status. An unknown status is never success or failure.
    package func report(of payment: PaymentReference) -> ServiceReport {
        switch status {
        case .succeeded:
            .succeeded(
                PaymentReceipt(
                    reference: payment, amount: (info?.optionAmount).flatMap { try? $0.money() },
                    transactionID: info?.txId))
        case .failed:
            failureCode == nil
                ? .declined(DeclineReason(.refused, "the service reports that the payment failed"))
                : .declined(.payer)
        case .expired: .expired
        case .cancelled: .cancelled
        case .requiresAction, .processing:
            .pending(retryAfter: pollInMs.map { .milliseconds(max(0, $0)) })
        case .unknown:
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: status.printable,
                    message: "the service reports a state that this version does not know"))
        }
    }
}

extension DeclineReason {
    /// The service refuses this payer for legal reasons.
    static let payer = DeclineReason(.compliance, "the service declined this payer")
}
