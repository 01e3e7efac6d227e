package import PaymentCore

/// A limit for work that may never return, such as a payment whose wallet hangs: loops continue with the others.
///
/// It is real time, whatever the application's clock says; only simulations, which have their own executor, measure by
/// theirs.
package struct TimeBound: Sendable {
    private let bound: Duration
    private let clock: any PaymentClock
    /// The time that cancelled work is given to end.
    private static let grace = Duration.seconds(5)

    /// Limits work to `bound`.
    package init(_ bound: Duration, _ clock: any PaymentClock) { (self.bound, self.clock) = (bound, clock) }

    /// Returns the result of `work`; nil when it has not ended in time, or not soon after the caller was cancelled. The
    /// work is cancelled then; where it does not notice, it goes on alone.
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
