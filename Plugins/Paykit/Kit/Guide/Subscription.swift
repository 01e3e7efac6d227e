/// How often a subscription of the guide is paid.
public enum SubscriptionInterval: Sendable, Hashable {
    /// Every day.
    case daily
    /// Every seven days.
    case weekly
    /// Every month, on the day on which it began; a month without it has its last.
    case monthly
}

/// A subscription as the guide has it: what this device's user pays somebody again and again.
public struct Subscription: Sendable, Hashable {
    /// What the application calls it: 1 to 64 bytes.
    public let id: String
    /// Who is paid, in any form that a key has.
    public let recipientPubkey: String
    /// What is paid each time, in satoshis.
    public let amount: UInt64
    /// How often.
    public let interval: SubscriptionInterval
    /// By which of the payee's methods, such as `lightning`.
    public let methodId: String
    /// Whether it is paid without a question, within the application's limits.
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
