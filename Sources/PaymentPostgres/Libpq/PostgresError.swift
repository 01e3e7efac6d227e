import PaymentRouting

/// The reason for which a server did not do what it was asked.
enum PostgresError: Error, Hashable {
    /// libpq is not installed, or too old.
    case missingLibrary
    /// No connection was opened; nothing was sent.
    case unreachable(String)
    /// The connection was lost. What was sent may have been done, or may still be.
    case lost(String)
    /// There was no answer in time.
    case late
    /// The task was cancelled.
    case cancelled
    /// The server refused a statement: its code (SQLSTATE, PostgreSQL's appendix A) and message.
    case refused(code: String, message: String)
    /// The store was closed.
    case closed

    /// True if the same may succeed on another connection, or a moment later. What is repeated then looks first for
    /// what it may have done before.
    var mayPass: Bool {
        switch self {
        case .unreachable, .lost: true
        case .missingLibrary, .late, .cancelled, .closed: false
        case .refused(let code, _): Self.passing.contains { code.hasPrefix($0) } || showsSharedSessions
        }
    }

    /// True if it shows that sessions of the server are shared, as behind a pooler in transaction mode: a prepared
    /// statement is missing, or there before it was prepared. The transaction that it was for was not made.
    var showsSharedSessions: Bool {
        if case .refused(let code, _) = self { ["26000", "42P05"].contains(code) } else { false }
    }

    private static let passing = [
        "08",  // The connection failed.
        "40",  // The transaction was rolled back for the sake of another.
        "57P",  // The server is starting, stopping, or was stopped.
        "53300",  // Too many connections.
        "25006",  // Read only: another server has become the primary one.
        "23505",  // Another transaction stored the same meanwhile: a second look shows it.
    ]

    /// Returns the error of a journal.
    ///
    /// - Parameter timeout: the time for which the call was repeated.
    func error(_ path: String, timeout: Duration) -> JournalError {
        switch self {
        case .missingLibrary:
            .inaccessible(
                path: path, detail: "libpq 14 or later is missing; install it, on Debian by apt-get install libpq5")
        case .unreachable(let detail):
            .inaccessible(path: path, detail: "the server cannot be reached (\(detail)); check its address and state")
        case .lost(let detail):
            .inaccessible(
                path: path,
                detail: "the connection was lost (\(detail)); what was written last is stored or not: read it first")
        case .late:
            .inaccessible(
                path: path,
                detail:
                    "the server did not answer within \(timeout); what was written last is stored or not: read it first"
            )
        case .cancelled: .inaccessible(path: path, detail: "reading it was cancelled")
        case .closed: .inaccessible(path: path, detail: "it was closed by this program")
        case .refused("55P03", _): .locked(path: path, waited: PostgresStore.lockTimeout)
        case .refused("53100", _): .full(path: path)
        case .refused("54000", _): .tooLarge(path: path, bytes: 0, limit: PostgresStore.keyLimit)
        case .refused("42P01", let message), .refused("42703", let message), .refused("3F000", let message):
            .unexpectedSchema(path: path, detail: message)
        case .refused(let code, let message): .inaccessible(path: path, detail: "\(message) (SQLSTATE \(code))")
        }
    }
}
