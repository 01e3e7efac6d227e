public import PaymentCore
public import PaykitProvider
public import PaymentRouting

/// What of a subscription may be paid without a question (Protocol 6.7).
///
/// The reference implementation takes any text for a period, and forgets nothing where it does not know it; here a
/// period is one of a router's.
public struct PaykitAutoPayRule: Sendable, Hashable {
    /// The subscription's name.
    public let subscriptionID: String
    /// Who is paid.
    public let peer: PubkyKey
    /// By which method.
    public let methodID: String
    /// Whether the rule holds. Without one the subscriber is asked.
    public var isEnabled = true
    /// The most that one payment may cost; nil for any.
    public var mostPerPayment: Money?
    /// The most that the peer may get in a period; nil for any. See ``limits``.
    public var mostPerPeriod: Money?
    /// The period.
    public var period = SpendingLimit.Period.month
    /// Whether the subscriber is asked all the same.
    public var requiresConfirmation = false
    /// How long before each payment the subscriber is told of it.
    public var notifiesBefore = Duration.seconds(3600)

    /// Creates a rule: everything without a question, and the subscriber told an hour before.
    public init(subscriptionID: String, peer: PubkyKey, methodID: String) {
        self.subscriptionID = subscriptionID
        self.peer = peer
        self.methodID = methodID
    }

    /// The limits of the rule, for a router (`AutoPay`) or ``PaymentRouting/SpendingStore``: other payments to the peer
    /// count as well.
    public var limits: [SpendingLimit] {
        guard isEnabled, let mostPerPeriod else { return [] }
        return [SpendingLimit(mostPerPeriod, per: period, on: .payee(peer.text))]
    }

    /// Returns whether a period of a subscription may be paid without a question, as far as the rule goes. Limits are
    /// looked at when it is paid.
    ///
    /// - Parameter subscription: what both have agreed to.
    public func allows(_ subscription: PaykitSubscription) -> Bool {
        guard isEnabled, !requiresConfirmation, subscription.id == subscriptionID, subscription.provider == peer,
            subscription.terms.methodID == methodID
        else { return false }
        guard let mostPerPayment else { return true }
        // What cannot be compared is above any limit.
        guard let amount = try? subscription.terms.money(), let isAbove = try? mostPerPayment.isLess(than: amount)
        else {
            return false
        }
        return !isAbove
    }
}
