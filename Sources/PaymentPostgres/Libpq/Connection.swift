import CPostgreSQL
import PaymentCore
import PaymentCrypto
import PaymentRouting
package import PaymentStore
import SocketPoll

/// One connection to a server. One task uses it at a time. It works on a separate queue, since looking up a server's
/// name blocks. An error that leaves its state unknown closes it.
actor Connection {
    /// libpq's connection, which is freed with the object.
    private final class Handle {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { cPQfinish(pointer) }
    }

    private let queue = SerialQueue("postgres-connection")
    /// False from the first sign of a pooler on. A pooler runs statements in sessions of the server that have not
    /// prepared them.
    private(set) var reusesStatements: Bool
    private var handle: Handle?
    /// The texts of the statements that the server has prepared.
    private var prepared: Set<String> = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// - Parameter reusesStatements: true if statements are prepared once for each connection, until a pooler shows.
    init(reusesStatements: Bool) { self.reusesStatements = reusesStatements }

    // MARK: Opening and closing

    /// Opens the connection.
    ///
    /// - Parameter parameters: libpq's keywords and values.
    func open(_ parameters: [(String, String)], until deadline: ContinuousClock.Instant) async throws(PostgresError) {
        guard cpq_version() != 0 else { throw .missingLibrary }
        let keywords = CStrings(parameters.map(\.0)), values = CStrings(parameters.map(\.1))
        let started = keywords.pass { keywords in values.pass { cPQconnectStartParams(keywords, $0, 0) } }
        guard let pointer = started else { throw .unreachable("out of memory") }
        let handle = Handle(pointer)
        cpq_silence(pointer)
        var polling = CPQ_POLLING_WRITING
        while polling != CPQ_POLLING_OK {
            guard cPQstatus(pointer) != CPQ_CONNECTION_BAD, polling != CPQ_POLLING_FAILED else {
                throw .unreachable(Self.message(pointer))
            }
            let (reading, writing) = (polling == CPQ_POLLING_READING, polling == CPQ_POLLING_WRITING)
            do throws(PostgresError) {
                try await wait(pointer, reading: reading, writing: writing, until: deadline)
            } catch {
                throw error == .late ? .unreachable("it did not answer in time") : error
            }
            polling = Int(cPQconnectPoll(pointer))
        }
        guard cPQsetnonblocking(pointer, 1) == 0, cPQenterPipelineMode(pointer) == 1 else {
            throw .unreachable(Self.message(pointer))
        }
        self.handle = handle
    }

    /// True if statements can be sent: it is open, as far as is known here, and in no transaction.
    var isUsable: Bool {
        guard let pointer = handle?.pointer else { return false }
        return cPQconsumeInput(pointer) == 1 && cPQstatus(pointer) == CPQ_CONNECTION_OK
            && cPQtransactionStatus(pointer) == CPQ_TRANSACTION_IDLE
    }

    func close() {
        handle = nil
        prepared = []
    }

    // MARK: Statements

    /// Sends statements together and returns the rows of each: one round trip. When the server refuses one, it leaves
    /// out the rest.
    func run(
        _ statements: [Statement], until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [Rows] {
        guard let handle else { throw .lost("it is closed") }
        do {
            let preparing = try send(statements, handle.pointer)
            try await flush(handle.pointer, until: deadline)
            let answers = try await answers(handle.pointer, until: deadline)
            return try read(answers, preparing)
        } catch {
            guard case .refused(_, let message) = error else {
                close()
                throw error
            }
            let isOpen = cPQstatus(handle.pointer) == CPQ_CONNECTION_OK
            if error.showsSharedSessions { reusesStatements = false }
            if !isOpen { close() }
            throw isOpen ? error : .lost(message)
        }
    }

    /// Ends a transaction without effect, or else the connection.
    func rollBack(until deadline: ContinuousClock.Instant) async {
        guard let handle, cPQtransactionStatus(handle.pointer) != CPQ_TRANSACTION_IDLE else { return }
        do { _ = try await run([Statement("ROLLBACK")], until: deadline) } catch { close() }
    }

    /// Waits for notifications of the channels that the connection listens to, and takes all that have arrived.
    func awaitNotification(until deadline: ContinuousClock.Instant) async throws(PostgresError) {
        guard let pointer = handle?.pointer else { throw .lost("it is closed") }
        while true {
            var isNotified = false
            while let notification = cPQnotifies(pointer) {
                cPQfreemem(notification)
                isNotified = true
            }
            if isNotified { return }
            try await wait(pointer, reading: true, writing: false, until: deadline)
            guard cPQconsumeInput(pointer) == 1 else { throw lost(pointer) }
        }
    }

    /// The answer to one message of a pipeline.
    private enum Answer {
        case rows(Rows)
        case refused(PostgresError)
        case leftOut
    }

    /// Returns the name of a statement. It follows from the statement's text, so no session has another statement under
    /// it.
    private static func name(_ text: String) -> String {
        "s_" + Hex.encode(Array(Digest.sha256.hash(Array(text.utf8)).prefix(16)))
    }

    /// - Returns: for each message that has an answer, the text of the statement that it prepares, or nil.
    private func send(
        _ statements: [Statement], _ pointer: OpaquePointer
    ) throws(PostgresError) -> [String?] {
        var messages: [String?] = []
        var known = prepared
        for statement in statements {
            let isSent: Bool
            if reusesStatements {
                let name = Self.name(statement.text)
                if known.insert(statement.text).inserted {
                    messages.append(statement.text)
                    guard cPQsendPrepare(pointer, name, statement.text, 0, nil) == 1 else { throw lost(pointer) }
                }
                isSent = Parameters(statement.values).pass {
                    cPQsendQueryPrepared(pointer, name, $0, $1, $2, $3, 1) == 1
                }
            } else {
                isSent = Parameters(statement.values).pass {
                    cPQsendQueryParams(pointer, statement.text, $0, nil, $1, $2, $3, 1) == 1
                }
            }
            messages.append(nil)
            guard isSent else { throw lost(pointer) }
        }
        guard cPQpipelineSync(pointer) == 1 else { throw lost(pointer) }
        return messages
    }

    /// Sends what libpq holds, and takes what arrives in the meantime: a server whose answers are not read stops
    /// reading.
    private func flush(
        _ pointer: OpaquePointer, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        while true {
            switch cPQflush(pointer) {
            case 0: return
            case 1: try await wait(pointer, reading: true, writing: true, until: deadline)
            default: throw lost(pointer)
            }
            guard cPQconsumeInput(pointer) == 1 else { throw lost(pointer) }
        }
    }

    /// Takes the answers up to the end of the pipeline.
    private func answers(
        _ pointer: OpaquePointer, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> [Answer] {
        var answers: [Answer] = []
        var ends = 0
        while true {
            while cPQisBusy(pointer) == 1 {
                try await wait(pointer, reading: true, writing: false, until: deadline)
                guard cPQconsumeInput(pointer) == 1 else { throw lost(pointer) }
            }
            guard let result = cPQgetResult(pointer) else {
                // One such end comes between two answers. More of them mean a connection without a pipeline.
                ends += 1
                guard ends <= 2, cPQstatus(pointer) == CPQ_CONNECTION_OK else {
                    throw refusal(answers) ?? lost(pointer)
                }
                continue
            }
            defer { cPQclear(result) }
            ends = 0
            switch Int(cPQresultStatus(result)) {
            case CPQ_PIPELINE_SYNC: return answers
            case CPQ_COMMAND_OK, CPQ_TUPLES_OK: answers.append(.rows(Rows(result)))
            case CPQ_PIPELINE_ABORTED: answers.append(.leftOut)
            default: answers.append(.refused(Self.refusal(result) ?? lost(pointer)))
            }
        }
    }

    /// Separates the rows of statements from the answers about preparing them.
    private func read(
        _ answers: [Answer], _ messages: [String?]
    ) throws(PostgresError) -> [Rows] {
        var rows: [Rows] = []
        for (answer, preparing) in zip(answers, messages) {
            guard case .rows(let found) = answer else { continue }
            if let preparing { prepared.insert(preparing) } else { rows.append(found) }
        }
        if let refusal = refusal(answers) { throw refusal }
        guard answers.count == messages.count else { throw .lost("an answer is missing") }
        return rows
    }

    private func refusal(_ answers: [Answer]) -> PostgresError? {
        for case .refused(let failure) in answers { return failure }
        return nil
    }

    // MARK: Waiting and errors

    private func wait(
        _ pointer: OpaquePointer, reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        let descriptor = cPQsocket(pointer)
        guard descriptor >= 0 else { throw lost(pointer) }
        let readiness: SocketPoll.Readiness = [reading ? .reading : [], writing ? .writing : []]
        let ending = OneShot<SocketPoll.Ending>()
        let number = SocketPoll.shared.watch(descriptor, for: readiness, until: deadline) { ending.finish($1) }
        let end = await withTaskCancellationHandler {
            await ending.value()
        } onCancel: {
            SocketPoll.shared.end(number)
        }
        switch end {
        case .ready: return
        case .late: throw .late
        case .ended: throw .cancelled
        }
    }

    private func lost(_ pointer: OpaquePointer) -> PostgresError { .lost(Self.message(pointer)) }

    /// Returns the server's reason to refuse a statement: its code and main message. Details, which may quote stored
    /// data, are left out.
    private static func refusal(_ result: OpaquePointer) -> PostgresError? {
        guard let code = cPQresultErrorField(result, Int32(CPQ_FIELD_SQLSTATE)) else { return nil }
        let message = cPQresultErrorField(result, Int32(CPQ_FIELD_MESSAGE)).map { String(cString: $0) } ?? ""
        return .refused(code: String(cString: code), message: line(message))
    }

    /// Returns libpq's last message about the connection, in one line.
    private static func message(_ pointer: OpaquePointer) -> String {
        line(cPQerrorMessage(pointer).map { String(cString: $0) } ?? "")
    }

    private static func line(_ text: String) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ").prefix(300)
        return words.isEmpty ? "it gives no reason" : String(words)
    }
}

/// One statement and its values, which are `$1` and so on in its text.
package struct Statement: Sendable {
    package let text: String
    package let values: [Database.Value]

    package init(_ text: String, _ values: [Database.Value] = []) {
        self.text = text
        self.values = values
    }
}

/// The values of one statement as libpq sends them, in binary: numbers and dates keep every bit, and texts every byte.
/// A text is sent as its UTF-8, for columns of the types `bytea` and `text`. Numbers have eight bytes.
struct Parameters {
    private var bytes: [UInt8] = []
    /// The place of each value in `bytes`; nil for null.
    private var places: [Int?] = []
    private var lengths: [Int32] = []

    init(_ values: [Database.Value]) {
        for value in values {
            let start = bytes.count
            switch value {
            case .text(let text): bytes += text.utf8
            case .bytes(let value): bytes += value
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes += $0 }
            case .null: break
            }
            if case .null = value { places.append(nil) } else { places.append(start) }
            lengths.append(Int32(clamping: bytes.count - start))
        }
        // An empty text needs an address too.
        bytes.append(0)
    }

    /// Calls `body` with the number of the values, their addresses, lengths and formats.
    func pass<Result>(
        to body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.bindMemory(to: CChar.self).baseAddress
            let addresses: [UnsafePointer<CChar>?] = places.map { place in place.flatMap { start?.advanced(by: $0) } }
            let formats = [Int32](repeating: 1, count: places.count)
            return addresses.withUnsafeBufferPointer { addresses in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer {
                        body(Int32(places.count), addresses.baseAddress, lengths.baseAddress, $0.baseAddress)
                    }
                }
            }
        }
    }
}

