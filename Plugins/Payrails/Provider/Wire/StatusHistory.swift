import PaymentCore

/// The meaning of an execution's statuses for its latest attempt. They come in no order.
package struct StatusHistory: Sendable {
    /// The result of reading the statuses.
    package enum Verdict: Sendable, Hashable {
        case success
        case failed(String)
        /// Cancelled by the shop: the authorised money was released, or none was ever taken.
        case cancelled
        case pending
        case open
    }

    /// The status of an execution for a payer.
    package enum Status: String, Sendable, Hashable, Codable {
        /// It can be paid: no attempt was begun yet, or the latest was declined.
        case ready
        /// An authorisation was begun, and its final status is not written.
        case inFlight
        case paid
        case cancelled
    }

    /// The part of a history that precedes an attempt. Given by counts rather than times: clocks of the service's parts
    /// differ, and some write no time.
    package struct Mark: Sendable, Hashable, Codable {
        /// The number of authorisations that were begun.
        package var requests = 0
        /// The number of those that were declined.
        package var failures = 0

        /// The mark of an empty history.
        package static let start = Mark()

        /// Raises the counts to at least those of `other`.
        package mutating func include(_ other: Mark) {
            requests = max(requests, other.requests)
            failures = max(failures, other.failures)
        }
    }

    /// The statuses, newest first.
    package let entries: [StatusBody]
    /// The time when the latest attempt began.
    let requested: VendorTime?
    /// The counts of the whole history.
    let mark: Mark

    /// The maximum difference between the clocks of the service's parts, in seconds.
    private static let tolerance: Int64 = 5

    package init(_ status: [StatusBody]) {
        // Entries of the same time keep their order.
        entries = status.enumerated().sorted { left, right in
            left.element.time == right.element.time
                ? left.offset < right.offset : left.element.time > right.element.time
        }.map(\.element)
        requested = entries.first { $0.code == "authorizeRequested" }?.time
        mark = Mark(
            requests: entries.count { $0.code == "authorizeRequested" },
            failures: entries.count { $0.code == "authorizeFailed" })
    }

    /// All codes, newest first.
    package var codes: [String] { entries.map(\.code) }

    /// Returns the verdict on the latest attempt.
    ///
    /// Within it a final status outweighs `authorizePending` whatever their times: the service writes a pending after a
    /// decline. So does a success outside of it, by a clock that is slow, unless it was declined. An attempt that is
    /// not the first begins at its own time: the decline before it may be a second older.
    ///
    /// - Parameters:
    ///   - knowsPending: true if pending is a verdict; if false, it counts as open.
    ///   - before: the mark of the earlier attempts. Until a later one shows, only a success is final: a decline
    ///     belongs to an earlier attempt.
    package func verdict(knowsPending: Bool, since before: Mark = .start) -> Verdict {
        if isCancelled { return .cancelled }
        let wasPaid = entries.contains { $0.code == "authorizeSuccessful" }
        // An attempt that was not declined has succeeded, whatever the times of the other attempts' declines.
        if wasPaid, mark.failures < mark.requests, !wasReleased { return .success }
        guard mark.requests > before.requests, let requested else {
            return mark.requests > 0 && wasPaid ? .success : .open
        }
        let start = mark.requests > 1 ? requested : requested.earlier(bySeconds: Self.tolerance)
        let attempt = entries.filter { $0.time >= start }
        let ending = attempt.first { $0.code == "authorizeSuccessful" || $0.code == "authorizeFailed" }
        if ending?.code == "authorizeSuccessful" { return .success }
        if let ending, mark.failures > before.failures { return .failed(ending.failureText) }
        if wasPaid { return .success }
        return knowsPending && attempt.contains { $0.code == "authorizePending" } ? .pending : .open
    }

    /// The status for a payer.
    var status: Status {
        switch verdict(knowsPending: true) {
        case .success: .paid
        case .cancelled: .cancelled
        case .failed: .ready
        case .pending: .inFlight
        case .open: mark.requests > 0 ? .inFlight : .ready
        }
    }

    /// True if a successful authorisation may have been released again.
    private var wasReleased: Bool { entries.contains { $0.code == "cancelSuccessful" } }

    /// True if the shop cancelled the execution, and no attempt was begun since.
    private var isCancelled: Bool {
        guard let cancelled = entries.first(where: { $0.code == "cancelSuccessful" }) else { return false }
        return requested.map { $0 <= cancelled.time } ?? true
    }
}

extension StatusBody {
    /// The reason of the failure, as the service states it.
    var failureText: String {
        let problem = errors?.first
        return WireText.code(problem?.reason?.result) ?? problem?.detail.flatMap(WireText.line)
            ?? "Authorization failed"
    }
}

/// A time in the service's form, to the nanosecond: statuses of one execution follow each other closely.
package struct VendorTime: Sendable, Hashable, Comparable, Decodable {
    /// Seconds since 1970.
    package let seconds: Int64
    /// 0 to 999 999 999.
    package let nanoseconds: Int64

    init(seconds: Int64, nanoseconds: Int64) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Creates a time from `2026-09-23T22:33:57.004978732Z`, or another form that the vendor's parser takes; nil for
    /// any other text.
    package init?(_ text: String) {
        guard let time = RFC3339(text, .lenient) else { return nil }
        self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = VendorTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a time")
        }
        self = time
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// False for the year 1, which programs write that forget to set a time.
    package var isSet: Bool { seconds > -62_104_060_800 }

    /// Returns the time `seconds` earlier.
    package func earlier(bySeconds seconds: Int64) -> VendorTime {
        VendorTime(seconds: self.seconds - seconds, nanoseconds: nanoseconds)
    }
}
