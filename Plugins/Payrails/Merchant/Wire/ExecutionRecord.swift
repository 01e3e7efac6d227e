import PaymentCore
import PayrailsProvider
import PayrailsTypes

/// An execution in the service's answer to a merchant (Protocol 4).
struct ExecutionRecord: Sendable {
    let id: String
    /// The total of the order; nil if the service does not state it in a readable form.
    let amount: Money?
    private let history: StatusHistory
    /// The names of the links, which are the actions allowed now.
    private let links: Set<String>

    /// Creates a record from the service's answer.
    ///
    /// - Throws: ``CallError/unusableAnswer(_:)``.
    init(_ answer: JSONValue) throws(CallError) {
        guard let id = WireText.id(answer["id"]?.string) else { throw .unusableAnswer("it has no 'id'") }
        // An omitted status could be the final one.
        guard let list = answer["status"]?.array,
            case let entries = list.compactMap({ try? $0.decode(StatusBody.self) }), entries.count == list.count
        else { throw .unusableAnswer("its 'status' cannot be read") }
        self.id = id
        history = StatusHistory(entries)
        amount = answer["amount"].flatMap { try? $0.decode(PayrailsAmount.self).money() }
        links = Set((answer["links"]?.object ?? [:]).filter { !$0.value.isNull }.keys)
    }

    /// Returns true if the service lists `action` among those allowed now.
    func allows(_ action: PayrailsAction) -> Bool { links.contains(action.rawValue) }

    /// Returns the numbers of statuses of an action so far.
    func tally(_ action: PayrailsAction) -> ActionTally { ActionTally(history.codes, action) }

    /// Returns the reason of the latest failed `action`, in the service's terms.
    func failure(of action: PayrailsAction) -> String {
        let problem = history.entries.first { $0.code == action.rawValue + "Failed" }?.errors?.first
        return WireText.code(problem?.reason?.result) ?? problem?.detail.flatMap(WireText.line)
            ?? "no reason is given"
    }

    // MARK: What it means

    /// The status of a payment for its merchant.
    enum Status: Sendable, Hashable {
        /// No payment was begun.
        case unpaid
        /// An authorisation was begun, and its final status is not written.
        case inFlight
        /// The payer's attempt was declined; they may try another way.
        case declined(String)
        /// The money is authorised, and not captured.
        case authorized
        /// The money is captured.
        case captured
        /// The payment is cancelled; the money is released or refunded.
        case cancelled
    }

    /// Returns the status of the payment if authorised money is captured in `mode`.
    func status(_ mode: PayrailsCaptureMode) -> Status {
        let captures = tally(.capture)
        switch history.verdict(knowsPending: true) {
        case .cancelled: return .cancelled
        case .success:
            if captures.successes > 0 { return .captured }
            // A failed capture is separate from the authorisation.
            return mode == .instant && captures.failures == 0 ? .captured : .authorized
        // Some providers authorise and capture in one step, and only the capture is written.
        case _ where captures.successes > 0 && tally(.cancel).successes == 0: return .captured
        case .failed(let reason): return .declined(reason)
        case .pending: return .inFlight
        case .open: return history.codes.contains("authorizeRequested") ? .inFlight : .unpaid
        }
    }

    /// Returns the report of the payment.
    func report(of payment: PaymentReference, mode: PayrailsCaptureMode) -> ServiceReport {
        switch status(mode) {
        case .unpaid, .inFlight, .authorized: .pending(retryAfter: nil)
        case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
        case .captured: .succeeded(PaymentReceipt(reference: payment, amount: taken(mode)))
        case .cancelled: .cancelled
        }
    }

    /// Returns the captured amount, if it follows: the merchant may have captured a part, and statuses do not show it.
    private func taken(_ mode: PayrailsCaptureMode) -> Money? { mode == .manual ? nil : amount }
}

/// The numbers of an action's statuses in an execution. Statuses name no action, so only their number distinguishes
/// several of one kind.
struct ActionTally: Sendable, Hashable, Codable {
    let requests: Int
    let successes: Int
    let failures: Int

    init(_ codes: [String], _ action: PayrailsAction) {
        requests = codes.count { $0 == action.rawValue + "Requested" }
        successes = codes.count { $0 == action.rawValue + "Successful" }
        failures = codes.count { $0 == action.rawValue + "Failed" }
    }

    /// True if an action was begun whose final status is not written.
    var isInFlight: Bool { requests > successes + failures }

    /// Returns the result of the actions after `earlier`; nil while one is in progress, or the request of none shows:
    /// the result of an action is written after its request.
    ///
    /// - Returns: true if all succeeded, false if all failed.
    /// - Throws: ``MixedEndingsError`` if some succeeded and some failed: statuses do not assign the results.
    func ending(since earlier: ActionTally) throws(MixedEndingsError) -> Bool? {
        let (begun, done, failed) = (
            requests - earlier.requests, successes - earlier.successes, failures - earlier.failures
        )
        guard begun > 0, begun <= done + failed else { return nil }
        if failed == 0 { return true }
        if done == 0 { return false }
        throw MixedEndingsError()
    }

    struct MixedEndingsError: Error {}
}
