#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Wall-clock time and waiting. Providers never ask the system themselves. Tests can therefore move time.
public protocol PaymentClock: Sendable {
    /// The current time.
    var now: Date { get }

    /// The time that has passed since a moment chosen by the clock. Unlike ``now``, it is never set: measure waiting by
    /// the difference of two of these.
    var uptime: Duration { get }

    /// Waits for `duration`.
    ///
    /// - Parameter duration: the time to wait.
    /// - Throws: `CancellationError`, as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

extension PaymentClock {
    /// The time that has passed by ``now``: right for clocks that are never set, such as those of simulations.
    public var uptime: Duration { .seconds(now.timeIntervalSinceReferenceDate) }
}

/// The system's clock.
public struct SystemPaymentClock: PaymentClock {
    private static let start = ContinuousClock.now

    /// Creates a clock.
    public init() {}

    /// The system's time.
    public var now: Date { Date() }

    /// The system's continuous clock, which also counts while the machine sleeps.
    public var uptime: Duration { Self.start.duration(to: .now) }

    /// Waits for `duration` on the system's continuous clock.
    ///
    /// - Parameter duration: the time to wait.
    /// - Throws: `CancellationError`, as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}

/// A source of random numbers that many tasks may share.
public protocol RandomSource: Sendable {
    /// Returns the next 64 random bits.
    func next() -> UInt64
}

/// The system's cryptographically secure generator.
public struct SystemRandomSource: RandomSource {
    /// Creates a source.
    public init() {}

    /// Returns the next 64 random bits.
    public func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension RandomSource {
    /// Returns random lower-case hexadecimal text, `length` digits long.
    ///
    /// - Parameter length: the number of digits.
    public func hex(_ length: Int) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(length)
        while digits.count < length {
            var word = next()
            for _ in 0..<min(16, length - digits.count) {
                digits.append(Hex.digits[Int(word & 15)])
                word >>= 4
            }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns a random version 4 UUID in its lower-case form (RFC 9562 section 5.4).
    public func uuid() -> String {
        var digits = Array(hex(32).utf8)
        digits[12] = UInt8(ascii: "4")
        digits[16] = Hex.digits[Int(8 | (next() & 3))]
        for position in [20, 16, 12, 8] { digits.insert(UInt8(ascii: "-"), at: position) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns a random fraction in 0..<1.
    public func fraction() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}

/// A source of secrets that the application keeps.
public protocol SecretStore: Sendable {
    /// Returns the secret named `name`, or nil when there is none.
    ///
    /// - Parameter name: the secret's name, such as a provider's documentation gives it.
    /// - Returns: the secret; nil when the store has none of that name.
    /// - Throws: any error that keeps the store from looking. That is not the same as having none.
    func secret(_ name: String) async throws -> Redacted<String>?
}

/// A store without secrets.
public struct NoSecrets: SecretStore {
    /// Creates an empty store.
    public init() {}

    /// Returns nil for every name.
    public func secret(_ name: String) async -> Redacted<String>? { nil }
}

/// A secret or personal value that prints as nothing.
///
/// Wrap keys, tokens, card numbers, security codes and personal data. `description`, `debugDescription`,
/// string interpolation, `dump` and mirrors show only `<redacted>`: not the value, its length or its type's
/// fields. The wrapper is deliberately not `Codable`, so it cannot slip into a journal or a log.
public struct Redacted<Value: Sendable>: Sendable {
    // A closure, because reflection can walk stored properties but not captured variables.
    private let read: @Sendable () -> Value

    /// Creates a wrapper around `value`.
    public init(_ value: Value) {
        read = { value }
    }

    /// Returns the wrapped value. Call it only to use the value, never on the way to a log or an error.
    public func reveal() -> Value {
        read()
    }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension Redacted: Equatable where Value: Equatable {
    /// Equal when the wrapped values are. Not for checking secrets: the time it takes depends on them.
    public static func == (left: Self, right: Self) -> Bool { left.reveal() == right.reveal() }
}

extension Redacted: Hashable where Value: Hashable {
    /// Hashes the wrapped value.
    public func hash(into hasher: inout Hasher) { hasher.combine(reveal()) }
}
