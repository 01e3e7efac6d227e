import PaymentCore

/// Where the routers' own tasks run. Only simulations set it: a task of its own does not inherit its maker's executor.
package enum RouterTasks {
    /// The executor, or nil for the default one.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// The payments under way in this process. A second start of the same payment joins the first.
actor InFlightPayments {
    typealias Ending = Result<PaymentOutcome, PaymentError>

    private struct Flight {
        let task: Task<Ending, Never>
        var waiters: Int
    }

    private var flights: [PaymentReference: Flight] = [:]

    /// Runs `operation`, or waits for the one already running for `payment`.
    ///
    /// The work is cancelled only when everyone who waits for it is cancelled; whoever waits gets the true ending.
    func run(_ payment: PaymentReference, _ operation: @escaping @Sendable () async -> Ending) async -> Ending {
        let task: Task<Ending, Never>
        if let flight = flights[payment] {
            task = flight.task
            flights[payment]?.waiters += 1
        } else {
            task = Task(executorPreference: RouterTasks.executor) {
                let ending = await operation()
                await self.end(payment)
                return ending
            }
            flights[payment] = Flight(task: task, waiters: 1)
        }
        let executor = RouterTasks.executor
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            Task(executorPreference: executor) { await self.leave(payment, task) }
        }
    }

    private func end(_ payment: PaymentReference) {
        flights[payment] = nil
    }

    private func leave(_ payment: PaymentReference, _ task: Task<Ending, Never>) {
        guard let flight = flights[payment], flight.task == task else { return }
        flights[payment]?.waiters -= 1
        if flight.waiters == 1 { task.cancel() }
    }
}
