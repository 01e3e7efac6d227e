import CitconSandbox
import Foundation
import PaymentCore
import PayrailsSandbox
import SandboxHome
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@Suite("The clock of the sandbox") struct SandboxClockTests {
    @Test("Set forward, it shows a later time and ends waits until a time that has passed")
    func advances() async throws {
        let still = TestClock()
        let clock = SandboxClock(still)
        let start = clock.now
        let sleepers = [60, 600, 6000].map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        // A later sleeper waits from then on.
        await still.sleepers(3)
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
        let clock = SandboxClock(TestClock())
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
