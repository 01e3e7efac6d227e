import PaymentCore

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
