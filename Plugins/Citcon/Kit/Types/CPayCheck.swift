import CitconProvider
import PaymentCore

/// The result of an inquiry, and what the asynchronous notification carries (guide, `CPayCheck`).
public final class CPayCheck: Sendable {
    /// `success` or `fail`: whether the inquiry worked, not whether anything was paid.
    public let status: String?
    /// The version of the service.
    public let version: String?
    /// What the service calls itself.
    public let app: String?
    /// The transaction.
    public let data: CPayCheckData

    /// Creates a result, with everything but these values empty.
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

    /// Whether both halves of the guide's rule hold: the inquiry worked, and the service says that it is paid.
    public var isPaid: Bool {
        status.map(CPayStatus.init(rawValue:)) == .succeeded
            && data.status.map(CPayStatus.init(rawValue:))?.isPaid == true
    }

    /// The transaction of a ``CPayCheck`` (guide, `CPayCheckData`). Numbers that the service leaves out are 0.
    public final class CPayCheckData: Sendable {
        /// What kind of error it was; nil when the service reports success.
        public let code: String?
        /// What went wrong.
        public let message: String?
        /// The service's id of the transaction; empty or nil when it failed before there was one.
        public let id: String?
        /// The kind of transaction, `charge`.
        public let object: String?
        /// The amount in minor units.
        public let amount: Int
        /// The ISO 4217 code.
        public let currency: String?
        /// The transaction's state as the service wrote it; ``CPayStatus`` reads it.
        public let status: String?
        /// When it was called off; 0 when it was not. Units as ``timeCreated``.
        public let timeCanceled: Int
        /// When it ends, as the service writes it.
        public let expiry: String?
        /// When it was created: seconds since 1970, milliseconds from older versions of the service.
        public let timeCreated: Int
        /// The country, two letters.
        public let country: String?
        /// The merchant's id of the charge.
        public let reference: String?
        /// How much of it was captured, in minor units.
        public let amountCaptured: Int
        /// How much of it was given back, in minor units.
        public let amountRefunded: Int
        /// When it was captured.
        public let timeCaptured: Int
        /// Whether it is captured without asking.
        public let autoCapture: Bool
        /// How it was paid.
        public let payment: CPayCheckDataPayment
        /// What was paid in another currency; nil when the service does not say. Not in the vendor's SDK, which reads
        /// this and the three lists that follow, and drops them.
        public let exchange: CPayExchange?
        /// What was taken of what had been set aside.
        public let captures: [CPayMovement]
        /// What was given back.
        public let refunds: [CPayMovement]
        /// What the payer disputes.
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

    /// How the transaction of a ``CPayCheck`` was paid (guide, `CPayCheckDataPayment`).
    public final class CPayCheckDataPayment: Sendable {
        /// The method.
        public let method: String?
        /// The token for later payments, where one was asked for.
        public let token: String?
        /// The kind of instrument.
        public let type: String?
        /// The card, where there is one.
        public let data: CPayCheckDataPaymentData

        init(_ transaction: TransactionFields) {
            method = transaction.method
            token = transaction.token?.reveal()
            type = transaction.type
            data = CPayCheckDataPaymentData(transaction)
        }
    }

    /// The card that the transaction of a ``CPayCheck`` was paid with, as far as the service tells.
    public final class CPayCheckDataPaymentData: Sendable {
        /// The card number, as far as the service tells.
        public let pan: String?
        /// The month of expiry.
        public let expiry: String?

        init(_ transaction: TransactionFields) {
            pan = transaction.pan?.reveal()
            expiry = transaction.cardExpiry?.reveal()
        }
    }
}

/// The guide's name of ``CPayCheck/CPayCheckData``.
public typealias CPayCheckData = CPayCheck.CPayCheckData
/// The guide's name of ``CPayCheck/CPayCheckDataPayment``.
public typealias CPayCheckDataPayment = CPayCheck.CPayCheckDataPayment

extension CPayCheck: CPayConfidential {
    /// Status, code, and the transaction's state and id.
    public var description: String {
        let words = [status, data.code, data.message, data.id, data.status].map(SentSecrets.printable)
        return "CPayCheck(status: \(words[0]), code: \(words[1]), message: \(words[2]), id: \(words[3]), "
            + "data.status: \(words[4]))"
    }
}

extension CPayCheck.CPayCheckData: CPayConfidential {}
extension CPayCheck.CPayCheckDataPayment: CPayConfidential {}
extension CPayCheck.CPayCheckDataPaymentData: CPayConfidential {}
