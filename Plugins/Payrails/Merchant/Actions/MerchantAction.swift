import PaymentCore
import PayrailsProvider
import ServiceSupport

/// A merchant's action on a payment: its identification at the service, and its request.
struct MerchantAction: Sendable {
    let kind: PayrailsAction
    let payment: PaymentReference
    /// The amount; nil for a cancellation, which has none.
    var amount: Money?
    /// The name of one of several refunds; empty for actions that succeed once.
    var name = ""

    /// The names of the journaled steps.
    enum Step {
        /// Finds the payment, before the request.
        static let found = "find the payment"
        /// Records a failed action: no status shows the result of one action alone.
        static func failed(_ kind: PayrailsAction) -> String { "the \(kind.rawValue) failed" }
    }

    /// Returns the parts of the key that lets the service recognise a repetition. Another amount is another request. An
    /// action that failed may be requested again, under another key: a refund has a new name then, since failures of
    /// other refunds must not change its key.
    func key(since before: ActionTally) -> [String] {
        [kind.rawValue, payment.id, amount?.description ?? "", name, name.isEmpty ? "\(before.failures)" : ""]
    }

    var body: JSONValue {
        guard let amount else { return [:] }
        guard !name.isEmpty else { return ["amount": WireAmount.body(amount)] }
        return [
            "amount": WireAmount.body(amount),
            "meta": [RefundMark.member: .string(name), RefundMark.amount: WireAmount.body(amount)],
        ]
    }
}

extension MerchantAction {
    /// Returns the result of the action: that of the one action which shows since it was requested.
    ///
    /// The record of the payment decides if the service has one: a success moved exactly this action's amount, and a
    /// failure moved nothing. Another worker's action over another amount does not count as this one.
    ///
    /// - Parameters:
    ///   - added: the statuses that were added since the request.
    ///   - before: the amount moved before the request, if the service states one.
    ///   - after: the amount moved now.
    ///   - reason: the reason of the latest failure.
    func result(
        _ added: ActionTally, movedBefore before: Money?, movedNow after: Money?, reason: String
    ) -> ActionResult {
        guard added.isOver else { return .inFlight }
        guard added.ends == 1 else { return .unclear }
        let isDone = added.failures == 0
        guard let amount, let before else { return isDone ? .done : .failed(reason) }
        guard let after, after.minorUnits >= before.minorUnits else { return .inFlight }
        switch after.minorUnits - before.minorUnits {
        case 0: return isDone ? .inFlight : .failed(reason)
        case amount.minorUnits where isDone: return .done
        default: return .unclear
        }
    }
}

/// An action on an execution, as requests and notifications name it (Protocol 3). Open: workflows may have others.
public struct PayrailsAction: Sendable, Hashable, Codable, RawRepresentable {
    /// The service's name of the action.
    public let rawValue: String

    /// Creates an action from the service's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The payer pays.
    public static let authorize = PayrailsAction(rawValue: "authorize")
    /// The payer's approval is confirmed.
    public static let confirm = PayrailsAction(rawValue: "confirm")
    /// The merchant captures authorised money.
    public static let capture = PayrailsAction(rawValue: "capture")
    /// The merchant cancels the payment.
    public static let cancel = PayrailsAction(rawValue: "cancel")
    /// The merchant refunds the payment.
    public static let refund = PayrailsAction(rawValue: "refund")
}

/// The result of a merchant's action, as far as the service shows it.
enum ActionResult: Sendable, Hashable {
    /// The action has not begun visibly, or has not ended.
    case inFlight
    case done
    /// The action failed, for this reason.
    case failed(String)
    /// Several actions have ended that cannot be distinguished.
    case unclear
}

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

/// The service's confirmation that it has accepted an action: the result shows later.
struct ActionReceipt: Sendable, Hashable, Codable {
    let name: String
    let actionID: String
    /// The last segment of the execution's address, if the answer has one.
    let execution: String?
    /// The time of the request by the service's clock, as it wrote it.
    let executedAt: String?

    /// Creates a receipt from the service's answer.
    ///
    /// - Throws: ``CallError/unusableAnswer(_:)``.
    init(_ answer: JSONValue) throws(CallError) {
        guard let name = answer["name"]?.string, let id = WireText.id(answer["actionId"]?.string) else {
            throw .unusableAnswer("it lacks 'name' or 'actionId'")
        }
        self.name = name
        actionID = id
        executedAt = answer["executedAt"]?.string
        let address = answer["links"]?["execution"]?.string
        execution = address.flatMap { try? HTTPURL($0) }?.path.split(separator: "/").last.map(String.init)
    }

    /// The earliest time of a status of the action; nil if the answer states no time. Clocks of the service's parts
    /// differ by some seconds.
    var earliestStatus: VendorTime? {
        guard let time = executedAt.flatMap(VendorTime.init), time.isSet else { return nil }
        return time.earlier(bySeconds: 5)
    }

