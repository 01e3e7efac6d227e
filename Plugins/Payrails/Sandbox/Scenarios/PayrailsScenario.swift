extension PayrailsSandbox {
    /// A payment's behaviour, with any instrument: a name, a summary, the expected end, and the sandbox's part.
    ///
    /// Equal names are equal scenarios.
    public struct Scenario: RawRepresentable, CaseIterable, Hashable, Sendable, CustomStringConvertible {
        /// The end of a payment, as seen by a client that reads the statuses carefully: a refusal or a success
        /// outweighs any pending status, and an unanswered request leaves the end unknown.
        @nonexhaustive
        public enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// Paid.
            case paid
            /// The service declined it; nothing was taken.
            case declined
            /// Still in progress when the client stops asking.
            case pending
            /// The client cannot know it; ``PayrailsSandbox/ledger`` does.
            case unknown
            /// The request was refused before it could act.
            case refused
        }

        /// The instrument to pay with to see the point of the scenario.
        @nonexhaustive
        public enum Method: String, Sendable, Hashable, CaseIterable {
            /// Any way of paying shows it.
            case any
            /// A card, stored or new.
            case card
            /// A PayPal account that is not stored.
            case payPal
        }

        /// The name, as the command line and `meta.sandboxScenario` take it.
        public let rawValue: String
        /// A few words for people.
        public let summary: String
        /// The end for a payer who completes every page, with a client that waits as long as the vendor's.
        public let expectedOutcome: Outcome
        let plan: Plan

        private init(_ name: String, _ summary: String, ends outcome: Outcome = .paid, _ plan: Plan = Plan()) {
            (rawValue, self.summary, expectedOutcome, self.plan) = (name, summary, outcome, plan)
        }

        /// Creates the scenario of a name; nil if there is none.
        public init?(rawValue: String) {
            guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = known
        }

        /// The instrument to pay with to see it.
        public var method: Method { plan.method }
        /// The name.
        public var description: String { rawValue }
    }

    /// A status to be written.
    struct Step: Sendable {
        let code: String
        /// The time when it shows, counted from the beginning of its action.
        let at: Duration
        /// The time written in it, counted likewise; nil if it is the same.
        var stamp: Duration?
        var reason: Reason?
        /// The id of the merchant's action that it belongs to.
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
}

extension PayrailsSandbox.Scenario {
    /// The sandbox's part in a scenario. Unset values are those of an ordinary payment.
    struct Plan: Sendable {
        /// A call that can fail.
        enum Call: Sendable, Hashable {
            case authorize, read, wait, confirm
        }

        enum Fault: Sendable {
            case unauthorized
            case serverError
            case invalid
            case garbage
            case withheld
        }

        /// The stored cards that a session offers.
        enum Cards: Sendable {
            case usual, firstGone, firstDisabled, oneMalformed
        }

        var method = Method.any
        /// The delay until `authorizeRequested` shows; nil for never.
        var requested: Duration? = .zero
        /// The statuses that follow, counted from the request to pay, or from the payer's last action on a page.
        var settlement: [PayrailsSandbox.Step] = [.pending, .successful]
        /// The time that the answer to the request to pay takes.
        var authorizing = Duration.zero
        /// The call that goes wrong, the fault, and the number of times.
        var fault: (call: Call, kind: Fault, times: Int)?
        var challenges = false
        var cards = Cards.usual
        var hasZeroTimes = false
        var returnsForeign = false

        /// A success after the client has begun to wait.
        private static let whileWaiting = [PayrailsSandbox.Step.successful.after(.seconds(5))]

        static let paidWhileWaiting = Plan(settlement: whileWaiting)

        static func waitingEnds(with fault: Fault) -> Plan { Plan(settlement: whileWaiting, fault: (.wait, fault, 1)) }
    }
}

