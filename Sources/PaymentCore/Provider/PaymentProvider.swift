/// A payment service: reads its links, quotes and pays.
///
/// Five requirements, one value in and one value out each. Providers hold no mutable state of a payment: what a
/// payment needs across a crash travels in its ``PaymentAttempt`` and in durable steps
/// (``ProviderContext/step(_:_:_:)``). Effects come only from the context: no own clock, random source or network.
public protocol PaymentProvider: Sendable {
    /// Who the provider is and what it claims. Must not change during its life.
    var descriptor: ProviderDescriptor { get }

    /// A second, pure look at a link that one of the provider's patterns matched. Nil when it is not the provider's
    /// after all. Plain `http` links are unverified whatever this returns.
    func recognize(_ link: PaymentLink) -> LinkMatch?

    /// Asks what is to be paid and how it can be paid.
    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> PaymentQuote

    /// Carries one attempt through, in durable steps.
    ///
    /// Called again with the same attempt after an interruption: steps that ended return their stored results.
    ///
    /// When the chosen option, what was prepared for it and what the service now asks for do not agree, throw
    /// ``PaymentError/Code/optionChanged`` before the payer's wallet is asked for anything: the router gives the attempt
    /// up, and where it has the link it quotes again and has the payer choose again.
    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome

    /// Asks what has become of a payment. Must not change anything.
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome
}

/// A provider whose payments leave the application and come back through a return URL.
public protocol RedirectCompletingProvider: PaymentProvider {
    /// Completes `attempt` after the payer came back through `callback`. The URL alone proves nothing: ask the service.
    ///
    /// It may run beside ``PaymentProvider/pay(_:in:)`` of the same attempt, and shares its steps by their names: what one
    /// of them has found out, the other one is given, and a mutation that one has begun fails for the other, which leaves
    /// it open, until it has ended. Keys of requests have to be the attempt's (``PaymentAttempt/key(for:)``), never drawn
    /// anew.
    ///
    /// - Throws: ``PaymentError/Code/foreignReturn`` when the URL names another payment: the router then offers it to the
    ///   next open one.
    func complete(
        _ callback: PaymentLink, for attempt: PaymentAttempt, in context: ProviderContext
    ) async throws -> PaymentOutcome
}

/// A provider at which one name of a payment can come to stand for something else, as where a merchant uses an order's
/// number again.
public protocol PaymentDistinguishingProvider: PaymentProvider {
    /// Compares what `link` asks for with an attempt at the payment of the same name that is under way or succeeded.
    ///
    /// Pure. Asked before the attempt is gone on with, or its success told, for this link.
    ///
    /// - Throws: ``PaymentError/Code/integrity``, phase `beforeSend`, when they are not about the same.
    func distinguish(_ link: PaymentLink, from attempt: PaymentAttempt) throws(PaymentError)
}

/// A provider some of whose links name a payment in a way that only its service can resolve, so that one payment may have
/// two names on a device.
public protocol UnresolvedPaymentsProvider: PaymentProvider {
    /// Whether `payment` has such a name: it may be the same as one with another name and the same end of its time.
    /// Pure.
    func isUnresolved(_ payment: PaymentReference) -> Bool
}

/// A provider that can call off a payment that nobody has paid yet.
public protocol CancellingProvider: PaymentProvider {
    /// Cancels the payment, in mutation steps, and says what has become of it.
    ///
    /// These steps are not stored: after an interruption everything is asked again. Cancelling twice must do no more
    /// than cancelling once; where the service counts its requests, the number has to follow from the payment.
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> PaymentOutcome
}

/// A provider that can give money back.
public protocol RefundingProvider: PaymentProvider {
    /// Gives money back, in durable steps as ``PaymentProvider/pay(_:in:)`` has them. A receipt is for
    /// ``RefundRequest/reference``.
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome

    /// Asks what has become of a refund. Must not change anything.
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> PaymentOutcome
}

/// A provider whose service reports payments by itself, to a server.
public protocol NotificationVerifyingProvider: PaymentProvider {
    /// Checks that `notification` is genuine and reads it.
    ///
    /// - Throws: ``PaymentError/Code/untrustedNotification`` when it is not genuine, too old or malformed.
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification
}

/// A notification as it arrived.
public struct IncomingNotification: Sendable {
    /// The header fields.
    public let headers: HTTPHeaders
    /// The raw bytes: signatures cover them exactly.
    public let body: [UInt8]

    /// Makes a notification.
    public init(headers: HTTPHeaders, body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

/// A genuine notification.
public struct PaymentNotification: Sendable, Hashable {
    /// The payment it is about.
    public let reference: PaymentReference
    /// What has become of it.
    public let outcome: PaymentOutcome

    /// Makes a notification.
    public init(reference: PaymentReference, outcome: PaymentOutcome) {
        self.reference = reference
        self.outcome = outcome
    }
}
