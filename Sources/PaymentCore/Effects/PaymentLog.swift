/// Where a payment reports what it does. One value per event; events never hold secrets or personal data.
public struct PaymentLog: Sendable {
    private let sink: @Sendable (PaymentEvent) -> Void

    /// Creates a log that sends every event to `sink`.
    ///
    /// - Parameter sink: hears every event, from any task.
    public init(_ sink: @escaping @Sendable (PaymentEvent) -> Void) {
        self.sink = sink
    }

    /// Drops every event.
    public static let silent = PaymentLog { _ in }

    /// Reports `event`.
    public func callAsFunction(_ event: PaymentEvent) { sink(event) }
}

/// Something that happened in a payment.
public struct PaymentEvent: Sendable, Hashable {
    /// What kind of thing happened.
    @nonexhaustive
    public enum Kind: Sendable, Hashable {
        /// A durable step began.
        case stepStarted
        /// A durable step ended and its result is stored.
        case stepFinished
        /// A step's stored result was used instead of running it again.
        case stepReplayed
        /// A remark of the provider.
        case note
        /// The payment reached an outcome.
        case outcome
    }

    /// The provider it concerns.
    public let provider: ProviderID
    /// The attempt it concerns, once there is one.
    public let attempt: AttemptID?
    /// What kind of thing happened.
    public let kind: Kind
    /// The name of the step, or a short text without secrets or personal data.
    public let message: String

    /// Creates an event.
    public init(provider: ProviderID, attempt: AttemptID?, kind: Kind, message: String) {
        self.provider = provider
        self.attempt = attempt
        self.kind = kind
        self.message = message
    }
}
