import PaymentCore
import PayrailsProvider

/// An execution in the service's answer to a merchant (Protocol 4).
struct ExecutionRecord: Sendable {
    let id: String
    /// The total of the order; nil if the service does not state it.
    let amount: Money?
    /// The merchant's own reference of the order.
    let order: String?
    private let history: StatusHistory
    /// The names of the links, which are the actions allowed now.
    private let links: Set<String>

    /// Creates a record from the service's answer.
    ///
    /// - Throws: ``CallError``: it cannot be read, or its total cannot.
    init(_ answer: JSONValue) throws(CallError) {
        guard let id = WireText.id(answer["id"]?.string) else { throw .unusableAnswer("it has no 'id'") }
        // An omitted status could be the final one.
        guard let list = answer["status"]?.array,
            case let entries = list.compactMap({ try? $0.decode(StatusBody.self) }), entries.count == list.count
        else { throw .unusableAnswer("its 'status' cannot be read") }
        self.id = id
        history = StatusHistory(entries)
        // A total that cannot be read must not count as the order's.
        switch WireAmount(answer["amount"]) {
        case .stated(let total): amount = total
        case .absent: amount = nil
        case .unreadable: throw .foreignAnswer("its 'amount' cannot be read")
        }
        order = answer["merchantReference"]?.string
        links = Set((answer["links"]?.object ?? [:]).filter { !$0.value.isNull }.keys)
    }

    /// Returns true if the service lists `action` among those allowed now.
    func allows(_ action: PayrailsAction) -> Bool { links.contains(action.rawValue) }

    /// Returns the numbers of statuses of an action so far, without those written before `start`.
    func tally(_ action: PayrailsAction, from start: VendorTime? = nil) -> ActionTally {
        ActionTally(history.entries, action, from: start)
    }

    /// Returns the reason of the latest failed `action`, in the service's terms.
    func failure(of action: PayrailsAction) -> String {
        let problem = history.entries.first { $0.code == action.rawValue + "Failed" }?.errors?.first
        return WireText.code(problem?.reason?.result) ?? problem?.detail.flatMap(WireText.line)
            ?? "no reason is given"
    }

    // MARK: What it means

    /// The status of a payment for its merchant.
    enum Status: Sendable, Hashable {
        /// No authorisation has ended.
        case open
        /// The payer's attempt was declined; they may try another way.
        case declined(String)
        /// The money is authorised, and not captured.
        case authorized
        /// A capture was begun, and its final status is not written.
        case capturing
        /// The money is captured.
        case captured
        /// A cancellation was begun, and its final status is not written: it decides.
        case cancelling
        /// The payment is cancelled; the money is released or refunded.
        case cancelled
    }

    /// Returns the status of the payment if authorised money is captured in `mode`.
    func status(_ mode: PayrailsCaptureMode) -> Status {
        let captures = tally(.capture)
        switch history.verdict(knowsPending: false) {
        case .cancelled: return .cancelled
        case _ where tally(.cancel).isInFlight: return .cancelling
        // A capture that was begun decides. Without any, the authorisation does.
        case .success where captures.successes > 0: return .captured
        case .success where captures.isInFlight: return .capturing
        case .success: return mode == .instant && captures.failures == 0 ? .captured : .authorized
        // Some providers authorise and capture in one step, and only the capture is written.
        case _ where captures.successes > 0 && tally(.cancel).successes == 0: return .captured
        case .failed(let reason): return .declined(reason)
        case .pending, .open: return .open
        }
    }

    /// Returns the report of the payment.
    ///
    /// - Parameter captured: the captured amount by the payment's record, if the service states it.
    func report(of payment: PaymentReference, mode: PayrailsCaptureMode, captured: Money? = nil) -> ServiceReport {
        switch status(mode) {
        case .open, .authorized, .capturing, .cancelling: .pending(retryAfter: nil)
        case .declined(let reason): .declined(DeclineReason(.refused, "the payment was declined: \(reason)"))
        case .captured: .succeeded(PaymentReceipt(reference: payment, amount: mode == .manual ? captured : amount))
        case .cancelled: .cancelled
        }
    }
}
