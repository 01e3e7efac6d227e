import PaymentCore

/// The executor of the routers' own tasks. Only simulations set it: an unstructured task does not inherit its creator's
/// executor.
package enum RouterTasks {
    /// The executor, or nil for the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// The payments in progress in this process. A second start of the same payment joins the first.
///
/// A payer's page or wallet may never return, and may notice no cancellation. So no caller waits for the work alone: a
/// cancelled caller waits a little for its true ending, and when the payment is ended from elsewhere every caller
/// receives the end.
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
        /// The payee, where links name no single payment.
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
        /// The reply to callers that stop waiting: about the work that was begun, whichever caller began it.
        let cancellationReply: CancellationReply
        var task: Task<Void, Never>?
        var waiting: [OneShot<Ending>] = []
        /// The number of waiting callers that have not been cancelled.
        var staying = 0
        /// The works that its callbacks wait for.
        var awaited: [Int] = []
    }

    private var works: [Int: Work] = [:]
    /// The work that may be joined; work that all callers have cancelled is not in it.
    private var joinable: [Name: Int] = [:]
    private var made = 0

    /// Runs `operation`, or waits for the one already running for `payment`.
    ///
    /// The work is cancelled only when every caller that waits for it is cancelled; every caller gets the true ending,
    /// unless it does not come within the grace after being cancelled. Work that waits for a callback which waits for
    /// that work would never end: a caller inside of one cannot join it.
    ///
    /// - Parameters:
    ///   - payee: the payee, where any payment to them in progress is to be joined.
    ///   - owner: the caller's name for the request; nil joins whatever is in progress.
    ///   - joining: called with the payment in progress, when there is one.
    /// - Returns: the ending; nil where the work in progress is another owner's: its payer answers other questions.
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
    /// - Throws: ``PaymentError``, `inUse`, where it has not within `bound`; `cancelled` where the caller is.
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

    /// Passes the end of `payment` to every caller that waits for it: the worker that carries it out may never return.
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

    /// True if one of `callers` is the work, or is awaited by it, also through the callbacks of others.
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
        // The first ending counts: the true one, when it has come.
        ending.finish(await cancellationReply.known(works[number].map { $0.staying == 0 } ?? true))
    }
}
