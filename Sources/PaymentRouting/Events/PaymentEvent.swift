public import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of a payment, for screens, logs and counters.
///
/// It never holds secrets or personal data, and decides nothing. The result of `PaymentRouter.pay` and the journal
/// state if a payment is paid. Events are not shared between processes.
public struct PaymentEvent: Sendable, Hashable {
    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Sendable, Hashable {
        /// A text was routed; the text explains the decision in words.
        case routed(explanation: String)
        /// The service is asked for the terms.
        case quoting
        /// The service stated the terms. The payee may be a person: ``PaymentEvent/description`` leaves them out.
        case quoted(PaymentQuote)
        /// An option was chosen, by the payer or their policy.
        case chosen(PaymentMethodOption)
        /// Another caller in this process is making this payment already. This start waits for the same ending.
        case joined
        /// The attempt is stored. From here on it can be resumed.
        case began(PaymentMethodOption)
        /// An attempt that was begun earlier is resumed.
        case continued(PaymentMethodOption)
        /// A durable step began.
        case stepStarted(String, StepKind)
        /// A durable step ended, and its result is stored.
        case stepFinished(String, StepKind)
        /// A step's stored result was used instead of running it again.
        case stepReplayed(String, StepKind)
        /// A step ended without a result. After one that moves money, its fate is open.
        case stepFailed(String, StepKind)
        /// The payer is asked for something: a signature, data, a page, another app, a code.
        case payerAsked(PayerNeed)
        /// The payer has answered or declined.
        case payerAnswered(PayerNeed)
        /// A request has failed, and is sent again after a pause.
        case retrying(RequestRetry)
        /// The service is asked again after this time.
        case waiting(Duration)
        /// A remark of the provider.
        case note(String)
        /// The payment reached an outcome, which may not be final.
        case outcome(PaymentOutcome)
        /// The payment, which was stated to be unpaid, is paid: its wallet or service has changed its record.
        case corrected(PaymentOutcome)
        /// The attempt was abandoned before anything was paid.
        case abandoned(reason: String)
        /// The payment could not continue. The error's phase states if money can have moved.
        case failed(PaymentError)
    }

    /// The date of the event, by the router's clock.
    public let date: Date
    /// The provider it concerns; nil for a text without a route.
    public let provider: ProviderID?
    /// The payment or refund it concerns, once it is known.
    public let reference: PaymentReference?
    /// The attempt it concerns, once there is one.
    public let attempt: AttemptID?
    /// The event.
    public let kind: Kind

    /// Creates an event.
    public init(
        date: Date, provider: ProviderID?, reference: PaymentReference? = nil, attempt: AttemptID? = nil, kind: Kind
    ) {
        self.date = date
        self.provider = provider
        self.reference = reference
        self.attempt = attempt
        self.kind = kind
    }
}

extension PaymentEvent: CustomStringConvertible {
    /// A few words for people, without the payment's name.
    public var description: String {
        switch kind {
        case .routed(let explanation): explanation
        case .quoting: "asks what is to be paid"
        case .quoted(let quote):
            "to be paid: \(quote.amount?.description ?? "an amount that is not stated"), \(quote.options.count) options"
        case .chosen(let option): "chosen: \(option.title)"
        case .joined: "waits for the same payment, which is already in progress"
        case .began(let option): "begins with \(option.title)"
        case .continued(let option): "resumes with \(option.title)"
        case .stepStarted(let name, _): "\(name) …"
        case .stepFinished(let name, _): "\(name): done"
        case .stepReplayed(let name, _): "\(name): done earlier"
        case .stepFailed(let name, _): "\(name): failed"
        case .payerAsked(let need): "the payer is asked: \(need)"
        case .payerAnswered(let need): "the payer has answered: \(need)"
        case .retrying(let retry): "asks \(retry.origin) again in \(retry.pause.inWords): \(retry.reason)"
        case .waiting(let pause): "waits \(pause.inWords)"
        case .note(let text): text
        case .outcome(let outcome): outcome.description
        case .corrected(let outcome): "corrected: \(outcome.description)"
        case .abandoned(let reason): "abandoned: \(reason)"
        case .failed(let error): error.description
        }
    }
}

