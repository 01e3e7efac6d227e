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
actor InFlightPayments {
    typealias Ending = Result<PaymentOutcome, PaymentError>

    /// What to tell somebody who stops waiting.
    struct CancellationReply: Sendable {
        /// Waits for as long as the true ending is worth waiting for.
        let grace: @Sendable () async -> Void
        /// What is known then.
        let known: @Sendable (_ isCancelled: Bool) async -> Ending
    }

    /// By what work can be joined.
    enum Name: Sendable, Hashable {
        /// The payment.
        case payment(PaymentReference)
        /// Whoever is paid, where links name nobody's single payment.
        case payee(String, at: ProviderID)
    }

    private struct Work {
        let payment: PaymentReference
        let names: [Name]
        /// What those who stop waiting are told: about what was begun, whoever asked for it.
        let cancellationReply: CancellationReply
        var task: Task<Void, Never>?
        var waiting: [OneShot<Ending>] = []
        /// How many of those who waited have not been cancelled.
        var staying = 0
    }

    private var works: [Int: Work] = [:]
    /// What may be joined: work that everyone has called off may not.
    private var joinable: [Name: Int] = [:]
    private var made = 0

    /// Runs `operation`, or waits for the one already running for `payment`.
    ///
    /// The work is cancelled only when everyone who waits for it is cancelled; whoever waits gets the true ending,
    /// unless it does not come within the grace after being cancelled.
    ///
    /// - Parameters:
    ///   - payee: whoever is paid, where any payment to them under way is to be joined.
    ///   - joining: is told which payment is under way, when there is one.
    func run(
        _ payment: PaymentReference, to payee: String? = nil, _ cancellationReply: CancellationReply,
        joining: @Sendable (PaymentReference) -> Void, work operation: @escaping @Sendable () async -> Ending
    ) async -> Ending {
        let names = [.payment(payment)] + (payee.map { [Name.payee($0, at: payment.provider)] } ?? [])
        let joined = names.lazy.compactMap { self.joinable[$0] }.first
        if let work = joined.flatMap({ works[$0] }) { joining(work.payment) }
        let number = joined ?? start(payment, names: names, cancellationReply: cancellationReply, operation)
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

    /// Tells everyone who waits for `payment` how it ended: whoever carries it may never come back.
    func end(_ payment: PaymentReference, with outcome: PaymentOutcome) {
        for (number, work) in works where work.payment == payment {
            close(number, work)
            notifyWaiters(number, .success(outcome))
        }
    }

    private func start(
        _ payment: PaymentReference, names: [Name], cancellationReply: CancellationReply,
        _ operation: @escaping @Sendable () async -> Ending
    ) -> Int {
        made += 1
        let number = made
        works[number] = Work(payment: payment, names: names, cancellationReply: cancellationReply)
        for name in names { joinable[name] = number }
        works[number]?.task = Task(executorPreference: RouterTasks.executor) {
            let ending = await operation()
            await self.finish(number, ending)
        }
        return number
    }

    private func finish(_ number: Int, _ ending: Ending) {
        notifyWaiters(number, ending)
        guard let work = works.removeValue(forKey: number) else { return }
        close(number, work)
    }

    /// Nobody joins the work any more.
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
