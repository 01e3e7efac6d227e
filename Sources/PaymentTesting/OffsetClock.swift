package import PaymentCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Another clock, set forward by a number of seconds, or back by a negative one.
package struct OffsetClock: PaymentClock {
    private let base: any PaymentClock
    private let seconds: Double

    package init(_ base: any PaymentClock, by seconds: Double) {
        self.base = base
        self.seconds = seconds
    }

    package var now: Date { base.now.addingTimeInterval(seconds) }
    package func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