    /// Returns true if the answer is about the execution `id`. An answer that names none is about that of the request.
    func isAbout(_ id: String) -> Bool { execution.map { $0 == id } ?? true }
}

/// The reference that identifies a refund (Protocol 3.4).
enum RefundMark {
    /// The member of `meta` with the refund's id as ``of(_:)`` spells it; notifications repeat it.
    static let member = "refundReference"
    /// The member of `meta` with the refund's amount: notifications state otherwise only the payment's total.
    static let amount = "refundAmount"

    private static let longest = 120

    /// Returns the name of a refund at the service. A refund after one that failed has another name, since the service
    /// answers a repeated key as before.
    static func of(_ request: RefundRequest) -> String {
        ServiceName.make(request.id, turn: request.earlierFailures, limit: longest, isSound: isSound)
    }

    /// Returns the id of the refund with this name; nil if the name is not one of this library's, or is a digest.
    static func id(in name: String) -> String? { isSound(name) ? ServiceName.read(name) : nil }

    private static func isSound(_ name: String) -> Bool {
        (1...longest).contains(name.utf8.count) && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
}

// MARK: - Requests

extension PayrailsMerchantClient {
    /// Returns the present standing of actions like `kind`.
    func standing(_ kind: PayrailsAction, in execution: ExecutionRecord) async -> ActionStanding {
        // The record states no amount of cancellations.
        let record = kind == .cancel ? nil : await record(of: execution)
        return ActionStanding(tally: execution.tally(kind), moved: record?.moved(by: kind))
    }

    /// Requests an action, and waits a few seconds for its result.
    ///
    /// - Parameters:
    ///   - before: the standing before its first request.
    ///   - isRepeated: true if the action may have been requested before.
    /// - Returns: the service's answer, and the result.
    /// - Throws: ``PaymentError``; with phase `maybeSent` the action may have been carried out.
    func perform(
        _ action: MerchantAction, since before: ActionStanding, isRepeated: Bool, in context: ProviderContext
    ) async throws -> (receipt: ActionReceipt, result: ActionResult, shown: ExecutionRecord?) {
        // Statuses that show by now may be other actions', begun after an interruption of this one.
        let shown = isRepeated ? await standing(action.kind, in: try await found(action.payment)) : before
        // A failure to get a token must not leave open whether the action itself was sent.
        try await asMerchant(id) { () throws(CallError) in try await calls.prepare() }
        let receipt = try await context.step(action.kind.rawValue, .mutation(replay: .sameKey)) {
            try await act(action, since: before.tally)
        }
        // An answer that states its time distinguishes its action from earlier ones; without it only the number does.
        let start = receipt.earliestStatus
        let ended = await ending(of: action, since: start == nil ? shown : before, from: start)
        // Statuses prove nothing if another worker has begun an action on the payment in the meantime.
        try await context.ensureInCharge()
        return (receipt, ended.result, ended.shown)
    }

    /// Queries the execution until the result of `action` shows, a few times.
    ///
    /// - Parameter start: the earliest time of the action's statuses, if it is known.
    func ending(
        of action: MerchantAction, since before: ActionStanding, from start: VendorTime?
    ) async -> (result: ActionResult, shown: ExecutionRecord?) {
        var (last, settled) = (ActionResult.inFlight, ActionResult.inFlight)
        let shown = await look(at: action.payment) { now in
            let added = now.tally(action.kind).added(
                since: before.tally, within: now.tally(action.kind, from: start))
            // If older statuses were added too, the record's change is not this action's alone.
            let isAlone = now.tally(action.kind).requests - before.tally.requests == added.requests
            let movedBefore = isAlone && added.isOver ? before.moved : nil
            let moved = movedBefore == nil ? nil : await record(of: now)?.moved(by: action.kind)
            let result = action.result(
                added, movedBefore: movedBefore, movedNow: moved, reason: now.failure(of: action.kind))
            defer { last = result }
            // A status may be another action's while this one's does not show: without the record, look twice.
            let isCancelled = action.kind == .cancel && now.status(merchant.captureMode) == .cancelled
            let isProven = result == .done && moved != nil || isCancelled
            if isProven || result == last { settled = result }
            return settled != .inFlight || isCancelled
        }
        return (settled, shown)
    }

    /// Requests an action that may move money.
    private func act(_ action: MerchantAction, since before: ActionTally) async throws(PaymentError) -> ActionReceipt {
        do throws(CallError) {
            return try await calls.act(
                action.kind, on: action.payment.id, action.body, key: key(action.key(since: before)))
        } catch {
            let open = ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: true, at: id)
            guard case .refused(let refusal) = error, refusal.isOfState,
                let execution = try? await StepScope.asking({ try await found(action.payment) }),
                execution.tally(action.kind) == before
            else { throw open }
            // The state forbids it, a copy under the same key would have received the first answer, and no such action
            // shows.
            throw ErrorTable.payrailsMerchant.paymentError(from: error, isMutation: false, at: id)
        }
    }
}
