/// The interval of a subscription of the guide.
public enum SubscriptionInterval: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every seven days.
    case weekly
    /// Every month, on the day of its start; the last day in a month without it.
    case monthly
}

/// A subscription as defined by the guide: repeated payments of this device's user to another user.
public struct Subscription: Sendable, Hashable {
    /// The application's name for it: 1 to 64 bytes.
    public let id: String
    /// The payee, in any form that a key has.
    public let recipientPubkey: String
    /// The amount of each payment, in satoshis.
    public let amount: UInt64
    /// The interval of the payments.
    public let interval: SubscriptionInterval
    /// The payee's method, such as `lightning`.
    public let methodId: String
    /// True if it is paid without a question, within the application's limits.
    public let autoPayEnabled: Bool

    /// Creates a subscription.
    public init(
        id: String, recipientPubkey: String, amount: UInt64, interval: SubscriptionInterval, methodId: String,
        autoPayEnabled: Bool
    ) {
        self.id = id
        self.recipientPubkey = recipientPubkey
        self.amount = amount
        self.interval = interval
        self.methodId = methodId
        self.autoPayEnabled = autoPayEnabled
    }
}
