import Dispatch
import PaymentCore
import PaymentRouting
import Synchronization

/// Connections to one database, opened when they are needed and kept for the next user.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
        /// False once a pooler has shown.
        var reusesStatements: Bool
    }

    private let parameters: Redacted<[(String, String)]>
    private let permits: Permits
    private let state: Mutex<State>

    /// - Parameter parameters: libpq's keywords and values.
    init(_ parameters: [(String, String)], most: Int, reusesStatements: Bool) {
        self.parameters = Redacted(parameters)
        state = Mutex(State(reusesStatements: reusesStatements))
        permits = Permits(most)
    }

    /// Provides a connection that no other task uses.
    ///
    /// - Throws: ``PostgresError`` when there is none, and any error of `body`.
    func with<Value: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: @Sendable (Connection) async throws -> Value
    ) async throws -> Value {
        guard await permits.take(until: deadline) else { throw PostgresError.late }
        defer { permits.give() }
        let connection = try await connection(until: deadline)
        let result: Result<Value, any Error>
        do { result = .success(try await body(connection)) } catch { result = .failure(error) }
        if await !connection.reusesStatements { state.withLock { $0.reusesStatements = false } }
        if await connection.isUsable { keep(connection) }
        return try result.get()
    }

    private func connection(until deadline: ContinuousClock.Instant) async throws -> Connection {
        while let idle = try takeIdle() {
            if await idle.isUsable { return idle }
        }
        return try await open(until: deadline)
    }

    /// Opens a connection that belongs to the caller, and not to the pool.
    ///
    /// - Throws: ``PostgresError``.
    func separate(until deadline: ContinuousClock.Instant) async throws -> Connection {
        guard !state.withLock({ $0.isClosed }) else { throw PostgresError.closed }
        return try await open(until: deadline)
    }

    private func open(until deadline: ContinuousClock.Instant) async throws -> Connection {
        let connection = Connection(reusesStatements: state.withLock { $0.reusesStatements })
        try await connection.open(parameters.reveal(), until: deadline)
        return connection
    }

    private func takeIdle() throws(PostgresError) -> Connection? {
        let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
        guard !isClosed else { throw .closed }
        return idle
    }

    private func keep(_ connection: Connection) {
        state.withLock { state in
            if !state.isClosed { state.idle.append(connection) }
        }
    }

    /// Closes the connections: those in use when their users are done.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
        }
    }
}

/// The rights to use a limited number of things at the same time, passed on in the order of the requests.
final class Permits: Sendable {
    private struct State {
        var free: Int
        var tickets = 0
        var waiting: [(ticket: Int, answer: OneShot<Bool>)] = []
    }

    private let state: Mutex<State>
    private static let queue = DispatchQueue(label: "postgres-permits")

    init(_ count: Int) { state = Mutex(State(free: max(count, 1))) }

    /// Waits for a permit.
    ///
    /// - Returns: false if there was none by the deadline.
    func take(until deadline: ContinuousClock.Instant) async -> Bool {
        let answer = OneShot<Bool>()
        let ticket: Int? = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            state.tickets += 1
            state.waiting.append((state.tickets, answer))
            return state.tickets
        }
        guard let ticket else { return true }
        let item = DispatchWorkItem { [weak self] in self?.expire(ticket) }
        Self.queue.asyncAfter(deadline: .now() + max((deadline - .now) / .seconds(1), 0), execute: item)
        defer { item.cancel() }
        return await answer.value()
    }

    /// Passes the permit to the task that has waited longest, or frees it.
    func give() {
        let next: OneShot<Bool>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().answer }
            state.free += 1
            return nil
        }
        next?.finish(true)
    }

    private func expire(_ ticket: Int) {
        let answer: OneShot<Bool>? = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: place).answer
        }
        answer?.finish(false)
    }
}
