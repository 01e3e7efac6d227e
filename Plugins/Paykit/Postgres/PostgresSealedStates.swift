import Foundation
public import PaykitProvider
import PaymentCore
public import PaymentPostgres
public import PaymentRouting
import PaymentStore

/// Sealed states, such as those of Paykit's private links, in a PostgreSQL database, shared by the workers of several
/// machines.
///
/// A kept state is on the server's disk when the call returns; of several callers that follow the same state, one
/// succeeds. Only the holder of the sealing key reads the contents. A restored backup is noticed by the first poll, as
/// an older copy of a file is, and costs each link a new handshake.
public struct PostgresSealedStates: SealedStateStore {
    private let store: PostgresStore
    private let tables: Tables
    private let random: any RandomSource = SystemRandomSource()
    private var table: String { "\(store.schema).state" }

    /// Creates a store of states, and its tables where they are missing.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public init(_ store: PostgresStore) async throws(JournalError) {
        self.store = store
        tables = Tables(store.schema)
        try await store.migrate(.paykit)
    }

    /// Returns the state that is kept under a name and all its rows, by name, as they were at one moment.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func states(named name: String) async throws -> [String: SealedState] {
        // A row's name begins with the name and a slash, which '0' follows.
        let rows = try await store.rows(
            Statement(
                "SELECT name, number, sealed FROM \(table) WHERE name = $1 OR (name > $2 AND name < $3)",
                [.text(name), .text(name + "/"), .text(name + "0")]))
        var states: [String: SealedState] = [:]
        for cells in rows.cells {
            let number = cells.integer(1)
            guard number > 0, let bytes = Data(base64Encoded: cells.text(2)) else {
                throw JournalError.damaged(path: store.path, detail: "a sealed state cannot be read")
            }
            states[cells.text(0)] = SealedState(number: UInt64(number), sealed: Array(bytes))
        }
        return states
    }

    /// Keeps and removes states in one step if the number of each follows that of the kept state.
    ///
    /// - Returns: true if they follow and were kept; false if nothing has changed.
    /// - Throws: ``/PaymentRouting/JournalError``; all of it may have been kept, or nothing.
    public func keep(_ states: [String: SealedState], removing names: [String]) async throws -> Bool {
        let write = random.hex(32)
        let new = states.sorted { $0.key < $1.key }
        // One lock for all: a state that is not there yet has no row to lock.
        let looks =
            [tables.locking(.other("states"))]
            + new.map { Statement("SELECT number, write FROM \(table) WHERE name = $1", [.text($0.key)]) }
        var statements: [Statement] = []
        for (name, state) in new {
            guard let number = Int64(exactly: state.number), number > 0 else { return false }
            statements.append(
                Statement(
                    """
                    INSERT INTO \(table) (name, number, sealed, write) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (name) DO UPDATE
                    SET number = excluded.number, sealed = excluded.sealed, write = excluded.write
                    """,
                    [.text(name), .integer(number), .text(Data(state.sealed).base64EncodedString()), .text(write)]))
        }
        for name in names { statements.append(Statement("DELETE FROM \(table) WHERE name = $1", [.text(name)])) }
        return try await store.transaction(looks) { [statements] rows in
            let known = rows.dropFirst().map { $0.cells.first }
            // Removed states are not looked for: the transaction that kept the others has removed them.
            if let first = known.first, first?.text(1) == write { return .nothing(true) }
            for ((_, state), cells) in zip(new, known) where UInt64(cells?.integer(0) ?? 0) + 1 != state.number {
                return .nothing(false)
            }
            return .write(statements, true)
        }
    }
}
