/// One payment of the demonstration: the action, the command line's output, and the rules about the money.
package struct DemoScenario: Sendable {
    /// The result of a payment.
    package enum Ending: String, Sendable { case succeeded, declined, cancelled, expired, unknown }

    package let title: String
    /// The scenario's name at the vendor's sandbox.
    package let scenario: String
    package let ending: Ending
    /// The number of times that money must have been taken.
    package let captures: Int
    /// The ledger's last event of the payment.
    package let lastEvent: LedgerStatus
    /// True if the payer takes no option.
    package let isRefused: Bool
    /// The end of the path, behind the payment's id, of the request whose answer is lost on its way back.
    package let lostAnswer: String?
    /// True if the link is paid a second time.
    package let isPaidTwice: Bool

    package init(
        _ title: String, _ scenario: String, _ ending: Ending, captures: Int, lastEvent: LedgerStatus,
        isRefused: Bool = false, lostAnswer: String? = nil, isPaidTwice: Bool = false
    ) {
        self.title = title
        self.scenario = scenario
        self.ending = ending
        self.captures = captures
        self.lastEvent = lastEvent
        self.isRefused = isRefused
        self.lostAnswer = lostAnswer
        self.isPaidTwice = isPaidTwice
    }
}

/// A text that a scanner or a deep link may bring, and the router's expected decision.
package struct SampleText: Sendable {
    /// The router's decision.
    package enum Decision: String, Sendable { case matched, recognized, rejected, unroutable }

    package let title: String
    package let text: String
    package let decision: Decision
    /// True if the link proves where it leads; nil where it leads nowhere.
    package let isVerified: Bool?

    package init(_ title: String, _ text: String, _ decision: Decision, isVerified: Bool? = nil) {
        self.title = title
        self.text = text
        self.decision = decision
        self.isVerified = isVerified
    }
}
