/// A person's decision about a payment whose service, wallet or settler never answers.
@nonexhaustive
public enum PaymentDecision: String, Sendable, Hashable, CaseIterable {
    /// It is paid or, for a refund, refunded.
    case paid
    /// It is not paid, and never will be.
    case notPaid = "not-paid"
    /// It is not paid, although the payer's wallet or settler reported a transaction or a proof: as when the network
    /// has dropped that transaction, and no longer can carry it out.
    case notPaidDespiteTransaction = "not-paid-despite-transaction"
}
