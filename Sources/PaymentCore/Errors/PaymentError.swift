/// Why a payment could not continue. Refusals by the service are outcomes, not errors.
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

    /// The progress of the call. It decides whether money can have moved.
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
    ///   - error: why there is no answer.
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

// MARK: - Answers as errors

/// The statuses of answers to a mutation that prove something. No other place defines it.
///
/// An answer proves that nothing was done only if its meaning (RFC 9110 section 15, RFC 6585, RFC 7725) is that this
/// very request was examined and refused. Every other status leaves the fate of the request open, and only the
/// service's status of the payment resolves it:
///
/// - 408: some of the request arrived. The server that waited for the rest may not be the one that carries it out.
/// - 409, 412, 423, 424: something else is in its way, which may be another copy of the same request, still in
///   progress. Services that recognise keys answer 409 for that.
/// - 425 (RFC 8470): an intermediary suspects that the request is replayed.
/// - 429: is about the rate of requests, not about the fate of earlier ones. Gateways answer it to a copy that they
///   make themselves.
/// - 406, 416: may be found out after the request was carried out.
/// - 1xx, 3xx, 5xx and every status not listed: say nothing of it. A redirect is often the answer to a request that was
///   carried out.
/// - 2xx: the request was taken; the body states its outcome.
package enum RefusalStatus {
    /// The statuses that prove that the server turned away exactly the request that they answer.
    package static let provesNothingWasDone: Set<Int> = [
        400, 401, 402, 403, 404, 405, 407, 410, 411, 413, 414, 415, 417, 421, 422, 426, 428, 431, 451,
    ]
}

extension HTTPResponse {
    /// True if this answer to a mutation proves that the mutation was not carried out: its status says so, and there
    /// was no earlier copy of the request that may have been (``mayFollowEarlierCopy``).
    public var provesNothingWasDone: Bool {
        RefusalStatus.provesNothingWasDone.contains(status) && !mayFollowEarlierCopy
    }
}

extension PaymentError {
    /// Creates an error for an answer that is no result, by its HTTP status alone. For services without error codes;
    /// for codes that say more, build your own from ``HTTPResponse/provesNothingWasDone``. The
    /// answer's time to try again (`Retry-After`) is kept in ``PaymentError/retry``.
    ///
    /// - Parameters:
    ///   - answer: the service's answer.
    ///   - provider: the provider whose service it is.
    ///   - isMutation: true if the request could move money. The phase is then `maybeSent`, unless the answer proves
    ///     that nothing was done.
    public init(_ answer: HTTPResponse, provider: ProviderID?, isMutation: Bool) {
        let (code, text) = Self.meaning(of: answer.status, by: "the service")
        let isOpen = isMutation && !answer.provesNothingWasDone
        let isPassing = isOpen || code == .rateLimited || code == .serviceFailure
        self.init(
            code, text, provider: provider, phase: isOpen ? .maybeSent : .answered,
            retry: isPassing ? RetryAdvice(answer) : .never)
    }

    /// Returns the code of a status that is no result, and what it says of `service`, for people.
    package static func meaning(of status: Int, by service: String) -> (code: Code, text: String) {
        switch status {
        case 401, 403, 407: (.unauthorized, "\(service) does not accept the credentials (HTTP \(status))")
        case 404, 410: (.notFound, "\(service) does not know this, or not any more (HTTP \(status))")
        case 429: (.rateLimited, "\(service) asks for fewer requests (HTTP 429); try again later")
        case 400..<500: (.requestRefused, "\(service) refused the request (HTTP \(status))")
        case 500..<600: (.serviceFailure, "\(service) has a fault (HTTP \(status)); try again later")
        case 300..<400: (.invalidResponse, "\(service) redirects elsewhere, which is never followed (HTTP \(status))")
        default: (.invalidResponse, "\(service) gave an answer that was not asked for (HTTP \(status))")
        }
    }
}
