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

    // MARK: The status

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

/// The record of a payment, which states the moved amounts (Protocol 4.2).
struct PaymentRecord: Sendable, Hashable {
    private let captured: Money?
    private let refunded: Money?

    /// Creates a record from the service's list of payments; nil unless the list has one payment, over `total`.
    init?(_ answer: JSONValue, total: Money) {
        guard let list = answer["results"]?.array, list.count == 1 else { return nil }
        let record = list[0]
        guard case .stated(total) = WireAmount(record["amount"]) else { return nil }
        func part(_ name: String) -> Money? {
            guard case .stated(let money) = WireAmount(record[name]), money.currency == total.currency,
                money.minorUnits <= total.minorUnits
            else { return nil }
            return money
        }
        captured = part("capturedAmount")
        refunded = part("refundedAmount")
    }

    /// Returns the amount that actions of `kind` have moved; nil if the record does not state it.
    func moved(by kind: PayrailsAction) -> Money? {
        switch kind {
        case .capture: captured
        case .refund: refunded
        default: nil
        }
    }
}

extension PayrailsMerchantClient {
    /// Returns the report of the payment of `execution`. If the merchant captures, only the payment's record states the
    /// amount.
    func report(of payment: PaymentReference, _ execution: ExecutionRecord) async -> ServiceReport {
        let mode = merchant.captureMode
        let isOwn = mode == .manual && execution.status(mode) == .captured
        return execution.report(of: payment, mode: mode, captured: isOwn ? await captured(of: execution) : nil)
    }

    /// Returns the captured amount; nil if the service does not state it.
    func captured(of execution: ExecutionRecord) async -> Money? {
        await record(of: execution)?.moved(by: .capture).flatMap { $0.isZero ? nil : $0 }
    }

    /// Returns the record of the payment of `execution`; nil if the service does not state it.
    func record(of execution: ExecutionRecord) async -> PaymentRecord? {
        guard let order = execution.order, let total = execution.amount else { return nil }
        let list = try? await calls.send(.get, ["payment", "payments"], query: [("filter[merchantReference]", order)])
        return list.flatMap { PaymentRecord($0, total: total) }
    }
}

/// Amounts in the service's form: a decimal number of main units, and the currency.
enum WireAmount: Sendable, Hashable {
    case absent
    case stated(Money)
    /// The member is present, and is not an amount. It must not count as any.
    case unreadable

    init(_ member: JSONValue?) {
        guard let member, !member.isNull else {
            self = .absent
            return
        }
        self = (try? member.decode(PayrailsAmount.self).money()).map(WireAmount.stated) ?? .unreadable
    }

    static func body(_ amount: Money) -> JSONValue {
        ["value": .string(amount.decimalText), "currency": .string(amount.currency.description)]
    }
}
