/// Values by key, each with an end of its use, by the clock that is never set. If there are too many, the least
/// recently used are dropped.
package struct RecentCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let end: Duration
        var order: UInt64
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var turn: UInt64 = 0
    /// The number of removals: an answer to a question from before a removal may be outdated.
    package private(set) var removals = 0

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package var keys: [Key] { Array(entries.keys) }

    package mutating func value(of key: Key, at uptime: Duration) -> Value? {
        guard let entry = entries[key], uptime < entry.end else { return nil }
        turn += 1
        entries[key]?.order = turn
        return entry.value
    }

    /// Returns a value with its end, whether it may still be used or not.
    package func last(of key: Key) -> (value: Value, end: Duration)? { entries[key].map { ($0.value, $0.end) } }

    package mutating func keep(_ value: Value, of key: Key, until end: Duration) {
        turn += 1
        entries[key] = Entry(value: value, end: end, order: turn)
        if entries.count > capacity, let oldest = entries.min(by: { $0.value.order < $1.value.order })?.key {
            entries[oldest] = nil
        }
    }

    package mutating func remove(_ key: Key) {
        removals += 1
        entries[key] = nil
    }
}
