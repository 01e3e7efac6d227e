import Dispatch

/// Runs `body`, and the tasks that are its children, on threads that no other test uses. Two threads or a few run all
/// other tests, and one that computes for seconds there would make a peer in this process look silent.
package func withOwnThreads<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
    try await withTaskExecutorPreference(OwnThreads.shared, operation: body)
}

private final class OwnThreads: TaskExecutor {
    static let shared = OwnThreads()

    private let queue = DispatchQueue(label: "own-threads", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
