package import Foundation
import PaymentCore
import Synchronization

/// Time that moves only during sleeps, and then at once. It can be set back; ``uptime`` is unaffected.
package final class VirtualClock: PaymentClock {
    private struct State {
        var passed = Duration.zero
        var uptime = Duration.zero
        var naps: [Duration] = []
    }

    private let start: Date
    private let state = Mutex(State())

    package init(_ start: Date = Date(timeIntervalSince1970: 1_800_000_000)) { self.start = start }

    package var now: Date { start.addingTimeInterval(state.withLock { $0.passed } / .seconds(1)) }
    package var uptime: Duration { state.withLock { $0.uptime } }
    /// The durations of the sleeps, in order.
    package var naps: [Duration] { state.withLock { $0.naps } }
    package var slept: Duration { naps.reduce(.zero, +) }

    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        state.withLock { $0.naps.append(duration) }
        advance(by: duration)
        await Task.yield()
    }

    package func advance(by duration: Duration) {
        state.withLock {
            $0.uptime += max(duration, .zero)
            $0.passed += duration
        }
    }
}
