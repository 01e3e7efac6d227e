import PaymentCore

/// What an execution's statuses say about its latest attempt. They come in no order.
package struct StatusHistory: Sendable {
    /// What can be read from them.
    package enum Verdict: Sendable, Hashable {
        case success
        case failed(String)
        /// Called off by the shop: what was set aside was released, or nothing was ever taken.
        case cancelled
        case pending
        case open
    }

    /// Where an execution stands for somebody who wants to pay it.
    package enum Status: String, Sendable, Hashable, Codable {
        /// It can be paid: nothing was begun yet, or what was begun was declined.
        case ready
        /// An authorisation was begun, and its ending is not written.
        case inFlight
        case paid
        case cancelled
    }

    /// How much of a history belongs to what was before an attempt. Counted rather than told by times: clocks of the
    /// service's parts differ, and some write none.
    package struct Mark: Sendable, Hashable, Codable {
        /// The authorisations that were begun.
        package var requests = 0
        /// Those of them that were declined.
        package var failures = 0

        /// Before everything.
        package static let start = Mark()

        /// Counts what `other` counts as well.
        package mutating func include(_ other: Mark) {
            requests = max(requests, other.requests)
            failures = max(failures, other.failures)
        }
    }

    /// Newest first.
    package let entries: [StatusBody]
    /// When the latest attempt began.
    let requested: VendorTime?
    /// What there is of it.
    let mark: Mark

    /// Clocks of the service's parts may differ by so much.
    private static let tolerance: Int64 = 5

    package init(_ status: [StatusBody]) {
        // Entries of one moment keep their order.
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

    /// Reads the latest attempt.
    ///
    /// Within it an ending beats `authorizePending` whatever their times: the service writes a pending after a decline.
    /// So does a success outside of it, by a clock that is slow, unless it was declined. An attempt that is not the
    /// first begins where it says: the decline before it may lie a second back.
    ///
    /// - Parameters:
    ///   - knowsPending: whether pending is an answer, or what is waited through.
    ///   - before: what there was before the attempt. Until a later one shows, nothing but a success is an ending: a
    ///     decline is the earlier attempt's.
    package func verdict(knowsPending: Bool, since before: Mark = .start) -> Verdict {
        if isCancelled { return .cancelled }
        let wasPaid = entries.contains { $0.code == "authorizeSuccessful" }
        // One that was not declined has succeeded, whatever the clocks say that wrote the others' declines.
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

    /// Where it stands.
    var status: Status {
        switch verdict(knowsPending: true) {
        case .success: .paid
        case .cancelled: .cancelled
        case .failed: .ready
        case .pending: .inFlight
        case .open: mark.requests > 0 ? .inFlight : .ready
        }
    }

    /// Whether what succeeded may have been released again.
    private var wasReleased: Bool { entries.contains { $0.code == "cancelSuccessful" } }

    /// Whether the shop called it off, and nobody began to pay it again since.
    private var isCancelled: Bool {
        guard let cancelled = entries.first(where: { $0.code == "cancelSuccessful" }) else { return false }
        return requested.map { $0 <= cancelled.time } ?? true
    }
}

extension StatusBody {
    /// Why it failed, in the service's words.
    var failureText: String {
        let problem = errors?.first
        return WireText.code(problem?.reason?.result) ?? problem?.detail.flatMap(WireText.line)
            ?? "Authorization failed"
    }
}
