import CitconProvider
import PaymentCore

/// The synchronous result of an order (guide, `CPayResult`).
///
/// An order is paid when ``status`` is `success` and `data.status` is a success status. See ``isPaid``.
public final class CPayResult: Sendable {
    /// `success` or `fail`: the result of the request itself, not of the payment.
    public let status: String?
    /// The version of the service.
    public let version: String?
    /// The service's name for itself; nil if there is no answer of the service.
    public let app: String?
    /// The transaction.
    public let data: CPayResultData

    /// Creates a result with only these values. All others are empty.
    public convenience init(
        status: String?, code: String?, message: String?, reference: String?, id: String? = nil
    ) {
        self.init(
            status: status, version: nil, app: nil,
            data: CPayResultData(code: code, message: message, id: id, reference: reference))
    }

    init(status: String?, version: String?, app: String?, data: CPayResultData) {
        self.status = status
        self.version = version
        self.app = app
        self.data = data
    }

    /// True if both halves of the guide's rule hold: the request worked, and the service says that the order is paid.
    public var isPaid: Bool {
        status.map(CPayStatus.init(rawValue:)) == .succeeded
            && data.status.map(CPayStatus.init(rawValue:))?.isPaid == true
    }

    /// The transaction of a ``CPayResult`` (guide, `CPayResultData`). Numbers that the service leaves out are 0.
    public final class CPayResultData: Sendable {
        /// The kind of error; nil when the service reports success.
        public let code: String?
        /// The error message.
        public let message: String?
        /// The service's id of the transaction.
        public let id: String?
        /// The kind of transaction, `charge`.
        public let object: String?
        /// The merchant's id of the charge.
        public let reference: String?
        /// The amount in minor units.
        public let amount: Int
        /// The captured amount, in minor units.
        public let amountCaptured: Int
        /// The refunded amount, in minor units.
        public let amountRefunded: Int
        /// The ISO 4217 code.
        public let currency: String?
        /// The country, two letters.
        public let country: String?
        /// True if it is captured automatically.
        public let autoCapture: Bool
        /// The transaction's raw status. ``CPayStatus`` reads it.
        public let status: String?
        /// The time of its creation: seconds since 1970, milliseconds from older versions of the service.
        public let timeCreated: Int
        /// The time of its authorisation. No known version of the service reports it.
        public let timeAuthorized: Int
        /// The time of its capture.
        public let timeCaptured: Int
        /// The charge token, if the service repeats it.
        public let chargeToken: String?
        /// The means of payment; nil if the answer names none.
        public let payment: CPayResultPayment?
        /// The amount in another currency; nil when the service does not state one. Not in the vendor's SDK.
        public let exchange: CPayExchange?

        init(
            code: String? = nil, message: String? = nil, id: String? = nil, reference: String? = nil,
            transaction: TransactionFields = TransactionFields()
        ) {
            self.code = code ?? transaction.code
            self.message = message ?? transaction.message
            self.id = id ?? transaction.id
            self.reference = reference ?? transaction.reference
            object = transaction.object
            amount = transaction.amount ?? 0
            amountCaptured = transaction.amountCaptured ?? 0
            amountRefunded = transaction.amountRefunded ?? 0
            currency = transaction.currency
            country = transaction.country
            autoCapture = transaction.autoCapture
            status = transaction.status
            timeCreated = transaction.timeCreated ?? 0
            timeAuthorized = transaction.timeAuthorized ?? 0
            timeCaptured = transaction.timeCaptured ?? 0
            chargeToken = transaction.chargeToken?.reveal()
            payment = transaction.method.map { CPayResultPayment(method: $0) }
            exchange = transaction.exchange.map { CPayExchange($0) }
        }
    }

    /// The means of payment in a ``CPayResult``.
    public final class CPayResultPayment: Sendable {
        /// The method.
        public let method: String?

        init(method: String?) { self.method = method }
    }
}

/// The guide's name for ``CPayResult/CPayResultData``.
public typealias CPayResultData = CPayResult.CPayResultData

