public import CitconProvider
public import PaymentCore

/// A genuine notification (IPN): its signature is good, and every value here was under it.
public struct CitconNotification: Sendable, Hashable {
    /// What it is about. Open: Citcon may add others.
    public struct Kind: Sendable, Hashable, Codable, RawRepresentable {
        /// Citcon's word.
        public let rawValue: String

        /// Creates a kind from Citcon's word.
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

    /// The merchant that it was sent to.
    let merchant: ProviderID
    /// Citcon's id of the transaction.
    public let id: String
    /// What it is about.
    public let kind: Kind
    /// The merchant's reference.
    public let reference: String
    /// How much; of a refund, how much went back. Always there for charges and refunds.
    public let amount: Money?
    /// How much of a charge was taken, when it is told.
    public let amountCaptured: Money?
    /// How much of a charge went back, when it is told.
    public let amountRefunded: Money?
    /// Citcon's word for the state.
    public let rawStatus: String
    /// The payment method, when it is told.
    public let method: String?
    /// When the transaction began, as Citcon wrote it: two forms are in use.
    public let timeCreated: String?
    /// When it reached this state, as Citcon wrote it.
    public let timeCompleted: String?

    /// The state, read. Disputes have words of their own, which are unknown here; see ``dispute``.
    public var status: CitconStatus { CitconStatus(rawValue: rawStatus) }

    /// How far a payer's dispute is; nil when it is about something else.
    public var dispute: CitconDispute? { kind == .chargeback ? CitconDispute(rawValue: rawStatus) : nil }

    /// The payment or refund, or the payment that a dispute is about, as routers and journals call it.
    public var paymentReference: PaymentReference {
        guard kind == .refund else { return PaymentReference(provider: merchant, id: reference) }
        let prefix = MerchantReference.refund("")
        let id = reference.hasPrefix(prefix) ? String(reference.dropFirst(prefix.count)) : reference
        return PaymentReference(provider: merchant, id: id, subject: .refund)
    }

    /// What it means. The receipt of a charge is over what was taken, which may be a part.
    public var outcome: PaymentOutcome {
        guard kind == .charge || kind == .refund else {
            return CitconStatus.unknown(rawStatus).merchantOutcome(
                of: paymentReference, amount: nil, transactionID: nil, rawStatus: "\(kind.rawValue): \(rawStatus)")
        }
        let taken = kind == .charge ? amountCaptured.flatMap { $0.minorUnits > 0 ? $0 : nil } : nil
        return status.merchantOutcome(of: paymentReference, amount: taken ?? amount, transactionID: id)
    }

    /// Checks it against what was ordered.
    ///
    /// - Throws: ``PaymentError`` with code `integrity`, saying what differs.
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
    /// - Returns: which payment it is about, and what it says of it.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, saying why.
    public func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let genuine = try read(notification)
        return PaymentNotification(reference: genuine.paymentReference, outcome: genuine.outcome)
    }

    /// Checks that `notification` is genuine and reads everything that it says.
    ///
    /// - Returns: the notification.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, saying why.
    public func read(_ notification: IncomingNotification) throws(PaymentError) -> CitconNotification {
        do { return try SignedNotification.read(notification.body, secret: privateKey, of: id) } catch {
            throw PaymentError(
                .untrustedNotification, "the notification is not accepted: \(error)", provider: id,
                phase: .answered)
        }
    }
}
