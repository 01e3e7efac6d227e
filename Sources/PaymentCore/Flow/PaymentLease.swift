/// The right to write about one payment in a shared journal, held by one worker at a time.
public struct PaymentLease: Sendable, Hashable {
    /// The payment.
    public let payment: PaymentReference
    /// Who holds it: random, made once per holding, so that one that was lost is never mistaken for a later one.
    public let holder: String
    /// How long the holder may be silent before others may take over.
    public let duration: Duration

    /// Makes a lease.
    public init(payment: PaymentReference, holder: String, duration: Duration) {
        self.payment = payment
        self.holder = holder
        self.duration = duration
    }
}
