/// The reason for which a payment could not continue. Refusals by the service are outcomes, not errors.
///
/// Its cause is kept in ``cause``, which nothing prints, compares or stores.
public struct PaymentError: Error, Sendable, Hashable {
    /// The kind of error. Open: providers may add their own.
    public struct Code: Sendable, Hashable, RawRepresentable {
        /// The code's text.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not acceptable as a link.
        public static let rejectedLink = Code(rawValue: "rejected-link")
        /// No provider claims the link.
        public static let unroutable = Code(rawValue: "unroutable")
        /// Several providers claim the link equally.
        public static let ambiguous = Code(rawValue: "ambiguous")
        /// The link does not prove its destination, and the caller did not consent.
        public static let untrustedLink = Code(rawValue: "untrusted-link")
        /// A part of the text is not known and could change the payment, and no person consented to that.
        public static let unclearText = Code(rawValue: "unclear-text")
        /// The notification is not genuine.
        public static let untrustedNotification = Code(rawValue: "untrusted-notification")
        /// The link is not a request for payment.
        public static let notAPayment = Code(rawValue: "not-a-payment")
        /// The network failed.
        public static let network = Code(rawValue: "network")
        /// The service wants fewer requests.
        public static let rateLimited = Code(rawValue: "rate-limited")
        /// The service reported an internal fault.
        public static let serviceFailure = Code(rawValue: "service-failure")
        /// The service's answer cannot be understood.
        public static let invalidResponse = Code(rawValue: "invalid-response")
        /// The answer contradicts the request: another payment, currency or account. Or the journal's record of an
        /// attempt is not what was written there.
        public static let integrity = Code(rawValue: "integrity")
        /// The return URL names another payment than the one it returned to.
        public static let foreignReturn = Code(rawValue: "foreign-return")
        /// The service refused the request.
        public static let requestRefused = Code(rawValue: "request-refused")
        /// The service refuses this payer, for legal reasons.
        public static let payerRefused = Code(rawValue: "payer-refused")
        /// The service does not know the payment.
        public static let notFound = Code(rawValue: "not-found")
        /// The key or app id is missing or refused.
        public static let unauthorized = Code(rawValue: "unauthorized")
        /// The option does not exist or the payer cannot fulfil it.
        public static let unusableOption = Code(rawValue: "unusable-option")
        /// There is an option to choose, and the payer has neither a chooser nor a policy.
        public static let noChooser = Code(rawValue: "no-chooser")
        /// The payer's choice is no longer what the service asks for. Thrown by a provider's
        /// ``PaymentProvider/pay(_:in:)`` before it asks the payer's wallet for anything.
        public static let optionChanged = Code(rawValue: "option-changed")
        /// The payer's wallet, form or page failed.
        public static let payer = Code(rawValue: "payer")
        /// The payer's settler reports as certain that it sent nothing.
        public static let notSettled = Code(rawValue: "not-settled")
        /// The journal failed; nothing was sent after that.
        public static let journal = Code(rawValue: "journal")
        /// Another worker, perhaps in another process, is paying this.
        public static let inUse = Code(rawValue: "in-use")
        /// A period of a plan is open at the same payee: its outcome is unknown, and nothing is paid there before.
        public static let openPeriod = Code(rawValue: "open-period")
        /// An earlier payment to the same payee, over another amount, was open. It has ended; nothing else was paid.
        public static let earlierPayment = Code(rawValue: "earlier-payment")
        /// The attempt has ended already.
        public static let attemptEnded = Code(rawValue: "attempt-ended")
        /// A person's decision about an attempt is not accepted: it has no evidence, or the wallet proves the contrary.
        public static let decisionRefused = Code(rawValue: "decision-refused")
        /// A refund is over more than what is left of its payment, by the journal; nothing was sent.
        public static let refundTooLarge = Code(rawValue: "refund-too-large")
        /// Calls that only the payer can agree to would be signed without a question: they were not reviewed, or have a
        /// warning, such as an allowance above the amount.
        public static let consentNeeded = Code(rawValue: "consent-needed")
        /// The provider cannot do this.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The caller cancelled before anything was sent.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A provider broke the rules of its protocol.
        public static let providerFault = Code(rawValue: "provider-fault")
    }

