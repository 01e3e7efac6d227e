/// A capture to be made: the payee takes money that the payer has authorised. Services capture a payment once.
public struct CaptureRequest: Sendable, Hashable, Codable {
    /// The payment whose money is captured.
    public let payment: PaymentReference
    /// The amount: all of what was authorised, or less.
    public let amount: Money

    /// Creates a request.
    public init(of payment: PaymentReference, amount: Money) {
        self.payment = payment
        self.amount = amount
    }

    /// The name of the capture itself in journals and receipts.
    public var reference: PaymentReference {
        PaymentReference(provider: payment.provider, id: payment.id, subject: .capture)
    }
}
