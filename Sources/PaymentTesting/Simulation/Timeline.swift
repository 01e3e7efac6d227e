import PaymentCore
import PaymentRouting
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Virtual time: a list of future events. Time leaps to the next one when nothing else can run.
final class Timeline: Sendable {
    typealias Action = @Sendable () -> Void

    private struct Event {
        let time: Int64
        /// Orders events of one moment. It is drawn, so no accident of the code decides.
        let draw: UInt64
        let number: Int
        let action: Action
    }

    private struct State {
        var now: Int64 = 0
        var events: [Event] = []
        var made = 0
        var random: SplitMix64
    }

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let state: Mutex<State>

    init(seed: UInt64) { state = Mutex(State(random: SplitMix64(seed: seed))) }

    /// Nanoseconds since the beginning.
    var elapsed: Int64 { state.withLock { $0.now } }

    /// The date.
    var now: Date { Self.start.addingTimeInterval(Double(elapsed) / 1e9) }

    /// Makes `action` happen after `delay` nanoseconds.
    ///
    /// - Returns: The number by which it can be cancelled.
    @discardableResult
    func schedule(after delay: Int64, _ action: @escaping Action) -> Int {
        state.withLock { state in
            state.made += 1
            let time = state.now.addingReportingOverflow(max(0, delay))
            state.events.append(
                Event(
                    time: time.overflow ? .max : time.partialValue, draw: state.random.next(), number: state.made,
                    action: action))
            return state.made
        }
    }

    /// Cancels an event that has not happened yet.
    func cancel(_ number: Int) {
        state.withLock { state in
            guard let index = state.events.firstIndex(where: { $0.number == number }) else { return }
            state.events.swapAt(index, state.events.count - 1)
            state.events.removeLast()
        }
    }

    /// Leaps to the next event and lets it happen. False when there is none.
    func advance() -> Bool {
        let action: Action? = state.withLock { state in
            guard
                let index = state.events.indices.min(by: {
                    let (one, other) = (state.events[$0], state.events[$1])
                    return (one.time, one.draw, one.number) < (other.time, other.draw, other.number)
                })
            else { return nil }
            state.events.swapAt(index, state.events.count - 1)
            let event = state.events.removeLast()
            state.now = max(state.now, event.time)
            return event.action
        }
        action?()
        return action != nil
    }

    /// Waits. Returns early when the current task is cancelled, and at once when it was cancelled before.
    func pause(_ delay: Int64) async {
        let pending = OneShot<Void>()
        let number = schedule(after: delay) { pending.finish(()) }
        await withTaskCancellationHandler {
            await pending.value()
        } onCancel: {
            pending.finish(())
        }
        cancel(number)
    }
}

extension Duration {
    /// Whole nanoseconds, cut off at the ends of the range.
    package var nanoseconds: Int64 {
        let (seconds, fraction) = components
        let product = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let sum = product.partialValue.addingReportingOverflow(fraction / 1_000_000_000)
        return product.overflow || sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
    }
}

// MARK: - Order of work

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
