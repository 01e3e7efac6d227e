/// What a payer asks a payee for, before paying.
public struct PaykitReceiptRequest: Sendable, Hashable {
    /// In satoshis.
    public var amount: UInt64
    /// The method, such as `lightning`.
    public var method: String
    /// Whatever the payee is to know of the payment.
    public var metadata: [String: String]

    /// Creates a request.
    public init(amount: UInt64, method: String, metadata: [String: String] = [:]) {
        self.amount = amount
        self.method = method
        self.metadata = metadata
    }
}

/// What payer and payee hold of a payment that they spoke about. Nobody has signed it.
public struct PaykitReceipt: Sendable, Hashable {
    /// What both call it.
    public var receiptId: String
    /// The key of who pays.
    public var payer: String
    /// The key of who is paid.
    public var payee: String
    /// The method, such as `lightning`.
    public var methodId: String
    /// Decimal text in the currency's own unit; nil where it is open.
    public var amount: String?
    /// Such as `SAT`.
    public var currency: String?
    /// Seconds since 1970.
    public var createdAt: Int64
    /// A JSON object with whatever both want to know, the payee's `invoice` or `address` among it.
    public var metadataJson: String

    /// Creates a receipt.
    public init(
        receiptId: String, payer: String, payee: String, methodId: String, amount: String? = nil,
        currency: String? = nil, createdAt: Int64, metadataJson: String = "{}"
    ) {
        self.receiptId = receiptId
        self.payer = payer
        self.payee = payee
        self.methodId = methodId
        self.amount = amount
        self.currency = currency
        self.createdAt = createdAt
        self.metadataJson = metadataJson
    }
}
