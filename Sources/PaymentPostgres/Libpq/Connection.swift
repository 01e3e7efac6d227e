import CPostgreSQL
import PaymentCore
import PaymentCrypto
import PaymentRouting
import PaymentStore
import SocketPoll

/// One connection to a server, which one task uses at a time. It works on a separate queue, since looking up a
/// server's name blocks. An error that leaves its state unknown closes it.
actor Connection {
    /// libpq's connection, which is freed with the object.
    private final class Handle {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { self.pointer = pointer }

        deinit { cPQfinish(pointer) }
    }

    private let queue = SerialQueue("postgres-connection")
    /// False from the first sign of a pooler on, which has other sessions of the server do what this one has prepared.
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

    /// Closes the connection.
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

    /// The name of a statement follows from its text, so that no session has another one under it.
    private static func name(_ text: String) -> String {
        "s_" + Hex.encode(Array(Digest.sha256.hash(Array(text.utf8)).prefix(16)))
    }

    /// - Returns: for each message that has an answer, the text of the statement that it prepares, if it does.
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

    /// Sends what libpq holds, and takes what arrives meanwhile: a server whose answers are not read stops reading.
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
                // One stands between two answers. More than that is a connection without a pipeline.
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

    /// The server's reason to refuse a statement: its code and main message. Details, which may quote what is stored,
    /// are left out.
    private static func refusal(_ result: OpaquePointer) -> PostgresError? {
        guard let code = cPQresultErrorField(result, Int32(CPQ_FIELD_SQLSTATE)) else { return nil }
        let message = cPQresultErrorField(result, Int32(CPQ_FIELD_MESSAGE)).map { String(cString: $0) } ?? ""
        return .refused(code: String(cString: code), message: line(message))
    }

    /// Libpq's last message about the connection, in one line.
    private static func message(_ pointer: OpaquePointer) -> String {
        line(cPQerrorMessage(pointer).map { String(cString: $0) } ?? "")
    }

    private static func line(_ text: String) -> String {
        let words = text.split { $0.isWhitespace }.joined(separator: " ").prefix(300)
        return words.isEmpty ? "it gives no reason" : String(words)
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
