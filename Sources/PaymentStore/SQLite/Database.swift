import Dispatch
import PaymentCore
package import PaymentRouting

#if canImport(SQLite3)
    import SQLite3
#elseif canImport(CSQLite)
    import CSQLite
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One connection to an SQLite file. Its owner uses it from one place at a time.
package final class Database {
    package let path: String
    /// The longest text that is stored or read, in bytes. It is far longer than any text of a payment.
    package static let valueLimit = 1 << 20
    /// The longest wait for another process that writes. A stopped process delays all others.
    package static let timeout = Duration.seconds(5)

    private let timeout: Duration
    private let watch: StatementWatch
    private let place: FilePlace?
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// The ways to open a file.
    package enum Purpose {
        /// To read and write, with all the locks that this takes.
        case use
        /// To look at it without changing anything, not even to tidy up after a crash.
        case look
    }

    /// Opens the file, which must exist.
    ///
    /// - Parameters:
    ///   - longest: the longest row that is read or written, in bytes.
    ///   - limit: the longest that a statement may take.
    package init(
        path: String, to purpose: Purpose = .use, timeout: Duration = timeout, longest: Int = valueLimit + 65_536,
        limit: Duration = StatementWatch.limit
    ) throws(JournalError) {
        var opened: OpaquePointer?
        let code =
            switch purpose {
            case .use: sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
            case .look:
                sqlite3_open_v2(
                    Self.lookingAddress(path), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI,
                    nil
                )
            }
        guard let opened else { throw .inaccessible(path: path, detail: "out of memory") }
        guard code == SQLITE_OK else {
            defer { sqlite3_close_v2(opened) }
            // The system has a more precise error than "cannot be opened", such as a missing permission.
            let reason = sqlite3_system_errno(opened)
            guard code & 0xFF == SQLITE_CANTOPEN, reason != 0 else { throw Self.error(code, path, timeout) }
            throw .inaccessible(path: path, detail: String(cString: strerror(reason)))
        }
        self.path = path
        self.timeout = timeout
        watch = StatementWatch(limit: limit)
        handle = opened
        // Noted after SQLite has opened the file, and only if it is the one that SQLite has.
        place = purpose == .use ? FilePlace(path) : nil
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(clamping: Int(timeout / .milliseconds(1))))
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: longest))
        sqlite3_progress_handler(
            handle, StatementWatch.interval,
            { watch in
                guard let watch else { return 0 }
                return Unmanaged<StatementWatch>.fromOpaque(watch).takeUnretainedValue().isOver ? 1 : 0
            }, Unmanaged.passUnretained(watch).toOpaque())
        #if canImport(CSQLite)
            let refusal = csqlite_defend(handle)
            guard refusal == SQLITE_OK else { throw Self.error(refusal, path, timeout) }
        #endif
        try execute("PRAGMA trusted_schema = OFF")
        if purpose == .use { try checkPlace() }
    }

    /// - Throws: ``JournalError/replaced(path:)`` when the path leads to another file by now, or to none. Other
    ///   processes that open it would not see what is written to this one.
    private func checkPlace() throws(JournalError) {
        var hasMoved: Int32 = 0
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard hasMoved == 0, place?.isUnchanged ?? true else { throw .replaced(path: path) }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs statements that take and return nothing.
    package func execute(_ sql: String) throws(JournalError) {
        watch.begin()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, path, timeout) }
    }

    /// Runs statements whose time grows with the size of the file.
    package func withoutLimit<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        watch.isLimited = false
        defer { watch.isLimited = true }
        return try body()
    }

    /// Runs one statement with its values and passes it to `body` at each of its rows.
    package func forEach(
        _ sql: String, _ values: [Value] = [], _ body: (OpaquePointer) throws(JournalError) -> Void
    ) throws(JournalError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, statement, Int32(index + 1)) }
        watch.begin()
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw Self.error(code, path, timeout) }
            try body(statement)
        }
    }

    /// Runs one statement with its values.
    package func run(_ sql: String, _ values: [Value] = []) throws(JournalError) {
        try forEach(sql, values) { _ in }
    }

    /// Returns the only column of the first row, as a number.
    package func number(_ sql: String, _ values: [Value] = []) throws(JournalError) -> Int64? {
        try numbers(sql, values).first
    }

    /// Returns the only column of all rows, as numbers.
    package func numbers(_ sql: String, _ values: [Value] = []) throws(JournalError) -> [Int64] {
        var numbers: [Int64] = []
        try forEach(sql, values) { (row) throws(JournalError) in numbers.append(sqlite3_column_int64(row, 0)) }
        return numbers
    }

    /// Returns the only column of all rows, as texts.
    package func texts(_ sql: String, _ values: [Value] = []) throws(JournalError) -> [String] {
        var texts: [String] = []
        try forEach(sql, values) { (row) throws(JournalError) in texts.append(Self.text(row, 0)) }
        return texts
    }

    /// The rows that the last statement changed.
    package var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs `body` with the file locked for writing. All of it takes effect, or nothing.
    package func transaction<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            try checkPlace()
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // A full disk may have rolled back already. Then there is nothing left to undo.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs statements that read, all of them at one moment.
    package func reading<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        try execute("BEGIN")
        let result: Swift.Result<Result, JournalError>
        do { result = .success(try body()) } catch { result = .failure(error) }
        if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
        return try result.get()
    }

    /// Makes a transaction without waiting for the disk, in a file whose transactions wait for it otherwise. A loss of
    /// power may undo it.
    package func unsynced<Result>(_ body: () throws(JournalError) -> Result) throws(JournalError) -> Result {
        try execute("PRAGMA synchronous = NORMAL")
        let result: Swift.Result<Result, JournalError>
        do { result = .success(try transaction(body)) } catch { result = .failure(error) }
        try execute("PRAGMA synchronous = FULL")
        return try result.get()
    }

    /// Runs `body` as a part of a transaction. All of it takes effect with the transaction, or nothing.
    ///
    /// - Returns: the result of the part.
    /// - Throws: an error when the whole transaction has no effect.
    package func part(_ body: () throws(JournalError) -> Void) throws(JournalError) -> Result<Void, JournalError> {
        try execute("SAVEPOINT part")
        do {
            try body()
            try execute("RELEASE part")
            return .success(())
        } catch {
            // A full disk may have rolled back everything.
            guard sqlite3_get_autocommit(handle) == 0 else { throw error }
            try execute("ROLLBACK TO part; RELEASE part")
            return .failure(error)
        }
    }

    // MARK: Values

    /// A value of a statement's parameter.
    package enum Value: Sendable {
        case text(String)
        case bytes([UInt8])
        case integer(Int64)
        case real(Double)
        case null
    }

    /// Returns the text at a place of a row, empty if there is none.
    package static func text(_ statement: OpaquePointer, _ place: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement, place) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, place))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Returns SQLite's `file:` form of a path (sqlite.org/uri.html), with the parameter that forbids every change.
    private static func lookingAddress(_ path: String) -> String {
        let unreserved = { (byte: UInt8) in
            byte.isASCIILetter || byte.isASCIIDigit || "/._-".utf8.contains(byte)
        }
        return "file:" + PercentCoding.encode(path, keeping: unreserved) + "?immutable=1"
    }

    private func prepared(_ sql: String) throws(JournalError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw Self.error(code, path, timeout) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: Value, _ statement: OpaquePointer, _ index: Int32) throws(JournalError) {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(statement, index)
        case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
        case .real(let number): code = sqlite3_bind_double(statement, index, number)
        case .bytes(let bytes):
            code = bytes.withUnsafeBytes { buffer in
                // A blob without an address would be null.
                buffer.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(
                        statement, index, buffer.baseAddress, Int32(clamping: buffer.count), Self.copies)
            }
        case .text(var text):
            guard text.utf8.count <= Self.valueLimit else {
                throw .tooLarge(path: path, bytes: text.utf8.count, limit: Self.valueLimit)
            }
            code = text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(
                        statement, index, $0.baseAddress ?? Self.empty, Int32(clamping: $0.count), Self.copies)
                }
            }
        }
        guard code == SQLITE_OK else { throw Self.error(code, path, timeout) }
    }

    /// SQLite copies a value, which does not outlive its binding.
    private static var copies: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    // An empty text needs an address too. Without one SQLite stores null.
    private static var empty: UnsafePointer<CChar> {
        UnsafeRawPointer(("" as StaticString).utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func error(_ code: Int32, _ path: String, _ timeout: Duration) -> JournalError {
        let detail = String(cString: sqlite3_errstr(code))
        switch code & 0xFF {
        case SQLITE_FULL: return .full(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path, waited: timeout)
        case SQLITE_TOOBIG: return .tooLarge(path: path, bytes: 0, limit: valueLimit)
        case SQLITE_CORRUPT: return .damaged(path: path, detail: detail)
        case SQLITE_NOTADB: return .notAJournal(path: path)
        case SQLITE_INTERRUPT:
            return .inaccessible(path: path, detail: "reading or writing it took too long, or was cancelled")
        default: return .inaccessible(path: path, detail: detail)
        }
    }
}

/// Ends statements that run too long. Otherwise a file that another program prepared could keep this program busy for
/// any time, and it would not notice the signal to end.
final class StatementWatch {
    /// The longest time that a statement may take. No statement of this software comes near it.
    static let limit = Duration.seconds(30)
    /// The time for which a statement may continue after its task was cancelled. Statements that record the fate of
    /// money end long before.
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

/// The identity of the file that a path leads to, noted once and compared later.
struct FilePlace {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Notes the file at `path`; nil if there is none.
    init?(_ path: String) {
        var absolute = path
        // The working directory may change.
        if !path.hasPrefix("/"), let folder = getcwd(nil, 0) {
            absolute = String(cString: folder) + "/" + path
            free(folder)
        }
        var status = stat()
        guard stat(absolute, &status) == 0 else { return nil }
        self.path = absolute
        device = status.st_dev
        number = status.st_ino
    }

    /// True if the path still leads to the same file.
    var isUnchanged: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_dev == device && status.st_ino == number
    }
}

/// An executor that runs an actor's jobs one after another on a separate queue. Waiting for a disk then blocks none of
/// the shared threads.
package final class SerialQueue: SerialExecutor {
    /// Nil in a simulation, whose one thread does all work.
    private let queue: DispatchQueue?

    package init(_ label: String) { queue = RouterTasks.executor == nil ? DispatchQueue(label: label) : nil }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        guard let queue else { return job.runSynchronously(on: executor) }
        queue.async { job.runSynchronously(on: executor) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
