import Foundation
import PaymentCore
import Synchronization

/// Time that passes when it is told to.
final class LinkClock: PaymentClock {
    private let passed = Mutex(Duration.zero)

    var now: Date { Date(timeIntervalSince1970: 1_800_000_000) + uptime / .seconds(1) }
    var uptime: Duration { passed.withLock { $0 } }

    func sleep(for duration: Duration) async throws { advance(by: duration) }
    func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}

/// What goes wrong, decided by the history's seed. One generator for each history, so that every run of it is the same.
final class LinkFate: Sendable {
    private struct State {
        var generator: SplitMix64
        /// In percent of the usual.
        var trouble: UInt64
    }

    private let state: Mutex<State>

    init(seed: UInt64, trouble: UInt64) { state = Mutex(State(generator: SplitMix64(seed: seed), trouble: trouble)) }

    /// A number below `bound`.
    func number(below bound: UInt64) -> UInt64 { state.withLock { $0.generator.next() % bound } }

    /// Whether something happens that happens in so many of a thousand cases while there is trouble.
    func happens(_ thousandths: UInt64) -> Bool {
        state.withLock { $0.generator.next() % 100_000 < thousandths * $0.trouble }
    }

    /// From now on things go wrong, in so many percent of the usual cases.
    func begin(trouble: UInt64) { state.withLock { $0.trouble = trouble } }

    /// From now on nothing does.
    func calm() { begin(trouble: 0) }
}

/// A process that has stopped: nothing that it wanted to do afterwards is done.
struct Crash: Error {}
