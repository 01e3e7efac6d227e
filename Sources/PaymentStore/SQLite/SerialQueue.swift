import Dispatch

/// An executor that runs an actor's jobs one after another on a separate queue, so that waiting for a disk blocks none
/// of the shared threads.
package final class SerialQueue: SerialExecutor {
    private let queue: DispatchQueue

    package init(_ label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
