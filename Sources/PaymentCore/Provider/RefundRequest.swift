/// A refund to be made, named by the caller.
public struct RefundRequest: Sendable, Hashable, Codable {
    /// The payment that is refunded, in part or in full.
    public let payment: PaymentReference
    /// The amount.
    public let amount: Money
    /// The caller's own id of this refund of the payment, such as the number of a credit note: requested twice, it is
    /// made once.
    public let id: String

    /// Creates a request.
    public init(of payment: PaymentReference, amount: Money, id: String) {
        self.payment = payment
        self.amount = amount
        self.id = id
    }

    /// The name of the refund itself in journals and receipts.
    public var reference: PaymentReference {
        PaymentReference(provider: payment.provider, id: id, subject: .refund(of: payment.id))
    }
}
