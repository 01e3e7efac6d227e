/// The events of a sandbox's payments, in order. The truth that clients are compared with.
public struct SandboxLedger: Sendable, Hashable {
    /// One event.
    @nonexhaustive
    public enum Event: Sendable, Hashable {
        /// The payment was made.
        case created
        /// A request to confirm it arrived, acceptable or not.
        case confirmRequested
        /// Money was set aside for the payee, who has yet to take it: option and amount in minor units with its unit.
        case authorized(option: String, amount: String)
        /// Money was taken: option, amount in minor units with its unit, and the account it was taken from.
        case captured(option: String, amount: String, account: String)
        /// The money arrived.
        case settled
        /// Money was refunded after it had arrived: amount in minor units with its unit.
        case refunded(amount: String)
        /// The settlement failed or the payer was refused; the money was returned.
        case failed
        /// It was cancelled.
        case cancelled
        /// Its time ran out.
        case expired
    }

    /// One event of one payment.
    public struct Entry: Sendable, Hashable {
        /// The payment's id.
        public let payment: String
        /// The event.
        public let event: Event
    }

    /// All events, oldest first.
    public private(set) var entries: [Entry] = []

    /// Creates an empty ledger.
    public init() {}

    /// Adds an event of `payment`.
    public mutating func record(_ event: Event, of payment: String) {
        entries.append(Entry(payment: payment, event: event))
    }

    /// Returns the events of one payment, oldest first.
    public func events(of payment: String) -> [Event] {
        entries.filter { $0.payment == payment }.map(\.event)
    }

    /// Returns the number of times that money was taken for `payment`: never more than once.
    public func captures(of payment: String) -> Int {
        events(of: payment).count { if case .captured = $0 { true } else { false } }
    }

    /// Returns the number of requests to confirm `payment`.
    public func confirmRequests(of payment: String) -> Int {
        events(of: payment).count { $0 == .confirmRequested }
    }
}
