/// The terms of a payment link and the ways to pay it.
public struct PaymentOptionsResponse: Sendable, Hashable {
    /// The payment's id, for the following calls.
    public var paymentId: String
    /// The terms of the payment; nil unless requested.
    public var info: PaymentInfo?
    /// The ways to pay. Empty when the accounts hold too little, and when the payment has succeeded, failed or expired:
    /// see `info.status`.
    public var options: [PaymentOption]
    /// The data about the payer that some option requires. Prefer each option's own ``PaymentOption/collectData``:
    /// options without it need none.
    public var collectData: CollectDataAction?
    /// The transaction, if the payment is already paid and the service reports it.
    public var resultInfo: PaymentResultInfo?
    /// True if actions that were handed out earlier may have paid, although the service does not report it. Not among
    /// the vendor's members.
    public var mayHaveMovedMoney: Bool

    /// Creates a response.
    public init(
        paymentId: String, info: PaymentInfo? = nil, options: [PaymentOption], collectData: CollectDataAction? = nil,
        resultInfo: PaymentResultInfo? = nil, mayHaveMovedMoney: Bool = false
    ) {
        self.paymentId = paymentId
        self.info = info
        self.options = options
        self.collectData = collectData
        self.resultInfo = resultInfo
        self.mayHaveMovedMoney = mayHaveMovedMoney
    }
}
