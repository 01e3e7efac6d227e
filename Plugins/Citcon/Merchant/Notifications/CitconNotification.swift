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
    /// The amount, or of a refund the refunded amount. Always present for charges and refunds.
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
    /// The time when it reached this state, as Citcon wrote it.
    public let timeCompleted: String?

    /// The status. Disputes have their own raw values, which are unknown here. See ``dispute``.
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

/// The stage of a payer's dispute of a payment (a chargeback), in the terms of Citcon's notifications (Protocol 5.4).
@nonexhaustive
public enum CitconDispute: Sendable, Hashable, RawRepresentable {
    /// The payer disputes the payment.
    case claimed
    /// The merchant has been asked about it, and has to answer in time.
    case asked
    /// The merchant has answered.
    case answered
    /// The payer won the dispute and is repaid.
    case lost
    /// The merchant won the dispute and keeps the money.
    case won
    /// The case is closed. This stage does not state the result.
    case closed
    /// Another raw value.
    case unknown(String)

    /// Creates a stage from Citcon's raw value. The case of its letters does not matter.
    public init(rawValue: String) {
        switch rawValue.lowercased() {
        case "notification of claim": self = .claimed
        case "request for information": self = .asked
        case "information supplied": self = .answered
        case "lost": self = .lost
        case "won": self = .won
        case "case closed": self = .closed
        default: self = .unknown(rawValue)
        }
    }

    /// Citcon's raw value of the stage, or the unknown raw value unchanged.
    public var rawValue: String {
        switch self {
        case .claimed: "Notification of Claim"
        case .asked: "Request For Information"
        case .answered: "Information Supplied"
        case .lost: "Lost"
        case .won: "Won"
        case .closed: "Case Closed"
        case .unknown(let word): word
        }
    }
}

/// The merchant's record of one transaction, as notifications arrive: repeatedly, late, and in any order.
///
/// Store it with the order, and apply every genuine notification to it within one database transaction.
public struct CitconTransactionState: Sendable, Hashable, Codable {
    /// The effect of a notification.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It changed the state.
        case applied
        /// It was received before.
        case repeated
        /// A later state was received before.
        case outdated
        /// The transaction had ended differently. Its state does not change: ask the service, and alert a person.
        case contradictory
        /// Its status is unknown. It is recorded and changes nothing.
        case unrecognized
        /// It is about another transaction.
        case foreign
    }

    /// Citcon's id of the transaction.
    public let id: String
    /// The kind of transaction.
    public let kind: CitconNotification.Kind
    private var word: String
    private var seen: Set<String> = []

    /// Creates the state of a transaction without notifications.
    public init(id: String, kind: CitconNotification.Kind = .charge) {
        self.id = id
        self.kind = kind
        word = CitconStatus.initiated.rawValue
    }

    /// The status. It only advances, and a final one never changes.
    public var status: CitconStatus { CitconStatus(rawValue: word) }

    /// Applies a notification.
    ///
    /// - Returns: its effect.
    public mutating func apply(_ notification: CitconNotification) -> Change {
        guard notification.id == id, notification.kind == kind else { return .foreign }
        let new = notification.status
        guard seen.insert(new.rawValue).inserted else { return .repeated }
        // Disputes have no documented order: the latest notification determines the state.
        if kind == .chargeback {
            word = new.rawValue
            return .applied
        }
        guard let rank = Self.rank(new), let old = Self.rank(status) else { return .unrecognized }
        if rank > old {
            word = new.rawValue
            return .applied
        }
        if rank < old { return .outdated }
        return new == status ? .repeated : .contradictory
    }

    /// Returns the position of a status on the way to its end; nil for unknown statuses.
    private static func rank(_ status: CitconStatus) -> Int? {
        switch status {
        case .initiated: 0
        case .pending: 1
        case .authorized: 2
        case .succeeded, .failed, .canceled, .expired: .max
        case .unknown: nil
        }
    }
}
