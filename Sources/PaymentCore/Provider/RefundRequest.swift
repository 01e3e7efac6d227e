/// A refund to be made, named by the caller.
public struct RefundRequest: Sendable, Hashable, Codable {
    /// The payment that is refunded, in part or in full.
    public let payment: PaymentReference
    /// The amount.
    public let amount: Money
    /// The caller's own id of this refund, such as the number of a credit note; any text. It stands for one payment and
    /// one amount in the whole account: requested twice, the refund is made once, and the same id with another payment
    /// or amount is refused.
    public let id: String
    /// The number of earlier refunds under this id that the service accepted, and that failed afterwards. A service
    /// that recognises a repetition by a name has used that name then, and needs another one. Zero in requests of
    /// callers; routers count.
    public package(set) var earlierFailures = 0

    private enum CodingKeys: CodingKey {
        case payment, amount, id
    }

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
