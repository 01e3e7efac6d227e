package import PaymentCore
import Synchronization

/// The payments in progress in this process. A second start of the same payment joins the first.
///
/// A payer's page or wallet may never return, and may not notice a cancellation. So no caller depends on the work
/// alone. A cancelled caller waits a short time for the true ending. If the payment is ended from elsewhere, every
/// caller receives that end.
actor InFlightPayments {
    typealias Ending = Result<PaymentOutcome, PaymentError>

    /// The reply to a caller that stops waiting.
    struct CancellationReply: Sendable {
        /// Waits for as long as the true ending is worth waiting for.
        let grace: @Sendable () async -> Void
        /// Returns the known result at that time.
        let known: @Sendable (_ isCancelled: Bool) async -> Ending
    }

    /// A name by which work can be joined.
    enum Name: Sendable, Hashable {
        /// The payment.
        case payment(PaymentReference)
        /// The payee, if links name no single payment.
        case payee(String, at: ProviderID)
    }

    /// Identifies work to what is called from inside its callbacks.
    private final class Mark: Sendable {}

    /// The works whose callbacks the current task was called from.
    @TaskLocal private static var inside: [Mark] = []

    private struct Work {
        let mark = Mark()
        /// The caller's name for the request; nil for none.
        let owner: String?
        let payment: PaymentReference
        let names: [Name]
        /// The reply to callers that stop waiting. It is about the work that was begun, whichever caller began it.
        let cancellationReply: CancellationReply
        var task: Task<Void, Never>?
        var waiting: [OneShot<Ending>] = []
        /// The number of waiting callers that have not been cancelled.
        var staying = 0
        /// The works that its callbacks wait for.
        var awaited: [Int] = []
    }

    private var works: [Int: Work] = [:]
    /// The work that may be joined. Work that all callers have cancelled is not in it.
    private var joinable: [Name: Int] = [:]
    private var made = 0

    /// Runs `operation`, or waits for the one already running for `payment`.
    ///
    /// The work is cancelled only when every caller that waits for it is cancelled. Every caller gets the true ending,
    /// unless the ending does not come within the grace after the caller was cancelled. A callback of the work must not
    /// join the work. Such a call fails with `inUse` instead of deadlocking.
    ///
    /// - Parameters:
    ///   - payee: the payee, to join any payment to them in progress; nil joins only this payment.
    ///   - owner: the caller's name for the request; nil joins whatever is in progress.
    ///   - joining: called with the payment in progress, when there is one.
    /// - Returns: the ending; nil if the work in progress is another owner's: its payer answers other questions.
    func run(
        _ payment: PaymentReference, to payee: String? = nil, for owner: String? = nil,
        _ cancellationReply: CancellationReply, joining: @Sendable (PaymentReference) -> Void,
        work operation: @escaping @Sendable () async -> Ending
    ) async -> Ending? {
        let names = Self.names(payment, payee)
        let joined = names.lazy.compactMap { self.joinable[$0] }.first
        let callers = callers
        if let joined, let work = works[joined] {
            guard !isAwaiting(joined, any: callers) else {
                return .failure(PaymentError.waitsForCallback(payment.provider))
            }
            joining(work.payment)
            guard owner == nil || owner == work.owner else { return nil }
        }
        let number =
            joined ?? start(payment, names: names, owner: owner, cancellationReply: cancellationReply, operation)
        for caller in callers { works[caller]?.awaited.append(number) }
        defer { for caller in callers { removeAwaited(number, from: caller) } }
        let ending = OneShot<Ending>()
        works[number]?.waiting.append(ending)
        works[number]?.staying += 1
        let executor = RouterTasks.executor
        return await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            Task(executorPreference: executor) { await self.leave(number, ending) }
        }
    }

    private static func names(_ payment: PaymentReference, _ payee: String?) -> [Name] {
        [.payment(payment)] + (payee.map { [Name.payee($0, at: payment.provider)] } ?? [])
    }

    /// The works whose callbacks the current task was called from.
    private var callers: [Int] {
        works.filter { work in Self.inside.contains { $0 === work.value.mark } }.map(\.key)
    }

    /// Waits until another owner's work on the payment, or on one to the same payee, has ended.
    ///
    /// - Throws: ``PaymentError``, `inUse`, if it has not ended within `bound`; `cancelled` if the caller was
    ///   cancelled.
    func awaitOther(
        _ payment: PaymentReference, to payee: String?, within bound: Duration, _ clock: any PaymentClock
    ) async throws(PaymentError) {
        guard let number = Self.names(payment, payee).lazy.compactMap({ self.joinable[$0] }).first else { return }
        let ending = OneShot<Ending>()
        works[number]?.waiting.append(ending)
        let late = Ending.failure(PaymentError.inUse(payment.provider))
        let watch = Task(executorPreference: RouterTasks.executor) {
            if (try? await clock.sleep(for: bound)) != nil { ending.finish(late) }
        }
        let ended = await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            ending.finish(late)
        }
        watch.cancel()
        guard !Task.isCancelled else {
            throw PaymentError(
                .cancelled, "stopped while another request makes this payment", provider: payment.provider)
        }
        if case .failure(let error) = ended, error.code == .inUse { throw error }
    }

    /// Passes the end of `payment` to every caller that waits for it. The worker that carries it out may never return.
    func end(_ payment: PaymentReference, with outcome: PaymentOutcome) {
        for (number, work) in works where work.payment == payment {
            close(number, work)
            notifyWaiters(number, .success(outcome))
        }
    }

    private func start(
        _ payment: PaymentReference, names: [Name], owner: String?, cancellationReply: CancellationReply,
        _ operation: @escaping @Sendable () async -> Ending
    ) -> Int {
        made += 1
        let number = made
        let work = Work(owner: owner, payment: payment, names: names, cancellationReply: cancellationReply)
        works[number] = work
        for name in names { joinable[name] = number }
        Self.$inside.withValue(Self.inside + [work.mark]) {
            works[number]?.task = Task(executorPreference: RouterTasks.executor) {
                let ending = await operation()
                await self.finish(number, ending)
            }
        }
        return number
    }

    /// Returns true if one of `callers` is the work, or is awaited by it, also through the callbacks of others.
    private func isAwaiting(_ number: Int, any callers: [Int]) -> Bool {
        var (seen, open) = (Set<Int>(), [number])
        while let next = open.popLast() {
            if callers.contains(next) { return true }
            if seen.insert(next).inserted { open += works[next]?.awaited ?? [] }
        }
        return false
    }

    private func removeAwaited(_ number: Int, from caller: Int) {
        if let index = works[caller]?.awaited.firstIndex(of: number) { works[caller]?.awaited.remove(at: index) }
    }

    private func finish(_ number: Int, _ ending: Ending) {
        notifyWaiters(number, ending)
        guard let work = works.removeValue(forKey: number) else { return }
        close(number, work)
    }

    /// Closes the work to further callers.
    private func close(_ number: Int, _ work: Work) {
        for name in work.names where joinable[name] == number { joinable[name] = nil }
    }

    private func notifyWaiters(_ number: Int, _ ending: Ending) {
        for waiting in works[number]?.waiting ?? [] { waiting.finish(ending) }
        works[number]?.waiting = []
    }

    private func leave(_ number: Int, _ ending: OneShot<Ending>) async {
        guard let work = works[number] else { return }
        works[number]?.staying -= 1
        if work.staying == 1 {
            close(number, work)
            work.task?.cancel()
        }
        let cancellationReply = work.cancellationReply
        await cancellationReply.grace()
        // The first ending counts: the true one, if it has come.
        ending.finish(await cancellationReply.known(works[number].map { $0.staying == 0 } ?? true))
    }
}