extension CPayResult: CPayConfidential {
    /// The status, the code, and the transaction's status and id.
    public var description: String {
        let words = [status, data.code, data.message, data.id, data.status].map(SentSecrets.printable)
        return "CPayResult(status: \(words[0]), code: \(words[1]), message: \(words[2]), id: \(words[3]), "
            + "data.status: \(words[4]))"
    }
}

extension CPayResult.CPayResultData: CPayConfidential {}
extension CPayResult.CPayResultPayment: CPayConfidential {}

// MARK: - Inquiries

/// The result of an inquiry and the content of the asynchronous notification (guide, `CPayCheck`).
public final class CPayCheck: Sendable {
    /// `success` or `fail`: the result of the inquiry itself, not of the payment.
    public let status: String?
    /// The version of the service.
    public let version: String?
    /// The service's name for itself.
    public let app: String?
    /// The transaction.
    public let data: CPayCheckData

    /// Creates a result with only these values. All others are empty.
    public convenience init(status: String?, code: String?, message: String?, id: String?) {
        self.init(
            status: status, version: nil, app: nil, data: CPayCheckData(code: code, message: message, id: id))
    }

    init(status: String?, version: String?, app: String?, data: CPayCheckData) {
        self.status = status
        self.version = version
        self.app = app
        self.data = data
    }

    /// True if both halves of the guide's rule hold: the inquiry worked, and the service says that the order is paid.
    public var isPaid: Bool {
        status.map(CPayStatus.init(rawValue:)) == .succeeded
            && data.status.map(CPayStatus.init(rawValue:))?.isPaid == true
    }

    /// The transaction of a ``CPayCheck`` (guide, `CPayCheckData`). Numbers that the service leaves out are 0.
    public final class CPayCheckData: Sendable {
        /// The kind of error; nil when the service reports success.
        public let code: String?
        /// The error message.
        public let message: String?
        /// The service's id of the transaction; empty or nil when it failed before there was one.
        public let id: String?
        /// The kind of transaction, `charge`.
        public let object: String?
        /// The amount in minor units.
        public let amount: Int
        /// The ISO 4217 code.
        public let currency: String?
        /// The transaction's raw status. ``CPayStatus`` reads it.
        public let status: String?
        /// The time of its cancellation; 0 when it was not cancelled. Units as ``timeCreated``.
        public let timeCanceled: Int
        /// The time of its expiry, in the service's notation.
        public let expiry: String?
        /// The time of its creation: seconds since 1970, milliseconds from older versions of the service.
        public let timeCreated: Int
        /// The country, two letters.
        public let country: String?
        /// The merchant's id of the charge.
        public let reference: String?
        /// The captured amount, in minor units.
        public let amountCaptured: Int
        /// The refunded amount, in minor units.
        public let amountRefunded: Int
        /// The time of its capture.
        public let timeCaptured: Int
        /// True if it is captured automatically.
        public let autoCapture: Bool
        /// The means of payment; nil if the answer names none.
        public let payment: CPayCheckDataPayment?
        /// The amount in another currency; nil when the service does not state one. Not in the vendor's SDK, which
        /// reads this and the three lists that follow, and drops them.
        public let exchange: CPayExchange?
        /// The captures of the authorised amount.
        public let captures: [CPayMovement]
        /// The refunds.
        public let refunds: [CPayMovement]
        /// The payer's disputes.
        public let chargebacks: [CPayMovement]

        init(
            code: String? = nil, message: String? = nil, id: String? = nil,
            transaction: TransactionFields = TransactionFields()
        ) {
            self.code = code ?? transaction.code
            self.message = message ?? transaction.message
            self.id = id ?? transaction.id
            object = transaction.object
            amount = transaction.amount ?? 0
            currency = transaction.currency
            status = transaction.status
            timeCanceled = transaction.timeCanceled ?? 0
            expiry = transaction.expiry
            timeCreated = transaction.timeCreated ?? 0
            country = transaction.country
            reference = transaction.reference
            amountCaptured = transaction.amountCaptured ?? 0
            amountRefunded = transaction.amountRefunded ?? 0
            timeCaptured = transaction.timeCaptured ?? 0
            autoCapture = transaction.autoCapture
            payment = CPayCheckDataPayment(transaction)
            exchange = transaction.exchange.map { CPayExchange($0) }
            captures = transaction.captures.map { CPayMovement($0) }
            refunds = transaction.refunds.map { CPayMovement($0) }
            chargebacks = transaction.chargebacks.map { CPayMovement($0) }
        }
    }