extension PaymentOutcome {
    /// A short name that does not change, for the labels of metrics and for scripts: `succeeded`, `declined`,
    /// `cancelled`, `expired`, `pending` or `unknown`. Unlike the description it contains nothing about the payment.
    public var name: String {
        switch self {
        case .succeeded: "succeeded"
        case .declined: "declined"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .pending: "pending"
        case .unknown: "unknown"
        }
    }
}

// MARK: - Listening

/// The sink of a payment's events. One value per event; events never hold secrets or personal data.
///
/// The sink is called in the task of the payment. Task-local values that were set around `PaymentRouter.pay` (the span
/// of a trace, a logger's metadata) are available there. A slow sink delays the payment: pass the event on and return.
public struct PaymentLog: Sendable {
    private let sink: @Sendable (PaymentEvent) -> Void

    /// Creates a log that sends every event to `sink`.
    ///
    /// - Parameter sink: receives every event, from any task.
    public init(_ sink: @escaping @Sendable (PaymentEvent) -> Void) {
        self.sink = sink
    }

    /// Drops every event.
    public static let silent = PaymentLog { _ in }

    /// Reports `event`.
    public func callAsFunction(_ event: PaymentEvent) { sink(event) }
}

/// Events as they happen.
extension PaymentRouter {
    /// Returns all events of this router from now on, in the order in which they happen to each payment.
    ///
    /// Ends when the router is gone, or the listener is cancelled. A slow consumer misses the oldest events, so no
    /// payment waits for it. The journal is authoritative.
    ///
    /// ```swift
    /// Task { for await event in router.events() { logger.info("\(event)") } }
    /// ```
    ///
    /// - Parameter limit: the most events that wait for a slow consumer.
    public func events(limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: nil, limit: limit)
    }

    /// Returns the events of one payment or refund from now on, in this router. Ends after a final outcome.
    ///
    /// Listen before paying, so that no event is missed:
    ///
    /// ```swift
    /// let events = router.events(of: quote.reference)
    /// async let outcome = router.pay(quote, option: id, as: payer)
    /// for await event in events { screen.show(event) }
    /// ```
    ///
    /// - Parameters:
    ///   - payment: the payment or refund.
    ///   - limit: the most events that wait for a slow consumer; the oldest are dropped.
    public func events(of payment: PaymentReference, limit: Int = 256) -> AsyncStream<PaymentEvent> {
        effects.listeners.listen(to: payment, limit: limit)
    }
}

/// The present listeners to one router's events.
final class EventListeners: Sendable {
    private struct Listener {
        let payment: PaymentReference?
        let stream: AsyncStream<PaymentEvent>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var made = 0
    }

    private let state = Mutex(State())

    /// Emits `event` to every listener that it concerns. A listener to one payment ends after a final outcome.
    func emit(_ event: PaymentEvent) {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners.values where listener.payment == nil || listener.payment == event.reference {
            listener.stream.yield(event)
            if listener.payment != nil, event.isLast { listener.stream.finish() }
        }
    }

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - payment: the only payment to listen to; nil for all.
    ///   - limit: the most events that wait for a slow consumer; the oldest are dropped.
    func listen(to payment: PaymentReference?, limit: Int) -> AsyncStream<PaymentEvent> {
        let (events, stream) = AsyncStream.makeStream(
            of: PaymentEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let number = state.withLock { state in
            state.made += 1
            state.listeners[state.made] = Listener(payment: payment, stream: stream)
            return state.made
        }
        stream.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return events
    }

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.stream.finish() }
    }
}

extension PaymentEvent {
    /// True if nothing more happens to the payment afterwards.
    fileprivate var isLast: Bool {
        if case .outcome(let outcome) = kind { outcome.isFinal } else { false }
    }
}

extension Duration {
    /// To a tenth of a second: `2.5 s`. Its length may come from a service.
    fileprivate var inWords: String {
        guard let tenths = Int(exactly: (self / .milliseconds(100)).rounded()) else { return "a very long time" }
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(abs(tenths % 10)) s"
    }
}
