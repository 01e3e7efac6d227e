/// The answer to a deletion.
public struct DeleteInstrumentResponse: Sendable, Hashable, Codable {
    /// Whether the instrument is gone.
    public let success: Bool

    /// Creates an answer.
    public init(success: Bool) { self.success = success }
}

/// What to change about a stored instrument; what is nil stays.
public struct UpdateInstrumentBody: Sendable, Hashable, Codable {
    /// `enabled` or `disabled`.
    public var status: String?
    /// A reference of the card network.
    public var networkTransactionReference: String?
    /// The merchant's own reference.
    public var merchantReference: String?
    /// The kind of method.
    public var paymentMethod: String?
    /// Whether the payer prefers it.
    public var `default`: Bool?

    /// Creates a change.
    public init(
        status: String? = nil, networkTransactionReference: String? = nil, merchantReference: String? = nil,
        paymentMethod: String? = nil, default: Bool? = nil
    ) {
        self.status = status
        self.networkTransactionReference = networkTransactionReference
        self.merchantReference = merchantReference
        self.paymentMethod = paymentMethod
        self.default = `default`
    }
}

/// What a saved instrument may be used for later.
public enum FutureUsage: String, Sendable, Hashable, Codable {
    /// Payments that the payer starts.
    case cardOnFile = "CardOnFile"
    /// Regular payments.
    case subscription = "Subscription"
    /// Other payments that the merchant starts.
    case unscheduledCardOnFile = "UnscheduledCardOnFile"
}

/// How an instrument is saved.
public struct TokenizeOptions: Sendable, Hashable {
    /// Whether it is kept for later payments.
    public var storeInstrument: Bool
    /// What it may be used for later.
    public var futureUsage: FutureUsage

    /// Creates options.
    public init(storeInstrument: Bool = false, futureUsage: FutureUsage = .cardOnFile) {
        self.storeInstrument = storeInstrument
        self.futureUsage = futureUsage
    }
}