    /// The progress of the call: decides whether money can have moved.
    public enum Phase: String, Sendable, Hashable {
        /// Nothing that could move money left.
        case beforeSend = "before-send"
        /// It may have arrived and been carried out.
        case maybeSent = "maybe-sent"
        /// The service answered and refused.
        case answered
    }

    /// The advice whether to try again.
    @nonexhaustive
    public enum RetryAdvice: Sendable, Hashable {
        /// It will fail the same way.
        case never
        /// It may work now or later.
        case later
        /// It may work after this time, as the service says.
        case after(Duration)
    }

    /// The kind of error.
    public let code: Code
    /// One sentence for people, with what to do; no secrets, no personal data.
    public package(set) var message: String
    /// The provider concerned.
    public package(set) var provider: ProviderID?
    /// The progress of the call.
    public package(set) var phase: Phase
    /// The advice whether to try again, and when: routers wait so long before they ask again.
    public package(set) var retry: RetryAdvice
    /// The service's own code, when it gave one.
    public let vendorCode: String?
    /// The error behind this one, such as the transport's, the journal's, the wallet's or a vendor's own.
    ///
    /// It is the only part of an error that may hold secrets and personal data. Therefore equality, the hash,
    /// descriptions and mirrors leave it out, and an error has no coded form. Look at its type before printing it.
    public package(set) var cause: (any Error)? {
        get { hidden.read() }
        set { hidden = HiddenCause(newValue) }
    }
    private var hidden: HiddenCause

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind of error.
    ///   - message: one sentence for people, with what to do; no secrets, no personal data.
    ///   - provider: the provider concerned.
    ///   - phase: the progress of the call.
    ///   - retry: the advice whether to try again.
    ///   - vendorCode: the service's own code, when it gave one.
    ///   - cause: the error behind this one; it may hold secrets.
    public init(
        _ code: Code, _ message: String, provider: ProviderID? = nil, phase: Phase = .beforeSend,
        retry: RetryAdvice = .never, vendorCode: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.provider = provider
        self.phase = phase
        self.retry = retry
        self.vendorCode = vendorCode
        hidden = HiddenCause(cause)
    }

    /// Creates an error for a failed exchange. A query's request moves no money even when it arrived.
    ///
    /// - Parameters:
    ///   - error: the reason for which there is no answer.
    ///   - provider: the provider whose service was asked.
    ///   - isMutation: true if the request could move money.
    public init(_ error: TransportError, provider: ProviderID?, isMutation: Bool) {
        self.init(
            error.reason == .cancelled ? .cancelled : .network, error.description, provider: provider,
            phase: isMutation && error.phase == .maybeSent ? .maybeSent : .beforeSend, retry: .later, cause: error)
    }

    /// Returns a copy of the error, its cause included, with another message, phase or retry advice.
    package func with(message: String? = nil, phase: Phase? = nil, retry: RetryAdvice? = nil) -> PaymentError {
        var error = self
        error.message = message ?? self.message
        error.phase = phase ?? self.phase
        error.retry = retry ?? self.retry
        return error
    }
}

extension PaymentError: CustomStringConvertible, CustomReflectable {
    /// The message, with the provider's name before it.
    public var description: String { provider.map { "\($0): \(message)" } ?? message }

    /// A mirror of all but the cause.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "message": message, "provider": provider as Any, "phase": phase, "retry": retry,
                "vendorCode": vendorCode as Any,
            ], displayStyle: .struct)
    }
}

/// An error that only an explicit read reveals: all values are equal.
private struct HiddenCause: Sendable, Hashable {
    // A closure, because reflection can walk stored properties but not captured variables.
    let read: @Sendable () -> (any Error)?

    init(_ error: (any Error)?) { read = { error } }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
