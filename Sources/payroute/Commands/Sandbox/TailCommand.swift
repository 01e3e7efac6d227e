import Dispatch
import PaymentCore
import SandboxSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `payroute sandbox tail`: the events of a running sandbox, as they happen.
enum TailCommand: Command {
    static let name = "tail"
    static let summary = "Show a running sandbox's requests, faults and ledger, live."
    static let syntax = CommandSyntax(
        path: "payroute sandbox tail",
        overview:
            "Show what happens at a running sandbox, while it happens: requests, faults, the ledger, notifications.",
        discussion: "Runs until Ctrl-C, or until the sandbox stops.",
        options: [
            PaymentOptions.sandbox,
            .init(
                name: "kind", value: "kind",
                help: "Only one kind: request, ledger, notification, step, fault or clock. (default: all)",
                values: kinds),
            .init(name: "json", help: "Print the sandbox's own JSON object per event, one line each."),
        ],
        examples: [
            .init("payroute sandbox tail --sandbox http://127.0.0.1:8080 --kind ledger", "only the money")
        ])

    private static let kinds = ["request", "ledger", "notification", "step", "fault", "clock"]

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let sandbox = try PayCommand.sandboxURL(arguments)
        let kind = try arguments.value("kind") { kinds.contains($0) ? $0 : nil }
        let isJSON = arguments.has("json")
        let stream = try EventStream(sandbox)
        let (ending, signal) = await Interrupts.run { () -> EventStream.ConnectionError? in
            await withTaskCancellationHandler {
                await withCheckedContinuation { ended in
                    // A separate thread: it waits for the network most of the time.
                    DispatchQueue.global().async {
                        var failure: EventStream.ConnectionError?
                        do throws(EventStream.ConnectionError) {
                            try stream.read("/_sandbox/events") { show($0, kind: kind, isJSON: isJSON, console) }
                        } catch { failure = error }
                        ended.resume(returning: failure)
                    }
                }
            } onCancel: {
                stream.stop()
            }
        }
        if signal != nil { return .done }
        if let ending { throw CommandError(description: ending.description) }
        if !console.output.isClosed { console.diagnostics.line("The sandbox has stopped.") }
        return .done
    }

    /// Shows one event, and returns false when the output is no longer read.
    private static func show(_ data: String, kind: String?, isJSON: Bool, _ console: Console) -> Bool {
        guard let event = try? JSONValue(parsing: data), let members = event.object else { return true }
        if let kind, event["kind"]?.string != kind { return true }
        if isJSON {
            console.output.edit { $0.addJSONLine(members) }
            console.output.flush()
        } else {
            console.output.line(line(event, console.style))
        }
        return !console.output.isClosed
    }

    /// `13:04:05  request       POST /v1/… -> 200  fault stall`.
    static func line(_ event: JSONValue, _ style: Style) -> String {
        func text(_ name: String) -> String { Printable.text(event[name]?.string ?? "") }
        let status = event["status"]?.int64
        let arrow = status.map { $0 == 0 ? " -> closed" : " -> \($0)" } ?? ""
        let fault = event["fault"]?.string.map { "fault " + Printable.text($0) } ?? ""
        let more = [text("detail"), fault, text("payment")].filter { !$0.isEmpty }.joined(separator: "  ")
        let isGood = fault.isEmpty && (status ?? 200) < 400 && status != 0
        let cells = [
            Table.Cell(String(text("at").dropFirst(11).prefix(8)), .faint), Table.Cell(text("kind"), .faint),
            Table.Cell(text("title") + arrow, isGood ? nil : .doubtful), Table.Cell(more, .faint),
        ]
        return Table.line(more.isEmpty ? Array(cells.dropLast()) : cells, [8, 12, 0, 0], style)
    }
}

// MARK: - The stream of events

/// A stream of server-sent events from a sandbox on this machine (HTML, section 9.2.6).
///
/// It uses its own socket: the transport returns whole answers, and this one never ends. The request is HTTP/1.0, so
/// that the events are not sent in chunks.
final class EventStream: Sendable {
    /// The reason why there is nothing to read.
    struct ConnectionError: Error, CustomStringConvertible {
        let description: String
    }

    /// The most bytes of one event, and of the answer's head.
    private static let limit = 1 << 20

    private let descriptor: Int32
    private let origin: String

