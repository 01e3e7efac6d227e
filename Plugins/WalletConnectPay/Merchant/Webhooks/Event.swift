public import PaymentCore
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension WalletConnectPayMerchant {
    /// The content of a genuine webhook: the whole payment in its state at the time.
    public struct Event: Sendable, Hashable {
        /// The kind of event. Open: the service may add others.
        public struct Kind: Sendable, Hashable, Codable, RawRepresentable {
            /// The service's raw value.
            public let rawValue: String

            /// Creates a kind from the service's raw value.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The payment was created.
            public static let created = Kind(rawValue: "payment.created")
            /// A buyer has begun to pay.
            public static let processing = Kind(rawValue: "payment.processing")
            /// The payment was paid.
            public static let succeeded = Kind(rawValue: "payment.succeeded")
            /// The payment failed.
            public static let failed = Kind(rawValue: "payment.failed")
            /// The payment expired.
            public static let expired = Kind(rawValue: "payment.expired")
            /// The payment was cancelled.
            public static let cancelled = Kind(rawValue: "payment.cancelled")
            /// The merchant was paid out. Reports the payment as paid, as ``succeeded`` does, and may arrive first.
            public static let settled = Kind(rawValue: "payment.settled")

            /// The corresponding state; nil if this version does not know the kind.
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

        /// The event's own id, the same for every delivery.
        public let id: String
        /// The kind of event.
        public let kind: Kind
        /// The time of the event, by the service's clock.
        public let date: Date?
        /// The payment's reference.
        public let payment: PaymentReference
        /// The service's id of the payee.
        public let merchantID: String
        /// The payment's environment.
        public let mode: Mode
        /// The merchant's own reference of the order. Not unique.
        public let reference: String?
        /// The number of this state of the payment, counted from 0: a number not above a seen one is outdated.
        public let version: Int64
        /// The price.
        public let price: Money?
        /// The service's raw status.
        public let rawStatus: String
        /// The transaction that paid, once it has.
        public let transactionID: String?
        /// The account that paid (CAIP-10), if stated.
        public let buyer: String?
        /// The transaction that paid the merchant out, once there is one.
        public let settlementTransactionID: String?
        /// The report. The receipt of a success states no amount: webhooks do not include the decimals of tokens.
        public let report: ServiceReport

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
            // A service that contradicts itself is reliable in neither statement.
            if let state = kind.state, state != status { throw .unreadable("status") }
            rawStatus = status.printable
            price = data["amount"].flatMap { try? $0.decode(PlainAmountBody.self).money }
            transactionID = data["success"]?["tx_id"]?.string
            buyer = data["processing"]?["buyer_caip10"]?.string
            settlementTransactionID = data["settled"]?["tx_id"]?.string
            let plain = StatusBody(status: status, isFinal: status.isFinal).report(of: payment)
            if case .succeeded = plain {
                report = .succeeded(PaymentReceipt(reference: payment, transactionID: transactionID))
            } else {
                report = plain
            }
        }

        /// Checks it against the order.
        ///
        /// - Parameters:
        ///   - created: the created payment.
        ///   - order: its order.
        /// - Throws: ``PaymentError`` with code `integrity`, naming the difference.
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
    /// Checks that a webhook is genuine, fresh, of this merchant's environment and about one of its payments, and reads
    /// it.
    ///
    /// While it is fresh, the service or any holder of a copy can send it again: ``EventHistory`` identifies the new
    /// events.
    ///
    /// - Returns: the reference and the report of its payment.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, with the reason.
    public func verify(_ notification: IncomingNotification) throws -> PaymentNotification {
        let event = try read(notification)
        return PaymentNotification(reference: event.payment, report: event.report)
    }

    /// Checks a webhook as ``verify(_:)`` does, and reads all its values.
    ///
    /// - Returns: the event.
    /// - Throws: ``PaymentError`` with code `untrustedNotification`, with the reason.
    public func read(_ notification: IncomingNotification) throws(PaymentError) -> Event {
        do throws(WebhookDefect) {
            try SignedWebhook.check(notification, secrets: secrets, now: clock.now)
            return try Event(notification.body, at: self)
        } catch {
            throw PaymentError(
                .untrustedNotification, "the webhook is not accepted: \(error)", provider: id, phase: .answered)
        }
    }
}

extension WalletConnectPayMerchant {
    /// The events that a server has seen: webhooks come at least once, in no order, and any holder of a copy may send
    /// one again. A value: store it with the orders, in the same transaction as an event's effects. (Protocol 7.4.)
    public struct EventHistory: Sendable, Hashable, Codable {
        /// The novelty of an event.
        @nonexhaustive
        public enum Verdict: String, Sendable, Hashable {
            /// The latest state of its payment.
            case new
            /// Seen before.
            case repeated
            /// Not seen before, but of a state that the payment has left.
            case outdated
        }

        /// The number of events, and of payments, that are remembered; the earliest are evicted first.
        public let capacity: Int
        private var ids: [String] = []
        private var payments: [String] = []
        private var known: Set<String> = []
        /// The latest versions, by the payment's id. The first version of a payment is 0, so nil stands for none.
        private var versions: [String: Int64] = [:]

        /// Creates an empty history.
        ///
        /// - Parameter capacity: the number of events and payments to remember: those of some days, since the service
        ///   retries webhooks for about 28 hours.
        public init(capacity: Int = 100_000) { self.capacity = max(1, capacity) }

        /// Adds an event, and returns its novelty.
        ///
        /// Deliver by the report of a new event, once per payment. A paid payment has two new events, ``Event/Kind``
        /// `succeeded` and `settled`, and each of them reports it paid. If `settled` arrives first, `succeeded` is
        /// outdated: a server that waits for that kind never delivers.
        ///
        /// - Returns: the novelty. Process only new events.
        public mutating func take(_ event: Event) -> Verdict {
            guard known.insert(event.id).inserted else { return .repeated }
            ids.append(event.id)
            // In whole batches: an array removes its first elements slowly.
            if ids.count > 2 * capacity {
                known.subtract(ids.prefix(capacity))
                ids.removeFirst(capacity)
            }
            let payment = event.payment.id
            guard let latest = versions[payment] else {
                versions[payment] = event.version
                payments.append(payment)
                if payments.count > 2 * capacity {
                    for old in payments.prefix(capacity) { versions[old] = nil }
                    payments.removeFirst(capacity)
                }
                return .new
            }
            guard event.version > latest else { return .outdated }
            versions[payment] = event.version
            return .new
        }
    }
}