extension PayrailsSandbox.Scenario {
    /// Paid before the first status query; a pending status precedes the success, as it does at the real service.
    public static let paid = Self("paid", "paid before the first query")
    /// Declined before the first status query.
    public static let declined = Self("declined", "declined", ends: .declined, .init(settlement: [.failed(.rejected)]))
    /// Declined for lack of money.
    public static let insufficientBalance = Self(
        "insufficient-balance", "declined for lack of money", ends: .declined,
        .init(settlement: [.pending, .failed(.insufficientBalance)]))
    /// Declined, and a pending status is written after the refusal: the service's own race.
    ///
    /// Its times are the recorded ones of such a payment; the answer to the request comes after them.
    public static let declinedThenPending = Self(
        "declined-then-pending", "declined, with a pending status after it", ends: .declined,
        .init(
            requested: .milliseconds(403),
            settlement: [.failed(.rejected).after(.milliseconds(3085)), .pending.after(.milliseconds(4548))],
            authorizing: .milliseconds(4600)))
    /// Pending permanently, with nothing that the payer could do about it.
    public static let pending = Self("pending", "stays pending", ends: .pending, .init(settlement: [.pending]))
    /// Pending without an action when first asked, paid a moment later.
    public static let pendingThenPaid = Self(
        "pending-then-paid", "pending, paid a moment later",
        .init(settlement: [.pending, .successful.after(.milliseconds(1500))]))
    /// Paid, with a time on the success that lies before the request: clocks differ.
    public static let skewedClocks = Self(
        "skewed-clocks", "paid, by a clock that is slow",
        .init(settlement: [.init("authorizeSuccessful", stamp: .seconds(-42))]))
    /// The request shows up after two status queries, together with the success.
    public static let requestedLate = Self(
        "requested-late", "accepted after two queries, then paid",
        .init(requested: .milliseconds(1500), settlement: [.successful.after(.milliseconds(1500))]))
    /// The request never shows up.
    public static let neverRequested = Self(
        "never-requested", "never accepted", ends: .unknown, .init(requested: nil, settlement: []))
    /// Paid while the client waits.
    public static let paidWhileWaiting = Self("paid-while-waiting", "paid while the client waits", .paidWhileWaiting)
    /// Paid long after a client's patience has ended.
    public static let slowSettlement = Self(
        "slow-settlement", "paid after the client has stopped asking", ends: .unknown,
        .init(settlement: [.successful.after(.seconds(600))]))
    /// Requested, and never anything after that.
    public static let neverSettles = Self(
        "never-settles", "accepted, then silence", ends: .unknown, .init(settlement: []))
    /// The token ends when the client begins to wait (HTTP 401); the payment goes through.
    public static let expiresWhileWaiting = Self(
        "expires-while-waiting", "the session ends while the client waits", ends: .unknown,
        .waitingEnds(with: .unauthorized))
    /// Waiting fails (HTTP 500); the payment goes through.
    public static let waitingFails = Self(
        "waiting-fails", "waiting fails once", ends: .unknown, .waitingEnds(with: .serverError))
    /// The token ends between paying and the first status query (HTTP 401); the payment goes through.
    public static let expiresWhilePolling = Self(
        "expires-while-polling", "the session ends before the first query", ends: .unknown,
        .init(fault: (.read, .unauthorized, 1)))
    /// The first status query fails (HTTP 500); the payment goes through.
    public static let pollingFails = Self(
        "polling-fails", "the first query fails", ends: .unknown, .init(fault: (.read, .serverError, 1)))
    /// The token has ended before anything is paid (HTTP 401).
    public static let expiredSession = Self(
        "expired-session", "the session has ended already", ends: .refused,
        .init(fault: (.authorize, .unauthorized, 1)))
    /// The request to pay is refused as invalid (HTTP 422).
    public static let refused = Self(
        "refused", "refused as invalid", ends: .refused, .init(fault: (.authorize, .invalid, .max)))
    /// The answer to the request to pay is no JSON; the payment goes through.
    public static let garbledAnswer = Self(
        "garbled-answer", "paid, but the answer cannot be read", ends: .unknown,
        .init(fault: (.authorize, .garbage, .max)))
    /// A card's owner has to prove their identity on a page of their bank (3DS).
    public static let challenge = Self(
        "challenge", "the card's bank asks the payer (3DS)",
        .init(method: .card, settlement: [.successful], challenges: true))
    /// Confirming an approval at PayPal is refused (HTTP 401).
    public static let confirmUnauthorized = Self(
        "confirm-unauthorized", "confirming at PayPal is refused", ends: .unknown,
        .init(method: .payPal, fault: (.confirm, .unauthorized, 1)))
    /// The first stored card was deleted elsewhere after the session was made.
    public static let instrumentGone = Self(
        "instrument-gone", "the stored card was deleted elsewhere", ends: .refused,
        .init(method: .card, cards: .firstGone))
    /// The first stored card is disabled, the next one was just created.
    public static let instrumentDisabled = Self(
        "instrument-disabled", "the first stored card is disabled", .init(method: .card, cards: .firstDisabled))
    /// One of the stored cards lacks a field that clients require.
    public static let malformedInstrument = Self(
        "malformed-instrument", "one stored card is incomplete", .init(method: .card, cards: .oneMalformed))
    /// Times are those of a program that forgot to set them.
    public static let zeroTimes = Self("zero-times", "paid, with unset times", .init(hasZeroTimes: true))
    /// PayPal's page leads back with another order: nothing may be confirmed with that.
    public static let foreignReturn = Self(
        "foreign-return", "PayPal leads back with another order", ends: .unknown,
        .init(method: .payPal, returnsForeign: true))
    /// The first status queries are refused (HTTP 451); the payment goes through.
    public static let statusRefused = Self(
        "status-refused", "paid, and the first queries are refused", ends: .unknown,
        .init(fault: (.read, .withheld, 12)))
    /// Paid, then a status that is documented nowhere.
    public static let unknownStatus = Self(
        "unknown-status", "paid, then an unknown status",
        .init(settlement: [.successful, .init("loyaltyPointsGranted")]))

    /// Every scenario.
    public static let allCases: [Self] = [
        .paid, .declined, .insufficientBalance, .declinedThenPending, .pending, .pendingThenPaid, .skewedClocks,
        .requestedLate, .neverRequested, .paidWhileWaiting, .slowSettlement, .neverSettles, .expiresWhileWaiting,
        .waitingFails, .expiresWhilePolling, .pollingFails, .expiredSession, .refused, .garbledAnswer, .challenge,
        .confirmUnauthorized, .instrumentGone, .instrumentDisabled, .malformedInstrument, .zeroTimes, .foreignReturn,
        .statusRefused, .unknownStatus,
    ]
}
