import Foundation
public import PaykitProvider
import PaymentCore
public import PaymentRouting
import PaymentStore

/// Sealed states, such as those of Paykit's private links, in one SQLite file, shared safely by any number of tasks and
/// processes of one machine.
///
/// A kept state is on the disk when the call returns; of several callers that follow the same state, one succeeds. Only
/// the file's owner may read it, and only the holder of the sealing key its contents. Errors are
/// ``/PaymentRouting/JournalError``: the file is opened, checked and refused as a journal's is, and is no journal.
///
/// An older copy in place of the file is noticed by the first poll of a program, and costs each link a new handshake.
/// The states of a link's channel have names that end with `/channel`. A backup may leave them out.
public actor SQLiteSealedStates: SealedStateStore {
    private let queue = SerialQueue("sealed-states")
    private let database: Database

    /// The queue that the store works on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// Creates a store by opening the file at `path` and checking its soundness.
    ///
    /// - Parameters:
    ///   - path: the location of the file; its folder has to exist.
    ///   - creating: true to create a file that does not exist.
    /// - Throws: ``/PaymentRouting/JournalError``; the file is as it was then.
    public init(path: String, creating: Bool = true) throws(JournalError) {
        try self.init(JournalFile(path: path, isMade: creating, schema: .sealedStates))
    }

    init(_ file: JournalFile, random: any RandomSource = SystemRandomSource()) throws(JournalError) {
        database = try file.open(random.hex(16))
        try database.execute("PRAGMA synchronous = FULL")
    }

    private enum Column: String, StoredColumn {
        static let table = "state"
        case name, part, number, sealed
    }

    /// The most bytes of a part.
    private static let partLength = 480 * 1024

    /// Returns the state that is kept under a name and all its rows, by name, as they were at one moment.
    ///
    /// - Throws: ``/PaymentRouting/JournalError``.
    public func states(named name: String) throws -> [String: SealedState] {
        var parts: [String: (number: Int64, sealed: [[UInt8]])] = [:]
        // A row's name begins with the name and a slash. '0' is the character after the slash.
        try database.rows(
            Column.self, "WHERE name = ?1 OR (name > ?2 AND name < ?3) ORDER BY name, part",
            [.text(name), .text(name + "/"), .text(name + "0")]
        ) { (row) throws(JournalError) in
            let (name, number) = (row.text(.name), row.integer(.number))
            let known = parts[name]
            guard row.integer(.part) == known?.sealed.count ?? 0, number > 0,
                known.map({ $0.number == number }) ?? true,
                let bytes = Data(base64Encoded: row.text(.sealed))
            else { throw row.damage("a sealed state cannot be read") }
            parts[name, default: (number, [])].sealed.append(Array(bytes))
        }
        return parts.mapValues { SealedState(number: UInt64($0.number), sealed: Array($0.sealed.joined())) }
    }

    /// Keeps and removes states in one step if the number of each follows that of the kept state.
    ///
    /// - Returns: true if they follow and were kept; false if nothing has changed.
    /// - Throws: ``/PaymentRouting/JournalError``; then nothing was kept, unless the disk failed.
    public func keep(_ states: [String: SealedState], removing names: [String]) throws -> Bool {
        try database.transaction { () throws(JournalError) in
            for (name, state) in states {
                let known =
                    try database.number("SELECT number FROM state WHERE name = ?1 AND part = 0", [.text(name)]) ?? 0
                guard let number = Int64(exactly: state.number), number > 0, number == known + 1 else { return false }
            }
            for name in Array(states.keys) + names {
                try database.run("DELETE FROM state WHERE name = ?1", [.text(name)])
            }
            for (name, state) in states { try insert(state, name) }
            return true
        }
    }

    private func insert(_ state: SealedState, _ name: String) throws(JournalError) {
        // An empty state has a part as well.
        for (part, start) in stride(from: 0, to: max(1, state.sealed.count), by: Self.partLength).enumerated() {
            let bytes = state.sealed[start..<min(start + Self.partLength, state.sealed.count)]
            try database.insert(
                Column.self,
                Column.allCases.map { column in
                    switch column {
                    case .name: .text(name)
                    case .part: .integer(Int64(part))
                    case .number: .integer(Int64(state.number))
                    case .sealed: .text(Data(bytes).base64EncodedString())
                    }
                })
        }
    }
}

extension Schema {
    /// The table of a file of sealed states. A state is a number and as many parts as it takes.
    static let sealedStates = Schema(
        kind: .sealedStates,
        steps: [
            """
            CREATE TABLE state (
                name TEXT NOT NULL,
                part INTEGER NOT NULL,
                number INTEGER NOT NULL,
                sealed TEXT NOT NULL,
                PRIMARY KEY (name, part)
            ) STRICT, WITHOUT ROWID;
            """
        ])
}
