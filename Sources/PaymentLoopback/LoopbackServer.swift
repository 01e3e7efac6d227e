import CMicrohttpd
import Dispatch
public import PaymentCore
public import PaymentTesting
import Synchronization

/// Serves a ``SandboxService`` over HTTP/1.1 on 127.0.0.1.
///
/// One thread moves bytes; every request is answered by its own task, and a connection sleeps while its task runs, so
/// many slow answers (long polls) need no threads. Request targets reach the service exactly as sent. Connections are
/// kept alive; one that sends nothing for 30 s is closed. Up to ``maximumConnections`` are open at once, as far as the
/// process may have so many files. A body above ``maximumBody`` is answered 413, a target that is no
/// valid URL 400, a request whose `Host` is not this server's address 421: a web page that has its own name resolved to
/// this machine gets nothing from it.
public final class LoopbackServer: Sendable {
    /// The most bytes accepted in a request body: 1 MiB.
    public static let maximumBody = 1 << 20

    /// The most connections at once.
    public static let maximumConnections = 8192

    /// `http://127.0.0.1:<port>`.
    public let baseURL: HTTPURL

    private let core: ServerCore

    /// Creates a server and starts serving `service`; port 0 picks a free port.
    ///
    /// - Throws: ``SandboxError``, naming the port.
    public init(_ service: any SandboxService, port: UInt16 = 0) throws(SandboxError) {
        var actual = port
        var problem: Int32 = 0
        let listener = sandbox_listen(&actual, &problem)
        guard listener >= 0 else {
            if problem == EADDRINUSE { throw .portInUse(port) }
            throw .cannotListen(port, String(cString: sandbox_error_text(problem)))
        }
        let origin = "http://127.0.0.1:\(actual)"
        guard let url = try? HTTPURL(origin) else { throw .cannotStart(actual) }
        baseURL = url
        core = ServerCore(service, origin: origin)
        guard core.start(listener: listener) else { throw .cannotStart(actual) }
    }

    deinit {
        core.stop()
    }

    /// Lets this process open as many files as ``maximumConnections`` need. For programs that are a server and little
    /// else: code that waits with `select` cannot be given so many.
    package static func allowManyFiles() { sandbox_allow_files(UInt32(maximumConnections) + 256) }

    /// Closes all connections, cancels the tasks that still answer, and frees the port. Waits until that is done.
    ///
    /// Must not be called from the service's own `respond`, whose connection it would wait for. Stopping twice is
    /// harmless.
    public func stop() {
        core.stop()
    }
}

/// The state that the polling thread, the answering tasks and the owner share.
final class ServerCore: Sendable {
    /// A request whose connection sleeps. The library's pointers are kept as numbers: nothing here dereferences them.
    private struct Waiting {
        let connection: UInt
        var task: Task<Void, Never>?
    }

    private struct State {
        var daemon: UInt = 0
        var isStopping = false
        var lastID: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
        var answers: [UInt64: SandboxAnswer] = [:]
        /// Bodies that are still being read.
        var streams: [UInt64: SandboxStream] = [:]
        /// Sockets by connection.
        var sockets: [UInt: Int32] = [:]
    }

    let origin: String
    /// The names of this server: its address, and others of this machine at its port.
    private let hosts: Set<String>
    private let service: any SandboxService
    private let state = Mutex(State())
    /// Signalled when the last connection closes while the server stops.
    private let emptied = DispatchSemaphore(value: 0)

    init(_ service: any SandboxService, origin: String) {
        self.service = service
        self.origin = origin
        let port = origin.split(separator: ":").last ?? ""
        hosts = Set(["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" })
    }

    /// Returns true if a `Host` field names this server.
    func isOwn(host: String) -> Bool { hosts.contains(host.lowercased()) }

    /// Starts the polling thread, which holds `self` until ``stop()``.
    func start(listener: Int32) -> Bool {
        let context = Unmanaged.passRetained(self)
        let daemon = sandbox_start_daemon(
            listener, 30, UInt32(LoopbackServer.maximumConnections), context.toOpaque(), beginExchange, handleExchange,
            endExchange, watchConnection, keepEscapes)
        guard let daemon else {
            context.release()
            return false
        }
        state.withLock { $0.daemon = UInt(bitPattern: daemon) }
        return true
    }

    func stop() {
        guard
            let daemon = state.withLock({ state in
                defer { state.daemon = 0 }
                return OpaquePointer(bitPattern: state.daemon)
            })
        else { return }
        let listener = MHD_quiesce_daemon(daemon)
        // The library (0.9.75) crashes when it is stopped while its thread refuses a malformed request, and aborts when
        // a connection still sleeps: so every connection is ended first.
        let tasks = state.withLock { state in
            state.isStopping = true
            let tasks = state.waiting.values.compactMap(\.task)
            for waiting in state.waiting.values { MHD_resume_connection(OpaquePointer(bitPattern: waiting.connection)) }
            state.waiting = [:]
            for socket in state.sockets.values { sandbox_hang_up(socket) }
            return tasks
        }
        for task in tasks { task.cancel() }
        // A connection that waits for more of its stream sleeps, too.
        for stream in state.withLock({ $0.streams.values }) { stream.finish() }
        while state.withLock({ !$0.sockets.isEmpty }), emptied.wait(timeout: .now() + .seconds(5)) == .success {}
        MHD_stop_daemon(daemon)
        if listener >= 0 { close(listener) }
        // No callback runs any more: release the object that `start` retained.
        Unmanaged.passUnretained(self).release()
    }

    /// Notes that a connection was made or, before its socket is closed, that it ends.
    func watch(_ connection: OpaquePointer, isNew: Bool) {
        let socket = isNew ? sandbox_socket(connection) : -1
        let address = UInt(bitPattern: connection)
        state.withLock { state in
            if isNew {
                state.sockets[address] = socket
                if state.isStopping { sandbox_hang_up(socket) }
            } else {
                state.sockets[address] = nil
                if state.isStopping && state.sockets.isEmpty { emptied.signal() }
            }
        }
    }

    /// Puts `connection` to sleep and starts a task that answers `request` and wakes it. Nil when the server stops.
    func begin(_ request: HTTPRequest, on connection: OpaquePointer) -> UInt64? {
        let address = UInt(bitPattern: connection)
        return state.withLock { state in
            guard !state.isStopping else { return nil }
            state.lastID += 1
            let id = state.lastID
            MHD_suspend_connection(OpaquePointer(bitPattern: address))
            // The task cannot finish before it is entered below: finishing needs this lock.
            let task = Task { finish(id, await service.answer(to: request)) }
            state.waiting[id] = Waiting(connection: address, task: task)
            return id
        }
    }

    private func finish(_ id: UInt64, _ answer: SandboxAnswer) {
        state.withLock { state in
            guard let waiting = state.waiting.removeValue(forKey: id) else { return }
            state.answers[id] = answer
            MHD_resume_connection(OpaquePointer(bitPattern: waiting.connection))
        }
    }

    /// Notes that a body is read until ``forget(_:)``. False when the server stops.
    func keep(_ stream: SandboxStream, of id: UInt64) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.streams[id] = stream
            return true
        }
    }

    /// Notes that request `id` is over.
    func forget(_ id: UInt64) {
        state.withLock { state in
            state.streams[id] = nil
            state.answers[id] = nil
        }
    }

    /// The answer of request `id`, once; nil when the server stopped before there was one.
    func takeAnswer(_ id: UInt64) -> SandboxAnswer? {
        state.withLock { $0.answers.removeValue(forKey: id) }
    }
}
