/// Money to be given back, named by whoever asks for it.
public struct RefundRequest: Sendable, Hashable, Codable {
    /// The payment that is given back, in part or in full.
    public let payment: PaymentReference
    /// How much.
    public let amount: Money
    /// The asker's own id of this refund, such as the number of a credit note: asked for twice, it is made once.
    public let id: String

    /// Creates a request.
    public init(of payment: PaymentReference, amount: Money, id: String) {
        self.payment = payment
        self.amount = amount
        self.id = id
    }

    /// What the refund itself is called in journals and receipts.
    public var reference: PaymentReference {
        PaymentReference(provider: payment.provider, id: id, subject: .refund)
    }
}
