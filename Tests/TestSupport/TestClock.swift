package import Foundation
import PaymentCore
import Synchronization

/// A clock that tests advance. A sleep ends when the time passes its end.
package final class TestClock: PaymentClock {
    private struct Sleeper {
        let until: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var elapsed = Duration.zero
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let start: Date
    private let state = Mutex(State())

    package init(at seconds: Double = 1_789_000_000) { start = Date(timeIntervalSince1970: seconds) }

    package var now: Date {
        let elapsed = state.withLock { $0.elapsed }.components
        return start.addingTimeInterval(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }

    package func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let ready: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    if Task.isCancelled { return nil }
                    state.sleepers[id] = Sleeper(until: state.elapsed + duration, continuation: continuation)
                    let count = state.sleepers.count
                    defer { state.watchers.removeAll { $0.count <= count } }
                    return state.watchers.filter { $0.count <= count }.map(\.continuation)
                }
                guard let ready else { return continuation.resume(throwing: CancellationError()) }
                for watcher in ready { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.value.until <= state.elapsed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Returns once `count` tasks sleep.
    package func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
