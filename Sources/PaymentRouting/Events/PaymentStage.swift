public import PaymentCore

/// Where a payment stands, as far as its events tell: what a screen shows.
///
/// It is made from events one after the other and decides nothing; what `PaymentRouter.pay` returns counts.
public struct PaymentStage: Sendable, Hashable {
    /// What is going on.
    @nonexhaustive
    public enum Activity: Sendable, Hashable {
        /// Nothing yet.
        case idle
        /// The service is asked what is to be paid.
        case asking
        /// The payer chooses.
        case choosing(PaymentQuote)
        /// The payment is carried out.
        case working
        /// The payer is asked for something.
        case awaitingPayer(PayerNeed)
        /// The service, or the network, is given time.
        case waiting
        /// It has an outcome; look whether that is final.
        case ended(PaymentOutcome)
        /// It could not be carried on.
        case failed(PaymentError)
    }

    /// What is going on.
    public private(set) var activity = Activity.idle
    /// The attempt, once there is one: what to resume after an interruption.
    public private(set) var attempt: AttemptID?
    /// The option that is paid, once it is chosen.
    public private(set) var option: PaymentMethodOption?
    /// Whether money may have moved: leaving then needs a word to the payer.
    public private(set) var mayHaveMovedMoney = false
    /// Whether it is about money that goes back.
    private var isRefund = false

    /// Creates a stage at which nothing has happened.
    public init() {}

    /// Takes the next event.
    ///
    /// - Parameter event: an event of the payment.
    public mutating func take(_ event: PaymentEvent) {
        if let attempt = event.attempt { self.attempt = attempt }
        isRefund = event.reference?.subject == .refund
        switch event.kind {
        case .quoting: activity = .asking
        case .quoted(let quote): activity = .choosing(quote)
        case .chosen(let option), .began(let option):
            self.option = option
            activity = .working
        case .continued(let option):
            self.option = option
            mayHaveMovedMoney = true
            activity = .working
        case .stepStarted(_, let kind), .stepReplayed(_, let kind):
            mayHaveMovedMoney = mayHaveMovedMoney || kind.movesMoney
            activity = .working
        case .stepFinished, .stepFailed, .joined, .payerAnswered: activity = .working
        case .payerAsked(let need): activity = .awaitingPayer(need)
        case .retrying, .waiting: activity = .waiting
        case .outcome(let outcome): activity = .ended(outcome)
        case .abandoned: mayHaveMovedMoney = false
        case .failed(let error): activity = .failed(error)
        case .routed, .note: break
        }
    }
}

extension PaymentStage: CustomStringConvertible {
    /// One line for people: what is going on, and what is waited for.
    public var description: String {
        switch activity {
        case .idle: "Not begun"
        case .asking: "Asking what is to be paid"
        case .choosing(let quote):
            quote.options.isEmpty ? "Nothing to choose" : "Choosing among \(quote.options.count) ways to pay"
        case .working where isRefund: "Refunding"
        case .working: option.map { "Paying with \($0.title)" } ?? "Paying"
        case .awaitingPayer(let need): "Waiting for \(need)"
        case .waiting: "Waiting for the service"
        case .ended(let outcome): outcome.description
        case .failed(let error): error.message
        }
    }
}
