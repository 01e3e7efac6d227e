import PaymentCore
import PayrailsProvider
import ServiceSupport

/// A merchant's action on a payment: what identifies it at the service, and its request.
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

    /// Returns the parts of the key by which the service recognises a repetition. Another amount is another request. An
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
            // Where older statuses were added, too, the record's change is not this action's alone.
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
