/// A question to the payer for an amount.
public struct AmountRequest: Sendable, Hashable {
    /// The payee, as far as is known.
    public let payee: Payee
    /// The unit of the answer: no other currency and no other exponent is taken.
    public let currency: Currency
    /// The least that the payee takes.
    public let minimum: Money?
    /// The payee's suggestion.
    public let suggested: Money?

    /// Creates a request.
    public init(payee: Payee, currency: Currency, minimum: Money? = nil, suggested: Money? = nil) {
        self.payee = payee
        self.currency = currency
        self.minimum = minimum
        self.suggested = suggested
    }
}
