public import CitconProvider
public import PaymentCore

/// A genuine notification (IPN): its signature is valid and covers every value here.
public struct CitconNotification: Sendable, Hashable {
    /// The kind of object that it is about. Open: Citcon may add others.
    public struct Kind: Sendable, Hashable, Codable, RawRepresentable {
        /// Citcon's raw value.
        public let rawValue: String

        /// Creates a kind from Citcon's raw value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A charge.
        public static let charge = Kind(rawValue: "charge")
        /// A refund.
        public static let refund = Kind(rawValue: "refund")
        /// A payer's dispute.
        public static let chargeback = Kind(rawValue: "chargeback")
        /// A stored instrument.
        public static let vault = Kind(rawValue: "vault")
    }

    /// The id of the merchant that it was sent to.
    let merchant: ProviderID
    /// Citcon's id of the transaction.
    public let id: String
    /// The kind of object that it is about.
    public let kind: Kind
    /// The merchant's reference.
    public let reference: String
    /// The amount; of a refund, the refunded amount. Always present for charges and refunds.
    public let amount: Money?
    /// The captured amount of a charge, if stated.
    public let amountCaptured: Money?
    /// The refunded amount of a charge, if stated.
    public let amountRefunded: Money?
    /// Citcon's raw status.
    public let rawStatus: String
    /// The payment method, if stated.
    public let method: String?
    /// The time of the transaction's creation, as Citcon wrote it: two formats are in use.
    public let timeCreated: String?
    /// The time at which it reached this state, as Citcon wrote it.
    public let timeCompleted: String?

    /// The status. Disputes have their own raw values, which are unknown here; see ``dispute``.
    public var status: CitconStatus { CitconStatus(rawValue: rawStatus) }

    /// The stage of a payer's dispute; nil when it is about something else.
    public var dispute: CitconDispute? { kind == .chargeback ? CitconDispute(rawValue: rawStatus) : nil }

    /// The reference, in routers and journals, of the payment or refund, or of the disputed payment.
    public var paymentReference: PaymentReference {
        guard kind == .refund else { return PaymentReference(provider: merchant, id: reference) }
        // Only a refund that this library requested names its charge.
        let refund = MerchantReference.refund(in: reference)
        return PaymentReference(
            provider: merchant, id: refund?.id ?? reference, subject: .refund(of: refund?.charge))
    }

    /// The report. The receipt of a charge states the captured amount, which may be a part.
    public var report: ServiceReport {
        guard kind == .charge || kind == .refund else {
            return CitconStatus.unknown(rawStatus).merchantReport(
                of: paymentReference, amount: nil, transactionID: nil, rawStatus: "\(kind.rawValue): \(rawStatus)")
        }
        let taken = kind == .charge ? amountCaptured.flatMap { $0.minorUnits > 0 ? $0 : nil } : nil
        return status.merchantReport(of: paymentReference, amount: taken ?? amount, transactionID: id)
    }

    /// Checks it against the ordered charge.
    ///
    /// - Throws: ``PaymentError`` with code `integrity`, naming the difference.
    public func check(against charge: CitconCharge) throws(PaymentError) {
        let difference: String? =
            if kind != .charge {
                "it is about a \(CitconStatus.printable(kind.rawValue))"
            } else if paymentReference != charge.reference {
                "its reference is another"
            } else if id != charge.id {
                "its id is another"
            } else if amount != charge.amount {
                "its amount or currency is another"
            } else {
                nil
            }
        guard let difference else { return }
        throw PaymentError(
            .integrity, "the notification does not fit the charge: \(difference)", provider: merchant)
    }
}

extension CitconMerchant: NotificationReadingService {
    /// Checks that `notification` is genuine and reads it.
    ///
    /// - Returns: the reference and the report of its payment.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, with the reason.
    public func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let genuine = try read(notification)
        return PaymentNotification(reference: genuine.paymentReference, report: genuine.report)
    }

    /// Checks that `notification` is genuine and reads all its values.
    ///
    /// - Returns: the notification.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, with the reason.
    public func read(_ notification: IncomingNotification) throws(PaymentError) -> CitconNotification {
        do { return try SignedNotification.read(notification.body, secret: privateKey, of: id) } catch {
            throw PaymentError(
                .untrustedNotification, "the notification is not accepted: \(error)", provider: id,
                phase: .answered)
        }
    }
}
