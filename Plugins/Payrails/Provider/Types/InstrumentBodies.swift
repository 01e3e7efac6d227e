/// The answer to a deletion.
public struct DeleteInstrumentResponse: Sendable, Hashable, Codable {
    /// True if the instrument is deleted.
    public let success: Bool

    /// Creates an answer.
    public init(success: Bool) { self.success = success }
}

/// The changes to a stored instrument; a nil value leaves the present one.
public struct UpdateInstrumentBody: Sendable, Hashable, Codable {
    /// The status, `enabled` or `disabled`.
    public var status: String?
    /// A reference of the card network.
    public var networkTransactionReference: String?
    /// The merchant's own reference.
    public var merchantReference: String?
    /// The kind of method.
    public var paymentMethod: String?
    /// True if the payer prefers the instrument.
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

/// The later use of a saved instrument.
public enum FutureUsage: String, Sendable, Hashable, Codable {
    /// Payments that the payer starts.
    case cardOnFile = "CardOnFile"
    /// Regular payments.
    case subscription = "Subscription"
    /// Other payments that the merchant starts.
    case unscheduledCardOnFile = "UnscheduledCardOnFile"
}

/// The options for saving an instrument.
public struct TokenizeOptions: Sendable, Hashable {
    /// True if the instrument is kept for later payments.
    public var storeInstrument: Bool
    /// The later use of the instrument.
    public var futureUsage: FutureUsage

    /// Creates options.
    public init(storeInstrument: Bool = false, futureUsage: FutureUsage = .cardOnFile) {
        self.storeInstrument = storeInstrument
        self.futureUsage = futureUsage
    }
}
