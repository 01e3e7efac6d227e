package import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The clock of the subject's current world.
package final class BorrowedClock: PaymentClock {
    private let clock = Mutex<any PaymentClock>(SystemPaymentClock())

    package init() {}

    package func borrow(_ other: any PaymentClock) { clock.withLock { $0 = other } }

    package var now: Date { clock.withLock { $0 }.now }
    package var uptime: Duration { clock.withLock { $0 }.uptime }
    package func sleep(for duration: Duration) async throws { try await clock.withLock { $0 }.sleep(for: duration) }
}
