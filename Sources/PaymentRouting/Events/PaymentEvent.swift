public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An event of a payment, for screens, logs and counters.
///
/// It never holds secrets or personal data, and decides nothing: the result of `PaymentRouter.pay` and the journal say
/// whether a payment is paid. Events are not shared between processes.
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
        /// Another caller in this process is making this payment already: this start waits for the same ending.
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
        /// Nothing is done for this time: the service is asked again afterwards.
        case waiting(Duration)
        /// A remark of the provider.
        case note(String)
        /// The payment reached an outcome; see whether it is final.
        case outcome(PaymentOutcome)
        /// The payment, which was stated to be unpaid, is paid after all: its wallet or service has changed its record.
        case corrected(PaymentOutcome)
        /// The attempt was abandoned before anything was paid.
        case abandoned(reason: String)
        /// The payment could not continue. The error's phase says whether money can have moved.
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

extension Duration {
    /// To a tenth of a second: `2.5 s`. Its length may come from a service.
    fileprivate var inWords: String {
        guard let tenths = Int(exactly: (self / .milliseconds(100)).rounded()) else { return "a very long time" }
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(abs(tenths % 10)) s"
    }
}
