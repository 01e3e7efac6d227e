import CitconProvider
import PaymentCore

extension CitconStatus {
    /// Returns the report of this state of a charge or a refund for the merchant. An authorised amount is not paid
    /// yet: the merchant has to capture it.
    func merchantReport(
        of payment: PaymentReference, amount: Money?, transactionID: String?, rawStatus: String? = nil,
        isEarlier: Bool = false
    ) -> ServiceReport {
        switch self {
        case .succeeded:
            .succeeded(
                PaymentReceipt(
                    reference: payment, amount: amount, transactionID: transactionID, isEarlier: isEarlier))
        case .initiated, .pending, .authorized: .pending(retryAfter: nil)
        case .failed: .declined(DeclineReason(.refused, "Citcon reports that it failed"))
        case .canceled: .cancelled
        case .expired: .expired
        case .unknown(let word):
            .unknown(
                UnknownOutcome(
                    reference: payment, rawStatus: Self.printable(rawStatus ?? word),
                    message: "Citcon reports a state that this version does not know"))
        }
    }

    /// True if the charge can no longer be cancelled.
    var isOver: Bool { self == .succeeded || isUnpaid }

    /// True if the state is final and unpaid.
    var isUnpaid: Bool { self == .failed || self == .canceled || self == .expired }

    /// Returns foreign text, cut and made printable.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension TransactionFields {
    /// Returns the report for the merchant: the receipt states the captured amount, which may be a part.
    func merchantReport(of payment: PaymentReference) -> ServiceReport {
        (state ?? .unknown("")).merchantReport(of: payment, amount: moneyTaken, transactionID: id)
    }
}
