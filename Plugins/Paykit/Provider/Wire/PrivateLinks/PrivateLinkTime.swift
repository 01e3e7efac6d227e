import PaymentCrypto

/// A moment in messages of private links: RFC 3339, ending in `Z`. Its text is sent back unchanged.
package struct PrivateLinkTime: Sendable, Hashable {
    private let time: RFC3339

    package var text: String { time.text }
    // Computed: Swift 6.3.1 breaks the stack where 128 bits are passed on it to an asynchronous function
    // (`.ci/canary`).
    /// Nanoseconds since 1970, so that two spellings of a moment compare.
    package var nanoseconds: Int128 { Int128(time.seconds) * 1_000_000_000 + Int128(time.nanoseconds) }
    /// Whole seconds since 1970.
    package var seconds: Int64 { time.seconds }

    package var isWhole: Bool { time.nanoseconds == 0 }

    package init?(_ text: String) {
        guard let time = RFC3339(text) else { return nil }
        self.time = time
    }

    package init(seconds: Int64) { time = RFC3339(seconds: seconds) }
}

extension PrivateLinkTime: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

/// The period for which one payment of several is due; its name.
package struct BillingPeriod: Sendable, Hashable {
    package let start: PrivateLinkTime
    package let end: PrivateLinkTime

    package init(start: PrivateLinkTime, end: PrivateLinkTime) throws(WireDefect) {
        guard start < end else { throw WireDefect("a period ends before it begins") }
        self.start = start
        self.end = end
    }

    init(_ json: JSONValue) throws(WireDefect) {
        var object = try ClosedObject(json)
        let (start, end) = (try object.time("starts_at"), try object.time("ends_at"))
        try object.end()
        try self.init(start: start, end: end)
    }

    var json: OrderedJSON { .object([("starts_at", .string(start.text)), ("ends_at", .string(end.text))]) }

    /// Returns true if it is the same period, in whatever spelling.
    package func isSame(as other: BillingPeriod) -> Bool {
        start.nanoseconds == other.start.nanoseconds && end.nanoseconds == other.end.nanoseconds
    }
}

extension ClosedObject {
    mutating func time(_ name: String) throws(WireDefect) -> PrivateLinkTime {
        guard let time = PrivateLinkTime(try text(name)) else { throw WireDefect("the member '\(name)' is no time") }
        return time
    }

    mutating func nullableTime(_ name: String) throws(WireDefect) -> PrivateLinkTime? {
        guard let value = try nullable(name) else { return nil }
        guard let time = value.string.flatMap(PrivateLinkTime.init) else {
            throw WireDefect("the member '\(name)' is no time")
        }
        return time
    }
}
