public import PaymentRouting

/// The conditions under which a subscription is paid without asking (Protocol 6.7).
///
/// The reference implementation accepts any text as a period, and never resets the sum of an unknown one; here a period
/// is one of a router's.
public struct PaykitAutoPayRule: Sendable, Hashable {
    /// The subscription's id.
    public let subscriptionID: String
    /// The payee.
    public let peer: PubkyKey
    /// The payment method.
    public let methodID: String
    /// True if the rule is in force; otherwise the subscriber is asked.
    public var isEnabled = true
    /// The most that one payment may cost; nil for any.
    public var mostPerPayment: Money?
    /// The most that the peer may receive in a period; nil for any. See ``limits``.
    public var mostPerPeriod: Money?
    /// The period of ``mostPerPeriod``.
    public var period = SpendingLimit.Period.month
    /// True if the subscriber is asked nevertheless.
    public var requiresConfirmation = false
    /// The time before each payment at which the subscriber is notified.
    public var notifiesBefore = Duration.seconds(3600)

    /// Creates a rule that allows all payments without asking, with a notification an hour before.
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

    /// Returns true if the rule allows paying a period of a subscription without asking. Limits are checked on paying.
    public func allows(_ subscription: PaykitSubscription) -> Bool {
        guard isEnabled, !requiresConfirmation, subscription.id == subscriptionID, subscription.provider == peer,
            subscription.terms.methodID == methodID
        else { return false }
        guard let mostPerPayment else { return true }
        // An amount that cannot be compared is above any limit.
        guard let amount = try? subscription.terms.money(), let isAbove = try? mostPerPayment.isLess(than: amount)
        else { return false }
        return !isAbove
    }
}
