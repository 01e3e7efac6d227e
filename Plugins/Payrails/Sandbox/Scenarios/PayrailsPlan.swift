import PaymentCore

extension PayrailsSandbox {
    /// A status that is going to be written.
    struct Step: Sendable {
        let code: String
        /// When it shows, counted from the beginning of what it belongs to.
        let at: Duration
        /// The time that stands on it, counted likewise, when that is another one.
        var stamp: Duration?
        var reason: Reason?
        /// The action of a merchant that it belongs to.
        var action: String?

        init(
            _ code: String, at: Duration = .zero, stamp: Duration? = nil, reason: Reason? = nil, action: String? = nil
        ) {
            self.code = code
            self.at = at
            self.stamp = stamp
            self.reason = reason
            self.action = action
        }

        static let pending = Step("authorizePending")
        static let successful = Step("authorizeSuccessful")

        static func failed(_ reason: Reason) -> Step { Step("authorizeFailed", reason: reason) }

        func after(_ delay: Duration) -> Step { Step(code, at: delay, stamp: stamp, reason: reason) }
    }

    /// What a scenario does, in detail.
    struct Plan: Sendable {
        /// A call that can be refused.
        enum Call: Sendable, Hashable {
            case authorize, read, wait, confirm
        }

        enum Trouble: Sendable {
            case unauthorized
            case serverError
            case invalid
            case garbage
            case withheld
        }

        /// Which stored cards a session offers.
        enum Cards: Sendable {
            case usual, firstGone, firstDisabled, oneMalformed
        }

        let summary: String
        let outcome: Scenario.Outcome
        var method = Scenario.Method.any
        /// When `authorizeRequested` shows; nil for never.
        var requested: Duration? = .zero
        /// What follows, counted from the request to pay, or from the payer's last act on a page.
        var settlement: [Step] = [.pending, .successful]
        /// How long the answer to the request to pay takes.
        var authorizing = Duration.zero
        /// The call that goes wrong, how, and how often.
        var trouble: (call: Call, kind: Trouble, times: Int)?
        var challenges = false
        var cards = Cards.usual
        var hasZeroTimes = false
        var returnsForeign = false
    }
}

extension PayrailsSandbox.Scenario {
    private typealias Plan = PayrailsSandbox.Plan
    private typealias Step = PayrailsSandbox.Step

    var plan: PayrailsSandbox.Plan {
        switch self {
        case .paid: Plan(summary: "paid before the first query", outcome: .paid)
        case .declined:
            Plan(summary: "declined", outcome: .declined, settlement: [.failed(.rejected)])
        case .insufficientBalance:
            Plan(
                summary: "declined for lack of money", outcome: .declined,
                settlement: [.pending, .failed(.insufficientBalance)])
        case .declinedThenPending:
            // The recorded times of such a payment; the answer to the request comes after them.
            Plan(
                summary: "declined, with a pending status after it", outcome: .declined,
                requested: .milliseconds(403),
                settlement: [
                    .failed(.rejected).after(.milliseconds(3085)), .pending.after(.milliseconds(4548)),
                ], authorizing: .milliseconds(4600))
        case .pending: Plan(summary: "pending for ever", outcome: .pending, settlement: [.pending])
        case .pendingThenPaid:
            Plan(
                summary: "pending, paid a moment later", outcome: .paid,
                settlement: [.pending, .successful.after(.milliseconds(1500))])
        case .skewedClocks:
            Plan(
                summary: "paid, by a clock that is slow", outcome: .paid,
                settlement: [Step("authorizeSuccessful", stamp: .seconds(-42))])
        case .requestedLate:
            Plan(
                summary: "accepted after two queries, then paid", outcome: .paid, requested: .milliseconds(1500),
                settlement: [.successful.after(.milliseconds(1500))])
        case .neverRequested:
            Plan(summary: "never accepted", outcome: .unknown, requested: nil, settlement: [])
        case .paidWhileWaiting:
            Plan(
                summary: "paid while the client waits", outcome: .paid, settlement: [.successful.after(.seconds(5))])
        case .slowSettlement:
            Plan(
                summary: "paid after the client has given up", outcome: .unknown,
                settlement: [.successful.after(.seconds(600))])
        case .neverSettles: Plan(summary: "accepted, then silence", outcome: .unknown, settlement: [])
        case .expiresWhileWaiting: whileWaiting(.unauthorized, "the session ends while the client waits")
        case .waitingFails: whileWaiting(.serverError, "waiting fails once")
        case .expiresWhilePolling:
            Plan(
                summary: "the session ends before the first query", outcome: .unknown,
                trouble: (.read, .unauthorized, 1))
        case .pollingFails:
            Plan(summary: "the first query fails", outcome: .unknown, trouble: (.read, .serverError, 1))
        case .expiredSession:
            Plan(
                summary: "the session has ended already", outcome: .refused,
                trouble: (.authorize, .unauthorized, 1))
        case .refused:
            Plan(summary: "refused as invalid", outcome: .refused, trouble: (.authorize, .invalid, .max))
        case .garbledAnswer:
            Plan(
                summary: "paid, but the answer cannot be read", outcome: .unknown,
                trouble: (.authorize, .garbage, .max))
        case .challenge:
            Plan(
                summary: "the card's bank asks the payer (3DS)", outcome: .paid, method: .card,
                settlement: [.successful], challenges: true)
        case .confirmUnauthorized:
            Plan(
                summary: "confirming at PayPal is refused", outcome: .unknown, method: .payPal,
                trouble: (.confirm, .unauthorized, 1))
        case .instrumentGone:
            Plan(
                summary: "the stored card was deleted elsewhere", outcome: .refused, method: .card, cards: .firstGone)
        case .instrumentDisabled:
            Plan(summary: "the first stored card is disabled", outcome: .paid, method: .card, cards: .firstDisabled)
        case .malformedInstrument:
            Plan(summary: "one stored card is incomplete", outcome: .paid, method: .card, cards: .oneMalformed)
        case .foreignReturn:
            Plan(
                summary: "PayPal leads back with another order", outcome: .unknown, method: .payPal,
                returnsForeign: true)
        case .statusRefused:
            Plan(
                summary: "paid, and the first queries are refused", outcome: .unknown,
                trouble: (.read, .withheld, 12))
        case .zeroTimes: Plan(summary: "paid, with unset times", outcome: .paid, hasZeroTimes: true)
        case .unknownStatus:
            Plan(
                summary: "paid, then an unknown status", outcome: .paid,
                settlement: [.successful, Step("loyaltyPointsGranted")])
        }
    }

    private func whileWaiting(_ kind: PayrailsSandbox.Plan.Trouble, _ summary: String) -> PayrailsSandbox.Plan {
        Plan(
            summary: summary, outcome: .unknown, settlement: [.successful.after(.seconds(5))],
            trouble: (.wait, kind, 1))
    }
}
