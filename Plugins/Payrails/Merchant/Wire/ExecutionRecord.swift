import PaymentCore
import PayrailsProvider
import PayrailsTypes

/// An execution as the service answers it to a merchant (Protocol 4).
struct ExecutionRecord: Sendable {
    let id: String
    /// The total that was ordered; nil where the service does not state it in a form that can be read.
    let amount: Money?
    private let history: StatusHistory
    /// The names of the links, which say what is allowed now.
    private let links: Set<String>

    /// - Throws: ``CallError/unusableAnswer(_:)``.
    init(_ answer: JSONValue) throws(CallError) {
        guard let id = WireText.id(answer["id"]?.string) else { throw .unusableAnswer("it has no 'id'") }
        // A status that is left out could be the one that says how it ended.
        guard let list = answer["status"]?.array,
            case let entries = list.compactMap({ try? $0.decode(StatusBody.self) }), entries.count == list.count
        else { throw .unusableAnswer("its 'status' cannot be read") }
        self.id = id
        history = StatusHistory(entries)
        amount = answer["amount"].flatMap { try? $0.decode(PayrailsAmount.self).money() }
        links = Set((answer["links"]?.object ?? [:]).filter { !$0.value.isNull }.keys)
    }

    /// Whether the service names `action` among what is allowed now.
    func allows(_ action: PayrailsAction) -> Bool { links.contains(action.rawValue) }

    /// How often an action has come so far.
    func tally(_ action: PayrailsAction) -> ActionTally { ActionTally(history.codes, action) }

    /// Why the latest `action` failed, in the service's word.
    func failure(of action: PayrailsAction) -> String {
        let problem = history.entries.first { $0.code == action.rawValue + "Failed" }?.errors?.first
        return WireText.code(problem?.reason?.result) ?? problem?.detail.flatMap(WireText.line)
            ?? "no reason is given"
    }

    // MARK: What it means

    /// How a payment stands for its merchant.
    enum Status: Sendable, Hashable {
        /// Nobody has begun to pay.
        case unpaid
        /// An authorisation was begun, and its ending is not written.
        case inFlight
        /// The payer's attempt was refused; they may try another way.
        case declined(String)
        /// The money is set aside.
        case authorized
        /// The money is the merchant's.
        case captured
        /// It was called off; what was set aside or taken is the payer's again.
        case cancelled
    }

    /// How the payment stands where authorised money is captured as `mode` says.
    func status(_ mode: PayrailsCaptureMode) -> Status {
        let captures = tally(.capture)
        switch history.verdict(knowsPending: true) {
        case .cancelled: return .cancelled
        case .success:
            if captures.successes > 0 { return .captured }
            // A capture that failed is no part of the authorisation any more.
            return mode == .instant && captures.failures == 0 ? .captured : .authorized
        // Some providers take the money in one go, and only that is written.
        case _ where captures.successes > 0 && tally(.cancel).successes == 0: return .captured
        case .failed(let reason): return .declined(reason)
        case .pending: return .inFlight
        case .open: return history.codes.contains("authorizeRequested") ? .inFlight : .unpaid
        }
    }

    /// What has become of the payment.
    func outcome(of payment: PaymentReference, mode: PayrailsCaptureMode) -> PaymentOutcome {
        switch status(mode) {
        case .unpaid, .inFlight, .authorized: .pending(retryAfter: nil)
        case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
        case .captured: .succeeded(PaymentReceipt(reference: payment, amount: taken(mode)))
        case .cancelled: .cancelled
        }
    }

    /// How much was taken, where that follows: the merchant itself may have captured a part, and statuses do not say.
    private func taken(_ mode: PayrailsCaptureMode) -> Money? { mode == .manual ? nil : amount }
}

/// How often an action came, by an execution's statuses. They name no action, so that several of one kind are told
/// apart by their number only.
struct ActionTally: Sendable, Hashable, Codable {
    let requests: Int
    let successes: Int
    let failures: Int

    init(_ codes: [String], _ action: PayrailsAction) {
        requests = codes.count { $0 == action.rawValue + "Requested" }
        successes = codes.count { $0 == action.rawValue + "Successful" }
        failures = codes.count { $0 == action.rawValue + "Failed" }
    }

    /// Whether one was begun whose ending is not written.
    var isInFlight: Bool { requests > successes + failures }

    /// How those ended that came after `earlier`; nil while one is under way, or none shows.
    ///
    /// - Returns: true when all went through, false when none did.
    /// - Throws: ``MixedEndingsError`` when some did and some did not: which was whose, statuses do not say.
    func ending(since earlier: ActionTally) throws(MixedEndingsError) -> Bool? {
        let (begun, done, failed) = (
            requests - earlier.requests, successes - earlier.successes, failures - earlier.failures
        )
        guard done + failed > 0, begun <= done + failed else { return nil }
        if failed == 0 { return true }
        if done == 0 { return false }
        throw MixedEndingsError()
    }

    struct MixedEndingsError: Error {}
}
