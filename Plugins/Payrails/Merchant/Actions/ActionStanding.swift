import PaymentCore
import PayrailsProvider

/// The service's view of all actions of one kind on a payment, at one moment.
struct ActionStanding: Sendable, Hashable, Codable {
    /// The numbers of their statuses.
    let tally: ActionTally
    /// The amount that they have moved, by the payment's record; nil if the service states none.
    let moved: Money?
}

/// The numbers of an action's statuses in an execution. Statuses name no action, so their number and their times are
/// all that distinguishes several of one kind.
struct ActionTally: Sendable, Hashable, Codable {
    let requests: Int
    let successes: Int
    let failures: Int

    /// Counts the statuses of `action` in `entries`, without those written before `start`.
    init(_ entries: [StatusBody], _ action: PayrailsAction, from start: VendorTime? = nil) {
        let entries = entries.filter { entry in start.map { entry.time >= $0 || !entry.time.isSet } ?? true }
        func count(_ progress: String) -> Int { entries.count { $0.code == action.rawValue + progress } }
        requests = count("Requested")
        successes = count("Successful")
        failures = count("Failed")
    }

    private init(requests: Int, successes: Int, failures: Int) {
        (self.requests, self.successes, self.failures) = (requests, successes, failures)
    }

    /// True if an action was begun whose final status is not written.
    var isInFlight: Bool { requests > ends }

    /// True if there are actions, and all of them have ended.
    var isOver: Bool { requests > 0 && !isInFlight }

    /// The number of actions that have ended.
    var ends: Int { successes + failures }

    /// Returns the statuses added since `earlier`, at most as many as in `recent`.
    func added(since earlier: ActionTally, within recent: ActionTally) -> ActionTally {
        ActionTally(
            requests: min(requests - earlier.requests, recent.requests),
            successes: min(successes - earlier.successes, recent.successes),
            failures: min(failures - earlier.failures, recent.failures))
    }
}
