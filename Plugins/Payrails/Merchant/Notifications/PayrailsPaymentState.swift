public import PaymentCore

/// What a merchant's records say of one payment, as notifications come in: doubled, late, and in any order.
///
/// Store it with the order, and apply every genuine notification to it within one database transaction.
public struct PayrailsPaymentState: Sendable, Hashable, Codable {
    /// How far the payment is. It only ever goes forward.
    @nonexhaustive
    public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
        /// Nobody has paid.
        case open
        /// The payer's last attempt was refused; they may try another way.
        case declined
        /// The money is set aside.
        case authorized
        /// The money is the merchant's.
        case captured
        /// It was called off; the money is the payer's again.
        case cancelled

        fileprivate var rank: Int {
            switch self {
            case .open, .declined: 0
            case .authorized: 1
            case .captured: 2
            case .cancelled: 3
            }
        }
    }

    /// What a notification changed.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It is news.
        case applied
        /// It was told before.
        case repeated
        /// Something later was told before.
        case outdated
        /// It says nothing of how the payment stands.
        case silent
        /// It is about another payment, or over another amount.
        case foreign
    }

    /// The id of the execution.
    public let execution: String
    /// The total that was ordered.
    public let amount: Money
    /// How far it is.
    public private(set) var stage = Stage.open
    /// What became of each refund, by the merchant's own id, or by the service's where it was asked for elsewhere: true
    /// for one that went through.
    public private(set) var refunds: [String: Bool] = [:]
    private var seen: Set<String> = []

    /// Creates the state of a payment of which nothing was told yet.
    ///
    /// - Parameters:
    ///   - execution: the id of the execution.
    ///   - amount: the total that was ordered; what is told of another one is foreign.
    public init(execution: String, amount: Money) {
        self.execution = execution
        self.amount = amount
    }

    /// Takes a notification into account.
    ///
    /// - Returns: what changed by it.
    public mutating func apply(_ notification: PayrailsNotification) -> Change {
        guard notification.execution == execution, notification.amount.map({ $0 == amount }) ?? true else {
            return .foreign
        }
        guard seen.insert(notification.fingerprint).inserted else { return .repeated }
        if notification.action == .refund { return apply(refund: notification) }
        guard let news = Self.stage(seen: notification) else { return .silent }
        if news == stage { return .repeated }
        guard news.rank > stage.rank || news == .declined && stage == .open else { return .outdated }
        stage = news
        return .applied
    }

    private mutating func apply(refund notification: PayrailsNotification) -> Change {
        let id = notification.paymentReference.id
        let news: Bool
        switch notification.progress {
        case .successful: news = true
        case .failed: news = false
        case .inFlight, .unclear: return .silent
        }
        // Money that went back is not undone by a word that comes late.
        switch refunds[id] {
        case nil: break
        case news?: return .repeated
        case true?: return .outdated
        case false?: break
        }
        refunds[id] = news
        return .applied
    }

    private static func stage(seen notification: PayrailsNotification) -> Stage? {
        switch (notification.action, notification.progress) {
        case (.authorize?, .successful), (.confirm?, .successful):
            notification.captureMode == .instant ? .captured : .authorized
        case (.authorize?, .failed), (.confirm?, .failed): .declined
        case (.capture?, .successful): .captured
        case (.cancel?, .successful): .cancelled
        default: nil
        }
    }
}
