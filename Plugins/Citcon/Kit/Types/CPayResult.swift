import CitconProvider
import PaymentCore

/// The synchronous result of an order (guide, `CPayResult`).
///
/// An order is paid when ``status`` is `success` and `data.status` is a success status; see ``isPaid``.
public final class CPayResult: Sendable {
    /// `success` or `fail`: the result of the request itself, not of the payment.
    public let status: String?
    /// The version of the service.
    public let version: String?
    /// The service's name for itself; nil where there is no answer of the service.
    public let app: String?
    /// The transaction.
    public let data: CPayResultData

    /// Creates a result with only these values; all others are empty.
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
        /// The transaction's raw status; ``CPayStatus`` reads it.
        public let status: String?
        /// The time of its creation: seconds since 1970, milliseconds from older versions of the service.
        public let timeCreated: Int
        /// The time of its authorisation. No known version of the service reports it.
        public let timeAuthorized: Int
        /// The time of its capture.
        public let timeCaptured: Int
        /// The charge token, where the service repeats it.
        public let chargeToken: String?
        /// The means of payment; nil where the answer names none.
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
