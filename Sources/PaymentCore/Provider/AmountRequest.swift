/// A question to the payer: how much?
public struct AmountRequest: Sendable, Hashable {
    /// Who is paid, as far as is known.
    public let payee: Payee
    /// What the answer has to be in: no other currency and no other exponent is taken.
    public let currency: Currency
    /// The least that the payee takes.
    public let minimum: Money?
    /// What the payee suggests.
    public let suggested: Money?

    /// Creates a request.
    public init(payee: Payee, currency: Currency, minimum: Money? = nil, suggested: Money? = nil) {
        self.payee = payee
        self.currency = currency
        self.minimum = minimum
        self.suggested = suggested
    }
}
