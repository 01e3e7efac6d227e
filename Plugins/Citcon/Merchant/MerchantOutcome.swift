import CitconProvider
import PaymentCore

extension CitconStatus {
    /// What this state of a charge or a refund means to the merchant. Money that is only set aside is not there yet:
    /// the merchant has to capture it.
    func merchantOutcome(
        of payment: PaymentReference, amount: Money?, transactionID: String?, rawStatus: String? = nil
    ) -> PaymentOutcome {
        switch self {
        case .succeeded:
            .succeeded(PaymentReceipt(reference: payment, amount: amount, transactionID: transactionID))
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

    /// Whether nothing can be called off any more.
    var isOver: Bool { self == .succeeded || isUnpaid }

    /// Whether it is over, and nobody can pay it.
    var isUnpaid: Bool { self == .failed || self == .canceled || self == .expired }

    /// A foreign word cut to what may be shown.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(40).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}

extension TransactionFields {
    /// What it means to the merchant: a receipt is over what was taken, which may be a part.
    func merchantOutcome(of payment: PaymentReference) -> PaymentOutcome {
        (state ?? .unknown("")).merchantOutcome(of: payment, amount: moneyTaken, transactionID: id)
    }
}
