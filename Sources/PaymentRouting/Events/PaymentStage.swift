public import PaymentCore

#if canImport(Observation)
    public import Observation
#endif

/// The stage of a payment, derived from its events, for a screen.
///
/// It is made from events one after the other and decides nothing. The result of `PaymentRouter.pay` is authoritative.
public struct PaymentStage: Sendable, Hashable {
    /// The present activity.
    @nonexhaustive
    public enum Activity: Sendable, Hashable {
        /// Nothing yet.
        case idle
        /// The service is asked for the terms.
        case asking
        /// The payer chooses.
        case choosing(PaymentQuote)
        /// The payment is carried out.
        case working
        /// The payer is asked for something.
        case awaitingPayer(PayerNeed)
        /// The service, or the network, is given time.
        case waiting
        /// The payment has an outcome, which may not be final.
        case ended(PaymentOutcome)
        /// The payment could not continue.
        case failed(PaymentError)
    }

    /// The present activity.
    public private(set) var activity = Activity.idle
    /// The attempt, once there is one. Resume it after an interruption.
    public private(set) var attempt: AttemptID?
    /// The option that is paid, once it is chosen.
    public private(set) var option: PaymentMethodOption?
    /// True if money may have moved. Warn the payer before leaving.
    public private(set) var mayHaveMovedMoney = false
    /// The payment, its capture or a refund of it.
    private var subject = PaymentReference.Subject.payment

    /// Creates a stage at which nothing has happened.
    public init() {}

    /// Takes the next event.
    ///
    /// - Parameter event: an event of the payment.
    public mutating func take(_ event: PaymentEvent) {
        if let attempt = event.attempt { self.attempt = attempt }
        subject = event.reference?.subject ?? .payment
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
        case .outcome(let outcome), .corrected(let outcome): activity = .ended(outcome)
        case .abandoned: mayHaveMovedMoney = false
        case .failed(let error): activity = .failed(error)
        case .routed, .note: break
        }
    }
}

extension PaymentStage: CustomStringConvertible {
    /// One line for people: the present activity, and the event it waits for.
    public var description: String {
        switch activity {
        case .idle: "Not begun"
        case .asking: "Asking what is to be paid"
        case .choosing(let quote):
            quote.options.isEmpty ? "Nothing to choose" : "Choosing among \(quote.options.count) ways to pay"
        case .working:
            switch subject {
            case .capture: "Capturing"
            case .cancellation: "Cancelling"
            case .refund: "Refunding"
            default: option.map { "Paying with \($0.title)" } ?? "Paying"
            }
        case .awaitingPayer(let need): "Waiting for \(need)"
        case .waiting: "Waiting for the service"
        case .ended(let outcome): outcome.description
        case .failed(let error): error.message
        }
    }
}

#if canImport(Observation)
    /// A payment's progress for a screen: SwiftUI redraws the views that read it, UIKit and others track it with
    /// `withObservationTracking`.
    ///
    /// ```swift
    /// @State private var progress = PaymentProgress()
    /// // …
    /// Text(progress.stage.description)
    ///     .task { await progress.follow(router.events(of: quote.reference)) }
    /// ```
    @MainActor
    @Observable
    public final class PaymentProgress {
        /// The stage of the payment.
        public private(set) var stage = PaymentStage()

        /// Creates the progress of a payment that has not begun.
        public init() {}

        /// Takes events until they end, or the task is cancelled.
        ///
        /// - Parameter events: the events of one payment, from `PaymentRouter.events(of:)`.
        public func follow(_ events: some AsyncSequence<PaymentEvent, Never>) async {
            for await event in events { stage.take(event) }
        }
    }
#endif
