import PaykitSandbox
import PaymentCore
import PaymentTesting
import Synchronization

/// One wallet's connection to both homeservers: it loses requests and answers, sends some twice, and delivers some much
/// later.
final class LinkLine: HTTPTransport {
    private struct State {
        var late: [HTTPRequest] = []
        var isDead = false
        var breaches: Set<String> = []
        var requests = 0
    }

    private let sandbox: PubkySandbox
    private let fate: LinkFate
    /// The texts that must not be readable on a homeserver.
    private let secrets: @Sendable () -> [String]
    private let state = Mutex(State())

    init(_ sandbox: PubkySandbox, _ fate: LinkFate, secrets: @escaping @Sendable () -> [String]) {
        self.sandbox = sandbox
        self.fate = fate
        self.secrets = secrets
    }

    var breaches: Set<String> { state.withLock { $0.breaches } }
    var requests: Int { state.withLock { $0.requests } }
    /// Connects a new process; delayed requests stay delayed.
    func revive() { state.withLock { $0.isDead = false } }
    var isDead: Bool { state.withLock { $0.isDead } }
    func die() { state.withLock { $0.isDead = true } }

    /// Delivers the delayed requests, as if a server processed a request long after its sender had abandoned it.
    func bringLate() async {
        let late = state.withLock { state in
            defer { state.late = [] }
            return state.late
        }
        for request in late { _ = await sandbox.answer(to: request) }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let origin = request.url.origin
        guard !isDead else { throw TransportError(.notSent, .cancelled, origin: origin) }
        state.withLock { $0.requests += 1 }
        look(request)
        if fate.happens(15) {
            die()
            throw TransportError(.notSent, .cancelled, origin: origin)
        }
        if fate.happens(40) { throw TransportError(.notSent, .connectFailed("refused"), origin: origin) }
        let changes = request.method == .put || request.method == .delete
        if changes, fate.happens(20) {
            state.withLock { $0.late.append(request) }
            throw TransportError(.maybeSent, .timedOut, origin: origin)
        }
        guard case .response(let response) = await sandbox.answer(to: request) else {
            throw TransportError(.maybeSent, .connectionLost("closed by the server"), origin: origin)
        }
        if changes, fate.happens(20) { _ = await sandbox.answer(to: request) }
        if changes, fate.happens(10) { state.withLock { $0.late.append(request) } }
        if fate.happens(15) {
            die()
            throw TransportError(.maybeSent, .cancelled, origin: origin)
        }
        if fate.happens(40) { throw TransportError(.maybeSent, .timedOut, origin: origin) }
        if fate.happens(10) { return HTTPResponse(status: 500) }
        return response
    }

    /// Checks that a request reveals no private text.
    private func look(_ request: HTTPRequest) {
        guard request.method == .put else { return }
        let text = String(decoding: request.body, as: UTF8.self)
        for secret in secrets() where text.contains(secret) {
            state.withLock { _ = $0.breaches.insert("a homeserver can read what is said privately") }
        }
    }
}
