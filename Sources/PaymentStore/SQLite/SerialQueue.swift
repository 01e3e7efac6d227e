import Dispatch
import PaymentRouting

/// An executor that runs an actor's jobs one after another on a separate queue, so that waiting for a disk blocks none
/// of the shared threads.
package final class SerialQueue: SerialExecutor {
    /// Nil in a simulation, whose one thread does all work.
    private let queue: DispatchQueue?

    package init(_ label: String) { queue = RouterTasks.executor == nil ? DispatchQueue(label: label) : nil }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        guard let queue else { return job.runSynchronously(on: executor) }
        queue.async { job.runSynchronously(on: executor) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
