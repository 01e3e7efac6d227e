import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTesting
import Synchronization

/// Answers with what it was asked: method, path, query and body size.
struct EchoService: SandboxService {
    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let text = "\(request.method.rawValue) \(request.url.path) \(request.url.query ?? "-") \(request.body.count)"
        return HTTPResponse(
            status: 200, headers: ["X-Echo": request.headers["X-Ask"] ?? "none", "Content-Length": "1"],
            body: Array(text.utf8))
    }
}

/// Answers when opened; tells how many requests wait.
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
                // Arrived is who can be cancelled and let go already.
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

    /// Returns once `count` requests have come in.
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

/// A clock that tests move by hand. Sleeping ends when the time is moved past it.
final class TestClock: PaymentClock {
    private struct Sleeper {
        let until: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var elapsed = Duration.zero
        var lastID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }
    private let start: Date
    private let state = Mutex(State())

    init(at seconds: Double = 1_789_000_000) { start = Date(timeIntervalSince1970: seconds) }

    var now: Date {
        let elapsed = state.withLock { $0.elapsed }.components
        return start.addingTimeInterval(Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
    }

    func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let ready: [CheckedContinuation<Void, Never>]? = state.withLock { state in
                    if Task.isCancelled { return nil }
                    state.sleepers[id] = Sleeper(until: state.elapsed + duration, continuation: continuation)
                    let count = state.sleepers.count
                    defer { state.watchers.removeAll { $0.count <= count } }
                    return state.watchers.filter { $0.count <= count }.map(\.continuation)
                }
                guard let ready else { return continuation.resume(throwing: CancellationError()) }
                for watcher in ready { watcher.resume() }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.value.until <= state.elapsed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for sleeper in woken { sleeper.resume() }
    }

    /// Returns once `count` tasks sleep.
    func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
