/// What a payment link asks for and the ways to pay it.
public struct PaymentOptionsResponse: Sendable, Hashable {
    /// The payment's id, for the calls that follow.
    public var paymentId: String
    /// What is to be paid; nil unless asked for.
    public var info: PaymentInfo?
    /// The ways to pay. Empty when the accounts hold too little, and when the payment has been paid, has failed or has
    /// expired: `info.status` tells which.
    public var options: [PaymentOption]
    /// The data about the payer that some option requires. Prefer each option's own
    /// ``PaymentOption/collectData``: options without it need none.
    public var collectData: CollectDataAction?
    /// The transaction, when the payment is already paid and the service tells.
    public var resultInfo: PaymentResultInfo?

    /// Creates a response.
    public init(
        paymentId: String, info: PaymentInfo? = nil, options: [PaymentOption], collectData: CollectDataAction? = nil,
        resultInfo: PaymentResultInfo? = nil
    ) {
        self.paymentId = paymentId
        self.info = info
        self.options = options
        self.collectData = collectData
        self.resultInfo = resultInfo
    }
}
