package import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A clock that can be set forward: a sleep whose end has then passed ends at once.
package final class SandboxClock: PaymentClock {
    private struct State {
        var shift = Duration.zero
        var last = 0
        var sleepers: [Int: (end: Duration, wake: CheckedContinuation<Void, Never>)] = [:]
        /// The sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let base: any PaymentClock
    private let state = Mutex(State())

    /// Creates a clock that follows `base` until it is set forward.
    package init(_ base: any PaymentClock = SystemPaymentClock()) { self.base = base }

    /// The time by which the clock was set forward.
    package var shift: Duration { state.withLock(\.shift) }

    package var now: Date { base.now.addingTimeInterval(Double(shift.components.seconds)) }

    package var uptime: Duration { base.uptime + shift }

    /// Sets the clock forward by whole seconds, never back.
    package func advance(bySeconds seconds: Int64) {
        guard seconds > 0 else { return }
        let due = state.withLock { state in
            state.shift += .seconds(seconds)
            let now = base.uptime + state.shift
            let due = state.sleepers.filter { $0.value.end <= now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for sleeper in due { sleeper.resume() }
    }

    package func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let end = uptime + duration
        let base = base
        let timer = Task { [weak self] in
            // A base that wakes early, as a cancelled one does, wakes no sleeper before its time.
            guard (try? await base.sleep(for: duration)) != nil else { return }
            self?.wake(number)
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    guard state.cancelled.remove(number) == nil, base.uptime + state.shift < end else { return true }
                    state.sleepers[number] = (end, continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            if !wake(number) { _ = state.withLock { $0.cancelled.insert(number) } }
        }
        _ = state.withLock { $0.cancelled.remove(number) }
        try Task.checkCancellation()
    }

    @discardableResult private func wake(_ number: Int) -> Bool {
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: number) }
        sleeper?.wake.resume()
        return sleeper != nil
    }
}
