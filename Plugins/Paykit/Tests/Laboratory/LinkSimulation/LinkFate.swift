import PaymentTesting
import Synchronization

/// The faults, decided by the history's seed. Each history has one generator, so that every run of it is the same.
final class LinkFate: Sendable {
    private struct State {
        var generator: SplitMix64
        /// The fault rate, in percent of the usual one.
        var trouble: UInt64
    }

    private let state: Mutex<State>

    init(seed: UInt64, trouble: UInt64) { state = Mutex(State(generator: SplitMix64(seed: seed), trouble: trouble)) }

    /// A number below `bound`.
    func number(below bound: UInt64) -> UInt64 { state.withLock { $0.generator.next() % bound } }

    /// True in `thousandths` of a thousand cases at the usual fault rate.
    func happens(_ thousandths: UInt64) -> Bool {
        state.withLock { $0.generator.next() % 100_000 < thousandths * $0.trouble }
    }

    /// Starts the faults, at `trouble` percent of the usual rate.
    func begin(trouble: UInt64) { state.withLock { $0.trouble = trouble } }

    /// Stops all faults.
    func calm() { begin(trouble: 0) }
}

/// A process that has stopped: it does none of its later work.
struct Crash: Error {}
