import PaymentCore

extension WalletConnectPayMerchant {
    /// Which events a server has seen: webhooks come at least once, in no order, and may be sent again by whoever saw
    /// them. A value: keep it with the orders, in the same transaction as what is made of an event. (Protocol 7.4.)
    public struct EventHistory: Sendable, Hashable, Codable {
        /// What an event is to who has seen others.
        @nonexhaustive
        public enum Verdict: String, Sendable, Hashable {
            /// The latest state of its payment.
            case new
            /// Seen before.
            case repeated
            /// Not seen before, but of a state that the payment has left.
            case outdated
        }

        /// How many events, and how many payments, are remembered; the earliest are forgotten first.
        public let capacity: Int
        private var ids: [String] = []
        private var payments: [String] = []
        private var known: Set<String> = []
        /// By the payment's id. The first version of a payment is 0, so none is an absence.
        private var versions: [String: Int64] = [:]

        /// Creates an empty history.
        ///
        /// - Parameter capacity: how many events and payments to remember: those of some days, since webhooks are tried
        ///   for about 28 hours.
        public init(capacity: Int = 100_000) { self.capacity = max(1, capacity) }

        /// Takes an event in, and says what it is.
        ///
        /// - Returns: what it is. Act on news alone.
        public mutating func take(_ event: Event) -> Verdict {
            guard known.insert(event.id).inserted else { return .repeated }
            ids.append(event.id)
            // In whole batches: an array gives its first elements up slowly.
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