    /// The means of payment in a ``CPayCheck`` (guide, `CPayCheckDataPayment`).
    public final class CPayCheckDataPayment: Sendable {
        /// The method.
        public let method: String?
        /// The token for later payments, if one was requested.
        public let token: String?
        /// The kind of instrument.
        public let type: String?
        /// The card. Its fields are nil if no card paid.
        public let data: CPayCheckDataPaymentData?

        /// Creates the means; nil if the answer does not mention them. A token without a method counts, too.
        init?(_ transaction: TransactionFields) {
            guard transaction.method != nil || transaction.token != nil || transaction.type != nil else { return nil }
            method = transaction.method
            token = transaction.token?.reveal()
            type = transaction.type
            data = CPayCheckDataPaymentData(transaction)
        }
    }

    /// The card that the transaction of a ``CPayCheck`` was paid with, as far as the service reports it.
    public final class CPayCheckDataPaymentData: Sendable {
        /// The card number, as far as the service reports it.
        public let pan: String?
        /// The month of expiry.
        public let expiry: String?

        init(_ transaction: TransactionFields) {
            pan = transaction.pan?.reveal()
            expiry = transaction.cardExpiry?.reveal()
        }
    }
}

/// The guide's name for ``CPayCheck/CPayCheckData``.
public typealias CPayCheckData = CPayCheck.CPayCheckData
/// The guide's name for ``CPayCheck/CPayCheckDataPayment``.
public typealias CPayCheckDataPayment = CPayCheck.CPayCheckDataPayment

extension CPayCheck: CPayConfidential {
    /// The status, the code, and the transaction's status and id.
    public var description: String {
        let words = [status, data.code, data.message, data.id, data.status].map(SentSecrets.printable)
        return "CPayCheck(status: \(words[0]), code: \(words[1]), message: \(words[2]), id: \(words[3]), "
            + "data.status: \(words[4]))"
    }
}

extension CPayCheck.CPayCheckData: CPayConfidential {}
extension CPayCheck.CPayCheckDataPayment: CPayConfidential {}
extension CPayCheck.CPayCheckDataPaymentData: CPayConfidential {}

// MARK: - Common parts

/// A capture, a refund or a payer's dispute of a transaction. Not in the vendor's SDK. Numbers that the service leaves
/// out are 0.
public final class CPayMovement: CPayConfidential, Sendable {
    /// The service's id of the movement.
    public let id: String?
    /// The kind: `capture` or `refund`.
    public let object: String?
    /// The merchant's reference of the movement.
    public let reference: String?
    /// The amount, in minor units.
    public let amount: Int
    /// The ISO 4217 code.
    public let currency: String?
    /// The raw status, as the service wrote it.
    public let status: String?
    /// The time of its creation: seconds since 1970, milliseconds from older versions of the service.
    public let timeCreated: Int
    /// The time of its completion.
    public let timeCompleted: Int

    init(_ fields: TransactionFields) {
        id = fields.id
        object = fields.object
        reference = fields.reference
        amount = fields.amount ?? fields.amountRefunded ?? 0
        currency = fields.currency
        status = fields.status
        timeCreated = fields.timeCreated ?? 0
        timeCompleted = fields.timeCompleted ?? 0
    }
}

/// The amount of a transaction in another currency. Not in the vendor's SDK, which reads and drops it.
public final class CPayExchange: CPayConfidential, Sendable {
    /// The amount in minor units of ``currency``.
    public let amount: Int
    /// The ISO 4217 code.
    public let currency: String?
    /// The amount of ``currency`` for one unit of the transaction's currency. For display only, as it is not exact. 0
    /// when the service does not state it.
    public let rate: Double