    /// Connects.
    ///
    /// - Throws: ``ConnectionError`` if no server listens.
    init(_ base: HTTPURL) throws(ConnectionError) {
        origin = base.origin
        guard let port = UInt16(exactly: base.port) else {
            throw ConnectionError(description: "\(base.origin) has no port")
        }
        let isSix = base.host.contains(":")
        descriptor = socket(isSix ? AF_INET6 : AF_INET, Self.streamSocket, 0)
        guard descriptor >= 0 else { throw ConnectionError(description: Self.problem("no connection can be made")) }
        guard (isSix ? Self.connectSix : Self.connectFour)(descriptor, port) == 0 else {
            let problem = Self.problem("no server answers at \(base.origin)")
            close(descriptor)
            throw ConnectionError(description: "\(problem); start a sandbox with 'payroute sandbox'")
        }
    }

    deinit { close(descriptor) }

    /// Ends ``read(_:_:)``, from any task.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Requests `path` and calls `body` with the data of each event, until the other side ends or ``stop()``. Blocks.
    ///
    /// - Parameter body: Returns true to continue.
    /// - Throws: ``ConnectionError`` if the answer is not an event stream.
    func read(_ path: String, _ body: (String) -> Bool) throws(ConnectionError) {
        let host = origin.drop { $0 != "/" }.dropFirst(2)
        let request = "GET \(path) HTTP/1.0\r\nHost: \(host)\r\nAccept: text/event-stream\r\n\r\n"
        guard send(Array(request.utf8)) else {
            throw ConnectionError(description: Self.problem("\(origin) cannot be asked"))
        }
        var lines = Lines(descriptor: descriptor, limit: Self.limit)
        let status = lines.next().flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) }
        while let field = lines.next(), !field.isEmpty {}
        switch status {
        case 200: break
        case 404:
            throw ConnectionError(
                description: "what answers at \(origin) streams no events; is it a sandbox of this version?")
        case 503: throw ConnectionError(description: "the sandbox has no room for another listener")
        case let status?:
            throw ConnectionError(description: "the sandbox refused to stream its events (status \(status))")
        case nil: throw ConnectionError(description: "what answers at \(origin) is no sandbox")
        }
        var data: [String] = []
        while let line = lines.next() {
            if line.isEmpty {
                if !data.isEmpty, !body(data.joined(separator: "\n")) { return }
                data = []
            } else if line.hasPrefix("data:") {
                let value = line.dropFirst(5)
                data.append(String(value.first == " " ? value.dropFirst() : value))
            }
        }
        if lines.isOverlong { throw ConnectionError(description: "the sandbox sent an event that is too long") }
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemWrite(descriptor, $0) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    // MARK: Sockets

    #if canImport(Glibc)
        private static let streamSocket = Int32(SOCK_STREAM.rawValue)
    #else
        private static let streamSocket = SOCK_STREAM
    #endif

    private static func problem(_ what: String) -> String { "\(what): \(String(cString: strerror(errno)))" }

    private static func connectFour(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return connect(descriptor, address)
    }

    private static func connectSix(_ descriptor: Int32, _ port: UInt16) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return connect(descriptor, address)
    }

    private static func connect<Address>(_ descriptor: Int32, _ address: Address) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return systemConnect(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }

    /// Splits the received bytes into lines.
    private struct Lines {
        let descriptor: Int32
        let limit: Int
        private(set) var isOverlong = false
        private var buffer: [UInt8] = []
        /// The number of bytes at the buffer's beginning without a line's end.
        private var searched = 0

        init(descriptor: Int32, limit: Int) {
            self.descriptor = descriptor
            self.limit = limit
        }

        mutating func next() -> String? {
            while true {
                if let end = buffer[searched...].firstIndex(of: 0x0A) {
                    var line = buffer[..<end]
                    if line.last == 0x0D { line.removeLast() }
                    let text = String(decoding: line, as: UTF8.self)
                    buffer.removeSubrange(...end)
                    searched = 0
                    return text
                }
                searched = buffer.count
                guard buffer.count <= limit else {
                    isOverlong = true
                    return nil
                }
                var chunk = [UInt8](repeating: 0, count: 4096)
                let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return nil }
                buffer += chunk[..<count]
            }
        }
    }
}

// Free functions, because the members above hide the system's names.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
