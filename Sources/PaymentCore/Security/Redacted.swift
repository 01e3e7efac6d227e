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

    /// Returns the wrapped value. Call it only where the value is used, never on the way to a log or an error.
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
