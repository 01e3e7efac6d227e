import CitconProvider
import PaymentCore

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

    /// Creates a result with only these values; all others are empty.
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
        /// The transaction's raw status; ``CPayStatus`` reads it.
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
        /// The means of payment; nil where the answer names none.
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
        /// The card; its fields are nil where it was not paid with one.
        public let data: CPayCheckDataPaymentData?

        /// Nil where the answer says nothing of it: a token without a method is one, too.
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