/// The executor of the routers' own tasks. Only simulations set it: an unstructured task does not inherit its creator's
/// executor.
package enum RouterTasks {
    /// The executor, or nil for the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// Payments in progress, and the callers that receive their ends.
extension PaymentRouter {
    /// Carries a payment or refund out while its lease is held, or joins the worker in this process that does so.
    func carryOnce(
        _ payment: PaymentReference,
        _ operation: @escaping @Sendable (LeasedJournal) async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        try await once(payment, about: { payment }) {
            try await leases.with(payment, operation) { $0 }
        }
    }

    /// Does `operation`, or joins the worker in this process that does so.
    ///
    /// - Parameters:
    ///   - payee: the payee, to join any payment to them in progress; nil joins only this payment.
    ///   - owner: the caller's name for the request. Another owner's work is waited for, and not joined. Nil joins any.
    ///   - subject: the payment that the work is about by now.
    func once(
        _ payment: PaymentReference, to payee: String? = nil, for owner: String? = nil,
        about subject: @escaping @Sendable () -> PaymentReference,
        _ operation: @escaping @Sendable () async throws -> PaymentOutcome
    ) async throws(PaymentError) -> PaymentOutcome {
        // Payers hang in real time, whatever clock payments use. Only simulations have no other clock.
        let clock: any PaymentClock = RouterTasks.executor == nil ? SystemPaymentClock() : effects.clock
        let cancellationReply = InFlightPayments.CancellationReply {
            try? await clock.sleep(for: leases.policy.grace)
        } known: { isCancelled in
            await known(of: subject(), isCancelled: isCancelled)
        }
        while true {
            let ending = await inFlight.run(payment, to: payee, for: owner, cancellationReply) { joined in
                effects.emit(.joined, at: joined.provider, joined)
            } work: {
                do { return .success(try await operation()) } catch {
                    let failure = PaymentError(thrown: error, at: payment.provider)
                    effects.emit(.failed(failure), at: payment.provider, subject())
                    return .failure(failure)
                }
            }
            if let ending { return try ending.get() }
            try await inFlight.awaitOther(payment, to: payee, within: leases.policy.timeout, clock)
        }
    }

    /// Returns an engine that pays `payment`, and releases other reservations that are in its way.
    func engine(_ serviceClient: ServiceClient, _ journal: LeasedJournal, _ payment: PaymentReference) -> AttemptEngine
    {
        var engine = AttemptEngine(serviceClient: serviceClient, journal: journal)
        engine.settleOthers = { await settleSpendings(holding: payment) }
        return engine
    }

    /// Returns an engine for an outside event of a payment. The payment's end is passed to every caller that waits for
    /// it here.
    func visitor(_ journal: LeasedJournal, _ serviceClient: ServiceClient) -> AttemptEngine {
        AttemptEngine(serviceClient: serviceClient, journal: journal) { await inFlight.end($0, with: $1) }
    }

    /// Returns the journal's result for a payment when a caller stops waiting for it.
    ///
    /// - Parameter isCancelled: true if no caller waits any more. No step begins then, so nothing more is sent.
    private func known(of payment: PaymentReference, isCancelled: Bool) async -> InFlightPayments.Ending {
        let histories = try? await effects.journal.histories(of: payment)
        if let paid = Ledger(histories ?? [], effects).recordedPayment?.outcome { return .success(paid) }
        if isCancelled, let histories, histories.allSatisfy({ $0.isFinished && effects.isSound($0) }) {
            return .failure(
                PaymentError(.cancelled, "stopped before anything was sent", provider: payment.provider))
        }
        return .success(
            .unknown(
                UnknownOutcome(
                    reference: payment, message: "stopped waiting while the payment was in progress; ask again later")))
    }
}

/// A value that arrives once. The first one counts.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case done(Value)
    }

    private let state = Mutex(State.open(nil))

    package init() {}

    /// Sets the value, unless there is one.
    package func finish(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = .done(value)
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. Called once.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                if case .done(let value) = state { return value }
                state = .open(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// A time limit for work that may never return, such as a payment whose wallet hangs. Loops continue with the others.
///
/// It is real time, whatever the application's clock says. Only simulations, which have their own executor, measure by
/// their own clock.
package struct TimeBound: Sendable {
    private let bound: Duration
    private let clock: any PaymentClock
    /// The time that cancelled work is given to end.
    private static let grace = Duration.seconds(5)

    /// Limits work to `bound`.
    package init(_ bound: Duration, _ clock: any PaymentClock) { (self.bound, self.clock) = (bound, clock) }

    /// Returns the result of `work`; nil if it has not ended in time, or not soon after the caller was cancelled. The
    /// work is cancelled then. If it does not notice, it continues alone.
    package func result<Value: Sendable>(of work: @escaping @Sendable () async -> Value) async -> Value? {
        let end = OneShot<Value?>()
        let executor = RouterTasks.executor
        let clock: any PaymentClock = executor == nil ? SystemPaymentClock() : clock
        let task = Task(executorPreference: executor) { end.finish(await work()) }
        let watch = Task(executorPreference: executor) {
            guard (try? await clock.sleep(for: bound)) != nil else { return }
            end.finish(nil)
            task.cancel()
        }
        defer { watch.cancel() }
        return await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            task.cancel()
            Task(executorPreference: executor) {
                try? await clock.sleep(for: min(bound, Self.grace))
                end.finish(nil)
            }
        }
    }
}
