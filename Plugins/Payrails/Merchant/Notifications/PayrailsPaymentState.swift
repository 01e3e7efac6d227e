public import PaymentCore

/// The state of one payment in a merchant's records, by its notifications: repeated, late, and in any order.
///
/// Store it with the order, and apply every genuine notification to it within one database transaction.
public struct PayrailsPaymentState: Sendable, Hashable, Codable {
    /// The progress of the payment. It only ever advances, with one exception: if an authorisation counts as captured,
    /// a capture that fails afterwards leaves the payment authorised.
    @nonexhaustive
    public enum Stage: String, Sendable, Hashable, Codable, CaseIterable {
        /// The payment is not paid.
        case open
        /// The payer's last attempt was declined; they may try another way.
        case declined
        /// The money is authorised, and not captured.
        case authorized
        /// The money is captured.
        case captured
        /// The payment is cancelled; the money is released or refunded.
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

    /// The effect of a notification on the state.
    @nonexhaustive
    public enum Change: Sendable, Hashable {
        /// It changed the state.
        case applied
        /// Its content was already known.
        case repeated
        /// A later stage was already known.
        case outdated
        /// It does not determine a stage.
        case silent
        /// It is about another payment, or another amount.
        case foreign
    }

    /// The id of the execution.
    public let execution: String
    /// The total of the order.
    public let amount: Money
    /// The progress of the payment.
    public private(set) var stage = Stage.open
    /// The results of refunds, by the merchant's own id, or by the service's if they were requested elsewhere: true for
    /// a refund that succeeded.
    public private(set) var refunds: [String: Bool] = [:]
    private var seen: Set<String> = []
    /// True if a capture was begun: then its end decides, and not the authorisation.
    private var hasBegunCapture = false
    private var isCaptured = false

    /// Creates the state of a payment before any notification.
    ///
    /// - Parameters:
    ///   - execution: the id of the execution.
    ///   - amount: the total of the order; notifications about another amount are foreign.
    public init(execution: String, amount: Money) {
        self.execution = execution
        self.amount = amount
    }

    /// Applies a notification to the state.
    ///
    /// - Returns: its effect.
    public mutating func apply(_ notification: PayrailsNotification) -> Change {
        guard notification.execution == execution, notification.isOver(amount) else { return .foreign }
        guard seen.insert(notification.fingerprint).inserted else { return .repeated }
        if notification.action == .refund { return apply(refund: notification) }
        if notification.action == .capture {
            hasBegunCapture = true
            isCaptured = isCaptured || notification.progress == .successful
            if case .failed = notification.progress, stage == .captured, !isCaptured {
                stage = .authorized
                return .applied
            }
        }
        guard let news = stage(seen: notification) else { return .silent }
        if news == stage { return .repeated }
        guard news.rank >= stage.rank else { return .outdated }
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
        // A late notification does not undo a completed refund.
        switch refunds[id] {
        case nil: break
        case news?: return .repeated
        case true?: return .outdated
        case false?: break
        }
        refunds[id] = news
        return .applied
    }

    private func stage(seen notification: PayrailsNotification) -> Stage? {
        switch (notification.action, notification.progress) {
        case (.authorize?, .successful), (.confirm?, .successful):
            notification.captureMode == .instant && !hasBegunCapture ? .captured : .authorized
        case (.authorize?, .failed), (.confirm?, .failed): .declined
        case (.capture?, .successful): .captured
        case (.cancel?, .successful): .cancelled
        default: nil
        }
    }
}
