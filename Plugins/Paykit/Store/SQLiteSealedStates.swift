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
/// ``/PaymentCore/JournalError``: the file is opened, checked and refused as a journal's is, and is no journal.
///
/// - Warning: Never replace the file by an older copy: a channel whose state is kept here would send two different
///   messages under one number.
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
    /// - Throws: ``/PaymentCore/JournalError``; the file is as it was then.
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

    /// Returns the state that is kept under a name; nil if there is none.
    ///
    /// - Throws: ``/PaymentCore/JournalError``.
    public func state(named name: String) throws -> SealedState? {
        var number: Int64?
        var sealed: [UInt8] = []
        var part: Int64 = 0
        try database.rows(Column.self, "WHERE name = ?1 ORDER BY part", [.text(name)]) { (row) throws(JournalError) in
            let found = row.integer(.number)
            guard row.integer(.part) == part, found > 0, number.map({ $0 == found }) ?? true,
                let bytes = Data(base64Encoded: row.text(.sealed))
            else { throw row.damage("a sealed state cannot be read") }
            number = found
            part += 1
            sealed += bytes
        }
        return number.map { SealedState(number: UInt64($0), sealed: sealed) }
    }

    /// Keeps a state if its number follows that of the kept state.
    ///
    /// - Returns: true if it follows and was kept.
    /// - Throws: ``/PaymentCore/JournalError``; then nothing was kept, unless the disk failed.
    public func keep(_ state: SealedState, named name: String) throws -> Bool {
        guard let number = Int64(exactly: state.number), number > 0 else { return false }
        return try database.transaction { () throws(JournalError) in
            let known = try database.number("SELECT number FROM state WHERE name = ?1 AND part = 0", [.text(name)]) ?? 0
            guard number == known + 1 else { return false }
            try database.run("DELETE FROM state WHERE name = ?1", [.text(name)])
            // An empty state has a part as well.
            for (part, start) in stride(from: 0, to: max(1, state.sealed.count), by: Self.partLength).enumerated() {
                let bytes = state.sealed[start..<min(start + Self.partLength, state.sealed.count)]
                try database.insert(
                    Column.self,
                    Column.allCases.map { column in
                        switch column {
                        case .name: .text(name)
                        case .part: .integer(Int64(part))
                        case .number: .integer(number)
                        case .sealed: .text(Data(bytes).base64EncodedString())
                        }
                    })
            }
            return true
        }
    }
}
