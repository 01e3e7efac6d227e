/// Ends statements that run too long. Otherwise a file that another program prepared could keep this one busy, and deaf
/// to the signal that is to end it, for any time.
final class StatementWatch {
    /// The longest that a statement may take; no statement of this software comes near it.
    static let limit = Duration.seconds(30)
    /// The time for which a statement may continue after its task was cancelled. Statements that record the fate of
    /// money are over long before.
    static let grace = Duration.seconds(1)
    /// The interval of SQLite's calls, in its own instructions: some milliseconds. Shorter statements are never ended.
    static let interval: Int32 = 100_000

    private let limit: Duration
    private var start = ContinuousClock.now
    /// True if the limit holds. Whole files are read without it.
    var isLimited = true

    init(limit: Duration) { self.limit = limit }

    /// Notes the beginning of a statement.
    func begin() { start = .now }

    /// True if the statement has to end.
    var isOver: Bool {
        let elapsed = ContinuousClock.now - start
        if isLimited && elapsed > limit { return true }
        return Task.isCancelled && elapsed > Self.grace
    }
}
