package import Foundation
import PaymentCore
import Synchronization

/// Time that moves only when somebody sleeps, and then at once. It can be set back; ``uptime`` goes on then.
package final class VirtualClock: PaymentClock {
    private let state: Mutex<(now: Date, slept: Duration, uptime: Duration)>

    package init(_ start: Date = Date(timeIntervalSince1970: 1_800_000_000)) { state = Mutex((start, .zero, .zero)) }

    package var now: Date { state.withLock { $0.now } }
    package var slept: Duration { state.withLock { $0.slept } }
    package var uptime: Duration { state.withLock { $0.uptime } }

    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        state.withLock { $0.slept += duration }
        advance(by: duration)
        await Task.yield()
    }

    package func advance(by duration: Duration) {
        state.withLock {
            $0.uptime += max(duration, .zero)
            $0.now += Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        }
    }
}
