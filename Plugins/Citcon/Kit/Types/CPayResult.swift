import CitconProvider
import PaymentCore

/// The synchronous result of an order (guide, `CPayResult`).
///
/// An order is paid when ``status`` is `success` and `data.status` is a success status; see ``isPaid``.
public final class CPayResult: Sendable {
    /// `success` or `fail`: whether the request worked, not whether anything was paid.
    public let status: String?
    /// The version of the service.
    public let version: String?
    /// What the service calls itself; nil where it did not speak.
    public let app: String?
    /// The transaction.
    public let data: CPayResultData

    /// Creates a result, with everything but these values empty.
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

    /// Whether both halves of the guide's rule hold: the request worked, and the service says that it is paid.
    public var isPaid: Bool {
        status.map(CPayStatus.init(rawValue:)) == .succeeded
            && data.status.map(CPayStatus.init(rawValue:))?.isPaid == true
    }

    /// The transaction of a ``CPayResult`` (guide, `CPayResultData`). Numbers that the service leaves out are 0.
    public final class CPayResultData: Sendable {
        /// What kind of error it was; nil when the service reports success.
        public let code: String?
        /// What went wrong.
        public let message: String?
        /// The service's id of the transaction.
        public let id: String?
        /// The kind of transaction, `charge`.
        public let object: String?
        /// The merchant's id of the charge.
        public let reference: String?
        /// The amount in minor units.
        public let amount: Int
        /// How much of it was captured, in minor units.
        public let amountCaptured: Int
        /// How much of it was given back, in minor units.
        public let amountRefunded: Int
        /// The ISO 4217 code.
        public let currency: String?
        /// The country, two letters.
        public let country: String?
        /// Whether it is captured without asking.
        public let autoCapture: Bool
        /// The transaction's state as the service wrote it; ``CPayStatus`` reads it.
        public let status: String?
        /// When it was created: seconds since 1970, milliseconds from older versions of the service.
        public let timeCreated: Int
        /// When it was authorised. No version of the service is known to say so.
        public let timeAuthorized: Int
        /// When it was captured.
        public let timeCaptured: Int
        /// The charge token, where the service repeats it.
        public let chargeToken: String?
        /// How it was paid.
        public let payment: CPayResultPayment
        /// What was paid in another currency; nil when the service does not say. Not in the vendor's SDK.
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
            payment = CPayResultPayment(method: transaction.method)
            exchange = transaction.exchange.map { CPayExchange($0) }
        }
    }

    /// How the transaction of a ``CPayResult`` was paid.
    public final class CPayResultPayment: Sendable {
        /// The method.
        public let method: String?

        init(method: String?) { self.method = method }
    }
}

/// The guide's name of ``CPayResult/CPayResultData``.
public typealias CPayResultData = CPayResult.CPayResultData

extension CPayResult: CPayConfidential {
    /// Status, code, and the transaction's state and id.
    public var description: String {
        let words = [status, data.code, data.message, data.id, data.status].map(SentSecrets.printable)
        return "CPayResult(status: \(words[0]), code: \(words[1]), message: \(words[2]), id: \(words[3]), "
            + "data.status: \(words[4]))"
    }
}

extension CPayResult.CPayResultData: CPayConfidential {}
extension CPayResult.CPayResultPayment: CPayConfidential {}
