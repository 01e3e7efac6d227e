extension PayrailsSandbox {
    /// What a payment of the sandbox does, whatever it is paid with.
    @nonexhaustive
    public enum Scenario: String, Sendable, Hashable, CaseIterable {
        /// Paid before the first status query; a pending status precedes the success, as it does at the real service.
        case paid
        /// Declined before the first status query.
        case declined
        /// Declined for lack of money.
        case insufficientBalance = "insufficient-balance"
        /// Declined, and a pending status is written after the refusal: the service's own race.
        case declinedThenPending = "declined-then-pending"
        /// Pending for ever, with nothing that the payer could do about it.
        case pending
        /// Pending without an action when first asked, paid a moment later.
        case pendingThenPaid = "pending-then-paid"
        /// Paid, with a time on the success that lies before the request: clocks differ.
        case skewedClocks = "skewed-clocks"
        /// The request shows up after two status queries, together with the success.
        case requestedLate = "requested-late"
        /// The request never shows up.
        case neverRequested = "never-requested"
        /// Paid while the client waits.
        case paidWhileWaiting = "paid-while-waiting"
        /// Paid long after a client's patience has ended.
        case slowSettlement = "slow-settlement"
        /// Requested, and never anything after that.
        case neverSettles = "never-settles"
        /// The token ends when the client begins to wait (HTTP 401); the payment goes through.
        case expiresWhileWaiting = "expires-while-waiting"
        /// Waiting fails (HTTP 500); the payment goes through.
        case waitingFails = "waiting-fails"
        /// The token ends between paying and the first status query (HTTP 401); the payment goes through.
        case expiresWhilePolling = "expires-while-polling"
        /// The first status query fails (HTTP 500); the payment goes through.
        case pollingFails = "polling-fails"
        /// The token has ended before anything is paid (HTTP 401).
        case expiredSession = "expired-session"
        /// The request to pay is refused as invalid (HTTP 422).
        case refused
        /// The answer to the request to pay is no JSON; the payment goes through.
        case garbledAnswer = "garbled-answer"
        /// A card's owner has to prove it is them on a page of their bank (3DS).
        case challenge
        /// Confirming what was approved at PayPal is refused (HTTP 401).
        case confirmUnauthorized = "confirm-unauthorized"
        /// The first stored card was deleted elsewhere after the session was made.
        case instrumentGone = "instrument-gone"
        /// The first stored card is disabled, the next one was just created.
        case instrumentDisabled = "instrument-disabled"
        /// One of the stored cards lacks a field that clients require.
        case malformedInstrument = "malformed-instrument"
        /// Times are those of a program that forgot to set them.
        case zeroTimes = "zero-times"
        /// PayPal's page leads back with another order: nothing may be confirmed with that.
        case foreignReturn = "foreign-return"
        /// The first dozen status queries are refused (HTTP 451); the payment goes through.
        case statusRefused = "status-refused"
        /// Paid, then a status that nobody has documented.
        case unknownStatus = "unknown-status"
    }
}

extension PayrailsSandbox.Scenario {
    /// How a payment of this kind ends, seen from a client that reads the statuses carefully: a refusal or a success
    /// outweighs whatever is pending, and what was not answered is not known.
    @nonexhaustive
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// Paid.
        case paid
        /// The service said no; nothing was taken.
        case declined
        /// Still under way when the client stops asking.
        case pending
        /// The client cannot tell; ``PayrailsSandbox/ledger`` can.
        case unknown
        /// The request was refused before it could act.
        case refused
    }

    /// What is paid with to see what the scenario is about.
    @nonexhaustive
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// Any way of paying shows it.
        case any
        /// A card, stored or new.
        case card
        /// A PayPal account that is not stored.
        case payPal
    }

    /// A few words for people.
    public var summary: String { plan.summary }

    /// How it ends for a payer who completes every page, with a client that waits as long as the vendor's.
    public var expectedOutcome: Outcome { plan.outcome }

    /// What to pay with to see it.
    public var method: Method { plan.method }
}