/// The rows that a statement returned.
package struct Rows: Sendable {
    package let cells: [BinaryCells]

    /// Copies what libpq read.
    init(_ result: OpaquePointer) {
        let columns = cPQnfields(result)
        cells = (0..<cPQntuples(result)).map { row in
            BinaryCells(
                values: (0..<columns).map { column in
                    guard cPQgetisnull(result, row, column) == 0, let start = cPQgetvalue(result, row, column) else {
                        return nil
                    }
                    let count = Int(cPQgetlength(result, row, column))
                    return Array(UnsafeRawBufferPointer(start: start, count: count))
                })
        }
    }

    package var isEmpty: Bool { cells.isEmpty }

    /// Returns the rows as those of a table whose columns the statement selects in their order.
    package func of<Column: StoredColumn>(_: Column.Type, _ path: String) -> [Row<Column>] {
        let columns = Column.allCases
        return cells.map { Row($0, of: path, columns: columns) }
    }
}

/// One row in the server's binary format.
package struct BinaryCells: RowCells, Sendable {
    let values: [[UInt8]?]

    package func bytes(_ place: Int32) -> [UInt8] {
        values.indices.contains(Int(place)) ? values[Int(place)] ?? [] : []
    }

    /// Returns a number or a truth value of any width.
    package func integer(_ place: Int32) -> Int64 {
        let bytes = bytes(place)
        guard let first = bytes.first else { return 0 }
        return bytes.reduce(first > 0x7F ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    package func real(_ place: Int32) -> Double {
        Double(bitPattern: bytes(place).reduce(0) { $0 << 8 | UInt64($1) })
    }

    package func isNull(_ place: Int32) -> Bool { !values.indices.contains(Int(place)) || values[Int(place)] == nil }

    package func text(_ place: Int32) -> String { String(decoding: bytes(place), as: UTF8.self) }
}

/// Why a server did not do what it was asked.
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

    /// True if the same may succeed on another connection, or a moment later. A repeated call looks first for what it
    /// may have done before.
    var mayPass: Bool {
        switch self {
        case .unreachable, .lost: true
        case .missingLibrary, .late, .cancelled, .closed: false
        case .refused(let code, _): Self.passing.contains { code.hasPrefix($0) } || showsSharedSessions
        }
    }

    /// True if it shows that sessions of the server are shared, as behind a pooler in transaction mode: a prepared
    /// statement is missing, or there before it was prepared. Its transaction was not made.
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

/// Texts as a list that C reads, ended by a null address.
private struct CStrings {
    private var bytes: [CChar] = []
    private var places: [Int] = []

    init(_ texts: [String]) {
        for text in texts {
            places.append(bytes.count)
            bytes += text.utf8CString
        }
    }

    func pass<Result>(to body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            let addresses = places.map { buffer.baseAddress?.advanced(by: $0) } + [nil]
            return addresses.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }
}
