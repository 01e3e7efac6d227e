/// One account at a payment service: the common part of payers' providers and merchants' services.
///
/// A merchant's service stands on its own: it claims no links, neither quotes nor pays, and is registered next to
/// payers' providers. Its conformances are its capabilities: ``CapturingService``, ``RefundingService``,
/// ``CancellingService``, ``NotificationReadingService``. A type may be a ``PaymentProvider`` and a merchant's service
/// as well.
///
/// Its id names it in registries and journals. If one vendor is used with several merchants, accounts or environments,
/// each is a value with its own id. So are the provider and the merchant's service of one vendor. They can then share a
/// registry and a journal, and records of one are not taken for the other's.
///
/// A service refunds in a durable step, under a key that follows from the refund:
///
/// ```swift
/// extension Shop: RefundingService {
///     func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport {
///         let refund = try await context.step("refund", .mutation(replay: .sameKey)) {
///             let key = "\(request.payment.id)/\(request.id)"
///             return try await gateway.refund(request.payment.id, request.amount, key: key, over: context.http)
///         }
///         return refund.report(of: request.reference)
///     }
/// }
/// ```
///
/// See <doc:Providers> for the other rules.
public protocol PaymentService: Sendable {
    /// The service's name, the hosts it calls, and, of a provider, the links it claims. Must not change during its
    /// life.
    var descriptor: ProviderDescriptor { get }

    /// Asks for the status of a payment. Must not change anything.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - context: network and secrets. There is no payer to ask.
    /// - Returns: the report by the service's own status; `unknown` with the raw status if it is not understood.
    /// - Throws: ``PaymentError`` when the question is not answered, which says nothing about the payment.
    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport
}

/// A service that can cancel a payment that is not paid yet.
public protocol CancellingService: PaymentService {
    /// Cancels the payment, in mutation steps, and reports the outcome.
    ///
    /// These steps are not stored: after an interruption everything is asked again. Cancelling twice must do no more
    /// than cancelling once; if the service counts its requests, the number has to follow from the payment.
    ///
    /// - Parameters:
    ///   - payment: the payment.
    ///   - context: network and secrets.
    /// - Returns: the report of the payment; not only `cancelled`, because it may have been paid in the meantime.
    /// - Throws: ``PaymentError``; with phase `maybeSent` it may have been cancelled.
    func cancel(_ payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport
}

/// A service that can capture authorised money.
public protocol CapturingService: PaymentService {
    /// Captures money, in durable steps as in ``PaymentProvider/pay(_:in:)``. A receipt is for
    /// ``CaptureRequest/reference``, and states the captured amount: of this request, or of one that was made before.
    ///
    /// - Parameters:
    ///   - request: the payment and the amount.
    ///   - context: network, secrets and durable steps.
    /// - Returns: the report of the capture.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the money may have been captured.
    func capture(_ request: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport

    /// Asks for the status of a capture. Must not change anything.
    ///
    /// - Parameters:
    ///   - capture: the capture as it was requested.
    ///   - context: network and secrets.
    /// - Returns: the report of the capture; `unknown` if the service does not show over which amount it is.
    /// - Throws: ``PaymentError`` when the question is not answered, which says nothing about the capture.
    func status(of capture: CaptureRequest, in context: ProviderContext) async throws -> ServiceReport
}

/// A service that can refund payments.
public protocol RefundingService: PaymentService {
    /// True if the service refunds a payment only as a whole and only once, and names the refund by its payment alone.
    /// The router then makes no refund of a payment while there is one under another id. The default is false.
    var refundsOnce: Bool { get }

    /// Refunds money, in durable steps as in ``PaymentProvider/pay(_:in:)``. A receipt is for
    /// ``RefundRequest/reference``.
    ///
    /// - Parameters:
    ///   - request: the payment, the amount and the id of the refund, which stays the same when it is asked for again.
    ///     Any text is an id: if the service takes only some names, its own name follows from payment and id, and from
    ///     ``RefundRequest/earlierFailures`` if it recognises a repetition by the name.
    ///   - context: network, secrets and durable steps.
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the refund may have been made.
    func refund(_ request: RefundRequest, in context: ProviderContext) async throws -> ServiceReport

    /// Asks for the status of a refund. Must not change anything.
    ///
    /// - Parameters:
    ///   - refund: the refund as it was asked for.
    ///   - context: network and secrets.
    /// - Returns: the report of the refund.
    /// - Throws: ``PaymentError`` when the question is not answered, which says nothing about the refund.
    func status(of refund: RefundRequest, in context: ProviderContext) async throws -> ServiceReport
}

extension RefundingService {
    /// False: parts of a payment can be refunded, each under its own id.
    public var refundsOnce: Bool { false }
}

/// A service that reports payments by itself, to a server.
public protocol NotificationReadingService: PaymentService {
    /// Checks that `notification` is genuine and reads it.
    ///
    /// - Parameter notification: the header fields and the body, byte for byte as they came.
    /// - Returns: the payment or refund it is about, and what the notification reports of it. The receipt states the
    ///   amount if the notification does.
    /// - Throws: ``PaymentError/Code/untrustedNotification`` when it is not genuine, too old or malformed.
    func verify(_ notification: IncomingNotification) throws -> PaymentNotification
}

/// A notification as it arrived.
public struct IncomingNotification: Sendable {
    /// The header fields.
    public let headers: HTTPHeaders
    /// The raw bytes: signatures cover them exactly.
    public let body: [UInt8]

    /// Creates a notification.
    public init(headers: HTTPHeaders, body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

/// A genuine notification.
public struct PaymentNotification: Sendable, Hashable {
    /// The payment or refund it is about. One about a refund whose payment is not named ends none: services allow the
    /// same refund id at several payments.
    public let reference: PaymentReference
    /// The service's report of the payment or refund.
    public let report: ServiceReport

    /// Creates a notification.
    public init(reference: PaymentReference, report: ServiceReport) {
        self.reference = reference
        self.report = report
    }
}

/// A capture to be made: the payee takes money that the payer has authorised. Services capture a payment once.
public struct CaptureRequest: Sendable, Hashable, Codable {
    /// The payment whose money is captured.
    public let payment: PaymentReference
    /// The amount: all of what was authorised, or less.
    public let amount: Money

    /// Creates a request.
    public init(of payment: PaymentReference, amount: Money) {
        self.payment = payment
        self.amount = amount
    }

    /// The name of the capture itself in journals and receipts.
    public var reference: PaymentReference {
        PaymentReference(provider: payment.provider, id: payment.id, subject: .capture)
    }
}

/// A refund to be made, named by the caller.
public struct RefundRequest: Sendable, Hashable, Codable {
    /// The payment that is refunded, in part or in full.
    public let payment: PaymentReference
    /// The amount.
    public let amount: Money
    /// The caller's own id of this refund, such as the number of a credit note; any text. It stands for one payment and
    /// one amount in the whole account: requested twice, the refund is made once, and the same id with another payment
    /// or amount is refused.
    public let id: String
    /// The number of earlier refunds under this id that the service accepted, and that failed afterwards. A service
    /// that recognises a repetition by a name has used that name then, and needs another one. Zero in requests of
    /// callers; routers count.
    public package(set) var earlierFailures = 0

    private enum CodingKeys: CodingKey {
        case payment, amount, id
    }

    /// Creates a request.
    public init(of payment: PaymentReference, amount: Money, id: String) {
        self.payment = payment
        self.amount = amount
        self.id = id
    }

    /// The name of the refund itself in journals and receipts.
    public var reference: PaymentReference {
        PaymentReference(provider: payment.provider, id: id, subject: .refund(of: payment.id))
    }
}
