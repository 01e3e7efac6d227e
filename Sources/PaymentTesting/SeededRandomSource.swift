public import PaymentCore
import Synchronization

/// A source of the same random numbers for the same seed: for sandboxes, simulations and tests. Its numbers are
/// predictable, so never use it for keys or nonces of real payments.
public final class SeededRandomSource: RandomSource {
    private let generator: Mutex<SplitMix64>

    /// Creates a source that repeats itself for the same `seed`.
    public init(seed: UInt64) {
        generator = Mutex(SplitMix64(seed: seed))
    }

    /// Returns the next 64 bits.
    public func next() -> UInt64 {
        generator.withLock { $0.next() }
    }
}

/// A small generator with 64 bits of state (Steele, Lea and Flood, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
