/// A payer's request for a receipt, before paying.
public struct PaykitReceiptRequest: Sendable, Hashable {
    /// The amount in satoshis.
    public var amount: UInt64
    /// The method, such as `lightning`.
    public var method: String
    /// Further data for the payee.
    public var metadata: [String: String]

    /// Creates a request.
    public init(amount: UInt64, method: String, metadata: [String: String] = [:]) {
        self.amount = amount
        self.method = method
        self.metadata = metadata
    }
}

/// The record that payer and payee keep of a payment agreed over a channel. It is not signed.
public struct PaykitReceipt: Sendable, Hashable {
    /// The name that both sides use.
    public var receiptId: String
    /// The payer's key.
    public var payer: String
    /// The payee's key.
    public var payee: String
    /// The method, such as `lightning`.
    public var methodId: String
    /// Decimal text in the currency's own unit; nil if it is open.
    public var amount: String?
    /// Such as `SAT`.
    public var currency: String?
    /// Seconds since 1970.
    public var createdAt: Int64
    /// A JSON object with further data of both sides, including the payee's `invoice` or `address`.
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
