package import PaymentCore
public import PaymentRouting
package import PaymentStore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The tables of one deployment in a PostgreSQL database. The journals of any number of processes and machines share
/// them.
///
/// ```swift
/// let store = try await PostgresStore(PostgresConfiguration(url: url))
/// let router = PaymentRouter(registry: registry, transport: transport, journal: PostgresJournal(store))
/// ```
///
/// Every write is one transaction. Its first part locks and looks, its second part writes and commits. When the answer
/// to a commit is lost, the transaction is begun again on another connection. Each write has a random name, stored with
/// it. The look finds a committed write by that name, so the result is not guessed, and nothing is written twice.
public final class PostgresStore: Sendable {
    /// The clock that ends leases.
    package enum Clock: Sendable {
        /// The server's, because a worker's may be wrong.
        case server
        /// The caller's, for tests that play hours in a moment.
        case caller
        /// One of a simulation, which stands for the server's.
        case simulated(any PaymentClock)
    }

    /// The longest wait for a lock. Others hold one for the moments of a transaction.
    static let lockTimeout = Duration.seconds(5)
    /// The maximum number of bytes of an attempt's id, which an index holds.
    static let keyLimit = 2_700

    let clock: Clock
    /// The database's name in errors.
    package let path: String
    package let schema: String
    private let pool: ConnectionPool
    private let timeout: Duration

    /// Connects to a database, checks its tables, and makes or updates them if needed.
    ///
    /// - Throws: ``JournalError`` when the server cannot be reached or is not reliable, or when the schema holds
    ///   something else, or was made by a newer version.
    public convenience init(_ configuration: PostgresConfiguration) async throws(JournalError) {
        try await self.init(configuration, clock: .server)
    }

    package init(_ configuration: PostgresConfiguration, clock: Clock) async throws(JournalError) {
        self.clock = clock
        path = configuration.path
        schema = configuration.schema
        timeout = configuration.timeout
        pool = ConnectionPool(
            try configuration.parameters(), most: configuration.mostConnections,
            reusesStatements: configuration.reusesStatements)
        try await Migration.check(self)
        try await migrate(Tables.journals)
    }

    /// Makes or updates the tables of a part.
    package func migrate(_ part: PostgresTables) async throws(JournalError) { try await Migration(self, part).run() }

    /// Closes the connections. A call that is in progress is completed.
    public func close() { pool.close() }

    /// Opens a connection for the notifications of a channel.
    func listen(to channel: String) async throws -> Connection {
        let deadline = ContinuousClock.now + timeout
        let connection = try await pool.separate(until: deadline)
        _ = try await connection.run([Statement("LISTEN \(channel)")], until: deadline)
        return connection
    }

    // MARK: Time

    /// A date as the server keeps it: seconds from the beginning of 2001, in UTC.
    static let serverNow = "extract(epoch FROM clock_timestamp())::double precision - 978307200"

    /// Returns the present date in SQL: the value at a place (``time(_:)``), or the server's date if that is null.
    package static func now(_ place: Int) -> String { "coalesce($\(place)::double precision, \(serverNow))" }

    /// Returns the time of a statement in SQL. It is constant, so an index can be searched for it.
    static func statementNow(_ place: Int) -> String {
        "coalesce($\(place)::double precision, "
            + "extract(epoch FROM statement_timestamp())::double precision - 978307200)"
    }

    /// Returns the value for ``now(_:)``.
    ///
    /// - Parameter date: the caller's time; nil if it has none.
    package func time(_ date: Date?) -> Database.Value {
        switch clock {
        case .server: .null
        case .caller: date.map { .real($0.timeIntervalSinceReferenceDate) } ?? .null
        case .simulated(let clock): .real(clock.now.timeIntervalSinceReferenceDate)
        }
    }

    // MARK: Statements

    /// Returns the rows of one statement. The statement may be run several times: it reads, or has no further effect.
    ///
    /// - Parameters:
    ///   - isRepeated: false if the first failure counts.
    ///   - isCompleted: false if it ends with its task.
    package func rows(
        _ statement: Statement, isRepeated: Bool = true, isCompleted: Bool = true
    ) async throws(JournalError) -> Rows {
        let call = { @Sendable [self] in
            try await repeating(isRepeated) { try await $0.run([statement], until: $1)[0] }
        }
        do { return isCompleted ? try await completing(call) : try await call() } catch let error as JournalError {
            throw error
        } catch {
            throw .inaccessible(path: path, detail: "\(error)")
        }
    }

    /// The second part of a transaction.
    package enum Decision<Answer: Sendable>: Sendable {
        /// Writes, and commits.
        case write([Statement], Answer)
        /// Leaves everything as it was.
        case nothing(Answer)
    }

    /// Makes a transaction.
    ///
    /// - Parameters:
    ///   - looks: the statements that lock what is about to change, and read what decides. They may change rows, too.
    ///   - decide: returns what to write, from the rows of each look. It may be called again with other rows. What it
    ///     throws ends the transaction without effect.
    package func transaction<Answer: Sendable>(
        _ looks: [Statement], _ decide: @escaping @Sendable ([Rows]) throws -> Decision<Answer>
    ) async throws -> Answer {
        try await completing { [self] in
            try await repeating { try await Self.transact(looks, decide, $0, until: $1) }
        }
    }

    private static func transact<Answer: Sendable>(
        _ looks: [Statement], _ decide: @Sendable ([Rows]) throws -> Decision<Answer>, _ connection: Connection,
        until deadline: ContinuousClock.Instant
    ) async throws -> Answer {
        do {
            let rows = try await connection.run(beginning + looks, until: deadline)
            switch try decide(Array(rows.dropFirst(beginning.count))) {
            case .write(let statements, let answer):
                _ = try await connection.run(statements + [Statement("COMMIT")], until: deadline)
                return answer
            case .nothing(let answer):
                await connection.rollBack(until: deadline)
                return answer
            }
        } catch {
            await connection.rollBack(until: deadline)
            throw error
        }
    }

    /// Each statement sees what others committed before it. The commit is on the disk when it returns, and on that of a
    /// synchronous replica if the server has one. A client that disappears during the transaction holds its locks only
    /// for seconds.
    private static let beginning = [
        Statement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
        Statement(
            """
            SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true),
                set_config('lock_timeout', '\(Int(lockTimeout / .milliseconds(1)))', true),
                set_config('idle_in_transaction_session_timeout', '3000', true)
            """),
    ]

    /// Repeats a call while its failure may pass.
    private func repeating<Value: Sendable>(
        _ isRepeated: Bool = true,
        _ body: @escaping @Sendable (Connection, ContinuousClock.Instant) async throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + timeout
        var pause = Duration.milliseconds(10)
        while true {
            do {
                return try await pool.with(until: deadline) { try await body($0, deadline) }
            } catch let failure as PostgresError {
                guard isRepeated && failure.mayPass || failure.showsSharedSessions, .now + pause < deadline,
                    !Task.isCancelled
                else {
                    throw failure.error(path, timeout: timeout)
                }
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(1))
        }
    }

    /// Completes a call even if its task is cancelled. A journal's reads and writes of a payment do not depend on
    /// callers that still wait.
    private func completing<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        try await Task { try await call() }.value
    }
}
