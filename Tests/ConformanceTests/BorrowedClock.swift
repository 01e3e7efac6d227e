import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The clock of whatever world a subject is in at the moment.
final class BorrowedClock: PaymentClock {
    private let clock = Mutex<any PaymentClock>(SystemPaymentClock())

    func borrow(_ other: any PaymentClock) { clock.withLock { $0 = other } }

    var now: Date { clock.withLock { $0 }.now }
    var uptime: Duration { clock.withLock { $0 }.uptime }
    func sleep(for duration: Duration) async throws { try await clock.withLock { $0 }.sleep(for: duration) }
}
