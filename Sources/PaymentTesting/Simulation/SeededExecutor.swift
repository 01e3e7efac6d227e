import PaymentCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs jobs one at a time, on the driving thread, in an order drawn from a seed.
final class SeededExecutor: TaskExecutor {
    private struct State {
        var queue: [UnownedJob] = []
        var random: SplitMix64
        var driver: UInt?
        var strays = 0
        var count = 0
    }

    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SplitMix64(seed: seed))) }

    /// The number of jobs that have run.
    var count: Int { state.withLock { $0.count } }

    /// The number of jobs that came from another thread than the driving one: work that had left the simulation.
    var strays: Int { state.withLock { $0.strays } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let thread = Self.thread
        state.withLock { state in
            if let driver = state.driver, driver != thread { state.strays += 1 }
            state.queue.append(job)
        }
    }

    /// Declares the current thread to be the one that runs the jobs from now on, or that none does.
    func drive(_ isDriving: Bool) {
        let thread = Self.thread
        state.withLock { $0.driver = isDriving ? thread : nil }
    }

    /// Runs a random job. False when there is none.
    func runOne() -> Bool {
        let job: UnownedJob? = state.withLock { state in
            guard !state.queue.isEmpty else { return nil }
            state.count += 1
            let index = Int(truncatingIfNeeded: state.random.next() % UInt64(state.queue.count))
            state.queue.swapAt(index, state.queue.count - 1)
            return state.queue.removeLast()
        }
        guard let job else { return false }
        job.runSynchronously(on: asUnownedTaskExecutor())
        return true
    }

    private static var thread: UInt { UInt(bitPattern: pthread_self().hashValue) }
}
