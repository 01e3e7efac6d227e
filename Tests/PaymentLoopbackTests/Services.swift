import PaymentCore
import PaymentTesting
import Synchronization

/// Answers with the parts of the request: method, path, query and body size.
struct EchoService: SandboxService {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let text = "\(request.method.rawValue) \(request.url.path) \(request.url.query ?? "-") \(request.body.count)"
        return HTTPResponse(
            status: 200, headers: ["X-Echo": request.headers["X-Ask"] ?? "none", "Content-Length": "1"],
            body: Array(text.utf8))
    }
}

/// Answers when opened; counts the waiting requests.
final class GateService: SandboxService {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrivals: [(count: Int, waiter: CheckedContinuation<Void, Never>)] = []
        var arrived = 0
        var cancelled = 0
    }
    private let state = Mutex(State())

    var cancelledCount: Int { state.withLock { $0.cancelled } }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // An arrived request can already be cancelled and released.
                let (isOpen, ready) = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    state.arrived += 1
                    let arrived = state.arrived
                    defer { state.arrivals.removeAll { $0.count <= arrived } }
                    return (state.isOpen, state.arrivals.filter { $0.count <= arrived }.map(\.waiter))
                }
                if isOpen { continuation.resume() }
                for waiter in ready { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.cancelled += 1 }
            open()
        }
        return HTTPResponse(status: 204)
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for request in waiting { request.resume() }
    }

    /// Returns once `count` requests have arrived.
    func arrival(of count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.arrived >= count { return true }
                state.arrivals.append((count, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
