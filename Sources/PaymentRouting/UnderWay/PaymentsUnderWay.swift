import PaymentCore

/// Where the routers' own tasks run. Only simulations set it: a task of its own does not inherit its maker's executor.
package enum RouterTasks {
    /// The executor, or nil for the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// The payments under way in this process. A second start of the same payment joins the first.
///
/// A payer's page or wallet may never come back, and notice no cancellation. So nobody waits for the work alone: who is
/// cancelled waits a little for its true ending, and when the payment is ended from elsewhere everyone is told.
actor PaymentsUnderWay {
    typealias Ending = Result<PaymentOutcome, PaymentError>

    /// What to tell somebody who stops waiting.
    struct Farewell: Sendable {
        /// Waits for as long as the true ending is worth waiting for.
        let grace: @Sendable () async -> Void
        /// What is known then.
        let known: @Sendable (_ isCalledOff: Bool) async -> Ending
    }

    private struct Work {
        let payment: PaymentReference
        var task: Task<Void, Never>?
        var waiting: [Pending<Ending>] = []
        /// How many of those who waited have not been cancelled.
        var staying = 0
    }

    private var works: [Int: Work] = [:]
    /// What may be joined: work that everyone has called off may not.
    private var joinable: [PaymentReference: Int] = [:]
    private var made = 0

    /// Runs `operation`, or waits for the one already running for `payment`.
    ///
    /// - Parameter joining: is told when there is one.
    ///
    /// The work is cancelled only when everyone who waits for it is cancelled; whoever waits gets the true ending, unless
    /// it does not come within the grace after being cancelled.
    func run(
        _ payment: PaymentReference, _ farewell: Farewell, joining: @Sendable () -> Void,
        work operation: @escaping @Sendable () async -> Ending
    ) async -> Ending {
        if joinable[payment] != nil { joining() }
        let number = joinable[payment] ?? start(payment, operation)
        let ending = Pending<Ending>()
        works[number]?.waiting.append(ending)
        works[number]?.staying += 1
        let executor = RouterTasks.executor
        return await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            Task(executorPreference: executor) { await self.leave(number, ending, farewell) }
        }
    }

    /// Tells everyone who waits for `payment` how it ended: whoever carries it may never come back.
    func end(_ payment: PaymentReference, with outcome: PaymentOutcome) {
        joinable[payment] = nil
        for number in works.keys where works[number]?.payment == payment { tell(number, .success(outcome)) }
    }

    private func start(
        _ payment: PaymentReference, _ operation: @escaping @Sendable () async -> Ending
    ) -> Int {
        made += 1
        let number = made
        works[number] = Work(payment: payment)
        joinable[payment] = number
        works[number]?.task = Task(executorPreference: RouterTasks.executor) {
            let ending = await operation()
            await self.finish(number, ending)
        }
        return number
    }

    private func finish(_ number: Int, _ ending: Ending) {
        tell(number, ending)
        guard let work = works.removeValue(forKey: number) else { return }
        if joinable[work.payment] == number { joinable[work.payment] = nil }
    }

    private func tell(_ number: Int, _ ending: Ending) {
        for waiting in works[number]?.waiting ?? [] { waiting.finish(ending) }
        works[number]?.waiting = []
    }

    private func leave(_ number: Int, _ ending: Pending<Ending>, _ farewell: Farewell) async {
        guard let work = works[number] else { return }
        works[number]?.staying -= 1
        if work.staying == 1 {
            if joinable[work.payment] == number { joinable[work.payment] = nil }
            work.task?.cancel()
        }
        await farewell.grace()
        // The first ending counts: the true one, when it has come.
        ending.finish(await farewell.known(works[number].map { $0.staying == 0 } ?? true))
    }
}