    init(_ fields: TransactionFields.Exchange) {
        amount = fields.amount ?? 0
        currency = fields.currency
        rate = fields.rate?.double ?? 0
    }
}

extension CPayResult {
    /// Creates a result with an answer of the service, unchanged.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayResultData(transaction: answer.transaction))
    }
}

extension CPayCheck {
    /// Creates a result with an answer of the service, unchanged.
    convenience init(_ answer: CitconService.Answer) {
        self.init(
            status: answer.status, version: answer.version, app: answer.app,
            data: CPayCheckData(transaction: answer.transaction))
    }
}

// MARK: - Codes and messages

/// The codes of the guide's section "Codes returned to Client end". Others are Alipay's or the service's own.
public enum CPayCode {
    /// Success.
    public static let success = VendorCode.success
    /// The common error: a bad request, or a payment that could not be made.
    public static let failure = VendorCode.failure
    /// Cancelled. The vendor's SDK also uses it for an answer that it cannot read. See ``CPayMessage``.
    public static let cancelled = VendorCode.cancelled
    /// Cancelled in Alipay.
    public static let alipayCancelled = VendorCode.alipayCancelled

    /// Returns true if `code` means that the payer cancelled, with `message` distinguishing the two meanings of `-2`.
    public static func isCancellation(_ code: String?, message: String?) -> Bool {
        VendorCode.isCancellation(code, message: message)
    }
}

/// The vendor SDK's own texts, spelt as it spells them: applications compare them.
public enum CPayMessage {
    /// No method was given.
    public static let noMethod = VendorText.noMethod
    /// No charge token was given.
    public static let noChargeToken = VendorText.noChargeToken
    /// Alipay has no way back to the application.
    public static let noScheme = VendorText.noScheme
    /// WeChat has no way back to the application.
    public static let noUniversalLink = VendorText.noUniversalLink
    /// UnionPay's mode is missing.
    public static let noUnionPayMode = VendorText.noUnionPayMode
    /// A member of the order is missing: its name precedes this text, its purpose follows. The vendor's SDK has such
    /// texts only for the members above.
    public static let neededFor = VendorText.neededFor
    /// A member of the order, whose name precedes this text, cannot become part of a request's path. Not a vendor's
    /// text.
    public static let notForPaths = VendorText.notForPaths
    /// No handler takes the gateway that the service names. The gateway's name follows.
    public static let unsupportedGateway = VendorText.unsupportedGateway
    /// The service names no keys of the merchant at Cash App.
    public static let noCashAppKeys = VendorText.noCashAppKeys
    /// Neither the order nor the service names the merchant's client id at PayPal. Not one of the vendor's texts.
    public static let noPayPalClient = VendorText.noPayPalClient
    /// The end of this library's text when a charge may exist and the only copy of its token is lost.
    public static let tokenLost = VendorText.tokenLost
    /// The launch payload comes in a form that the gateway's handler cannot use.
    public static let unsupportedFormat = VendorText.unsupportedFormat
    /// The gateway's handler does not know the method.
    public static let unsupportedMethod = VendorText.unsupportedMethod
    /// The launch payload cannot be used.
    public static let invalidContent = VendorText.invalidContent
    /// The page to open has no usable address.
    public static let invalidRedirect = VendorText.invalidRedirect
    /// The answer cannot be read. The expectation follows.
    public static let undecodable = VendorText.undecodable
    /// The inquiry after the payer's return failed.
    public static let checkFailed = VendorText.checkFailed
    /// The end of this library's text, not one of the vendor SDK's, when money may have moved and the status is
    /// unknown.
    public static let doNotPayAgain = VendorText.doNotPayAgain
    /// The end of this library's text, not one of the vendor SDK's, when the client waits no more for a payer whose
    /// charge is open.
    public static let stillOpen = VendorText.stillOpen
    /// The text, not one of the vendor SDK's, for an order whose reference or charge is being paid by another request.
    public static let inProgress = VendorText.inProgress
    /// The cause of the error is unknown.
    public static let unknown = VendorText.unknown
}
