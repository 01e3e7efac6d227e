import CitconSandbox
import Foundation
import PaymentCore
import PayrailsSandbox
import SandboxHome
import SandboxSupport
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

/// A clock whose sleeps end only when they are cancelled, and whose time stands still.
private final class StillClock: PaymentClock {
    private let count = Mutex(0)
    /// The number of started sleeps.
    var sleepers: Int { count.withLock { $0 } }
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let uptime = Duration.seconds(1000)

    func sleep(for duration: Duration) async throws {
        count.withLock { $0 += 1 }
        try await Task.sleep(for: .seconds(3600))
    }
}

@Suite("The clock of the sandbox") struct SandboxClockTests {
    @Test("Set forward, it shows a later time and ends waits until a time that has passed")
    func advances() async throws {
        let still = StillClock()
        let clock = SandboxClock(still)
        let start = clock.now
        let sleepers = [60, 600, 6000].map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        // A later sleeper waits from then on.
        while still.sleepers < 3 { await Task.yield() }
        clock.advance(bySeconds: 61)
        try await sleepers[0].value
        clock.advance(bySeconds: 600)
        try await sleepers[1].value
        #expect(clock.now == start.addingTimeInterval(661) && clock.shift == .seconds(661))
        sleepers[2].cancel()
        await #expect(throws: CancellationError.self) { try await sleepers[2].value }
    }

    @Test("It never goes back")
    func forwardOnly() {
        let clock = SandboxClock(StillClock())
        let start = clock.now
        clock.advance(bySeconds: 0)
        clock.advance(bySeconds: -5)
        #expect(clock.now == start)
    }

    @Test("A wait for its own time ends by the clock beneath, and a cancelled one throws at once")
    func base() async throws {
        let clock = SandboxClock(VirtualClock())
        try await clock.sleep(for: .seconds(86_400))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
