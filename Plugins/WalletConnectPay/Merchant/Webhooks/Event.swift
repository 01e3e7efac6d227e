public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// What a genuine webhook says of a payment: the whole of it as it was then.
    public struct Event: Sendable, Hashable {
        /// What has happened. Open: the service may add others.
        public struct Kind: Sendable, Hashable, Codable, RawRepresentable {
            /// The service's word.
            public let rawValue: String

            /// Creates a kind from the service's word.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The payment was made.
            public static let created = Kind(rawValue: "payment.created")
            /// A buyer has begun to pay.
            public static let processing = Kind(rawValue: "payment.processing")
            /// It was paid.
            public static let succeeded = Kind(rawValue: "payment.succeeded")
            /// It failed.
            public static let failed = Kind(rawValue: "payment.failed")
            /// Its time ran out.
            public static let expired = Kind(rawValue: "payment.expired")
            /// It was called off.
            public static let cancelled = Kind(rawValue: "payment.cancelled")
            /// The merchant was paid out.
            public static let settled = Kind(rawValue: "payment.settled")

            /// The state that goes with it; nil where this version does not know it.
            var state: PaymentState? {
                switch self {
                case .created: .requiresAction
                case .processing: .processing
                case .succeeded, .settled: .succeeded
                case .failed: .failed
                case .expired: .expired
                case .cancelled: .cancelled
                default: nil
                }
            }
        }

        /// The event's own id, the same however often it is delivered.
        public let id: String
        /// What has happened.
        public let kind: Kind
        /// When it happened, by the service's clock.
        public let date: Date?
        /// The payment.
        public let payment: PaymentReference
        /// The service's id of the merchant that it is for.
        public let merchantID: String
        /// The world that it is in.
        public let mode: Mode
        /// The merchant's own name of the order. Not unique.
        public let reference: String?
        /// Which state of the payment this is, counted from 0: what has not a larger one than was seen is old.
        public let version: Int64
        /// What it costs.
        public let price: Money?
        /// The service's word for its state.
        public let rawStatus: String
        /// The transaction that paid, once it has.
        public let transactionID: String?
        /// The account that paid (CAIP-10), where it is told.
        public let buyer: String?
        /// The transaction that paid the merchant out, once there is one.
        public let settlementTransactionID: String?
        /// What it means. The receipt of a success states no amount: webhooks do not tell the decimals of tokens.
        public let outcome: PaymentOutcome

        init(_ body: [UInt8], at merchant: WalletConnectPayMerchant) throws(WebhookDefect) {
            guard let json = try? JSONValue(parsing: body), json.object != nil else { throw .notJSON }
            guard let data = json["data"], data.object != nil else { throw .unreadable("data") }
            func text(_ name: String, of object: JSONValue) throws(WebhookDefect) -> String {
                guard let text = object[name]?.string, !text.isEmpty, text.utf8.count <= 256 else {
                    throw .unreadable(name)
                }
                return text
            }
            id = try text("id", of: json)
            kind = Kind(rawValue: try text("type", of: json))
            guard kind.rawValue.hasPrefix("payment.") else { throw .unreadable("type") }
            date = json["created_at"]?.string.flatMap(WireTime.read)
            guard let isLive = data["live"]?.bool else { throw .unreadable("live") }
            mode = isLive ? .live : .test
            guard mode == merchant.mode else { throw .otherMode(mode) }
            merchantID = try text("merchant_id", of: data)
            guard merchantID == merchant.merchantID else { throw .otherMerchant }
            payment = PaymentReference(provider: merchant.id, id: try text("payment_id", of: data))
            guard (try? merchant.paymentID(payment)) != nil else { throw .unreadable("payment_id") }
            guard let version = data["payment_state_version"]?.int64, version >= 0 else {
                throw .unreadable("payment_state_version")
            }
            self.version = version
            reference = data["reference_id"]?.string
            let status = PaymentState(rawValue: try text("status", of: data))
            // A service that contradicts itself is not to be believed in either.
            if let state = kind.state, state != status { throw .unreadable("status") }
            rawStatus = status.printable
            price = data["amount"].flatMap { try? $0.decode(PlainAmountBody.self).money }
            transactionID = data["success"]?["tx_id"]?.string
            buyer = data["processing"]?["buyer_caip10"]?.string
            settlementTransactionID = data["settled"]?["tx_id"]?.string
            let plain = StatusBody(status: status, isFinal: status.isFinal).outcome(of: payment)
            if case .succeeded = plain {
                outcome = .succeeded(PaymentReceipt(reference: payment, transactionID: transactionID))
            } else {
                outcome = plain
            }
        }

        /// Checks it against what was ordered.
        ///
        /// - Parameters:
        ///   - created: the payment that was made.
        ///   - order: what was ordered.
        /// - Throws: ``PaymentError`` with code `integrity`, saying what differs.
        public func check(against created: CreatedPayment, _ order: Order) throws(PaymentError) {
            let difference: String? =
                if payment != created.reference {
                    "it is about another payment"
                } else if reference != order.reference {
                    "its reference is another"
                } else if price != order.amount {
                    "its price is another"
                } else {
                    nil
                }
            guard let difference else { return }
            throw PaymentError(
                .integrity, "the webhook does not fit the order: \(difference)", provider: payment.provider)
        }
    }
}

extension WalletConnectPayMerchant: NotificationReadingService {
    /// Checks that a webhook is genuine, fresh, of this merchant's world and about one of its payments, and reads it.
    ///
    /// It can be told again, by the service or by whoever saw it, for as long as it is fresh: ``EventHistory`` keeps
    /// apart what is news.
    ///
    /// - Returns: which payment it is about, and what it says of it.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, saying why.
    public func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let event = try read(notification)
        return PaymentNotification(reference: event.payment, outcome: event.outcome)
    }

    /// Checks a webhook as ``verify(_:)`` does, and reads everything that it says.
    ///
    /// - Returns: the event.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, saying why.
    public func read(_ notification: IncomingNotification) throws(PaymentError) -> Event {
        do throws(WebhookDefect) {
            _ = try SignedWebhook.check(notification, secrets: secrets, now: clock.now)
            return try Event(notification.body, at: self)
        } catch {
            throw PaymentError(
                .untrustedNotification, "the webhook is not accepted: \(error)", provider: id, phase: .answered)
        }
    }
}
