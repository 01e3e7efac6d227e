import Dispatch
import PaykitPubky
import PaymentCore
import Synchronization

/// One of the system's sockets, with the tasks that wait for it. Once closed, its number may name another file: so it
/// is closed only after the system has stopped watching it, and is not used afterwards.
final class SocketHandle: Sendable {
    enum Readiness {
        case reading, writing
    }

    // Dispatch's objects may be used from any thread; its interface for Linux does not declare it.
    private struct Source: @unchecked Sendable {
        let object: any DispatchSourceProtocol
    }

    private struct Wait {
        let continuation: CheckedContinuation<Void, Never>
        let source: Source
    }

    private struct State {
        var descriptor: Int32?
        var isClosed = false
        /// The number of sources through which the system watches the socket.
        var looks = 0
        var tickets = 0
        var waits: [Int: Wait] = [:]
        /// Waits that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    private let queue: DispatchQueue
    private let state: Mutex<State>

    init(_ descriptor: Int32, queue: DispatchQueue) {
        self.queue = queue
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { close() }

    /// Makes one of the system's calls.
    func use<Value>(
        _ call: (Int32) -> SystemSockets.Step<Value>
    ) throws(StreamError) -> SystemSockets.Step<Value> where Value: Sendable {
        let step: SystemSockets.Step<Value>? = state.withLock { state in
            guard let descriptor = state.descriptor, !state.isClosed else { return nil }
            return call(descriptor)
        }
        guard let step else { throw .closed }
        return step
    }

    /// Repeats a call until it is done, waiting in between.
    func complete<Value: Sendable>(
        _ readiness: Readiness, _ failure: (String) -> StreamError, _ call: (Int32) -> SystemSockets.Step<Value>
    ) async throws(StreamError) -> Value {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch try use(call) {
            case .done(let value): return value
            case .failed(let detail): throw failure(detail)
            case .notReady: try await wait(for: readiness)
            }
        }
    }

    /// Waits until the socket is ready, or can never be ready.
    func wait(for readiness: Readiness) async throws(StreamError) {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if !begin(ticket, readiness, continuation) { continuation.resume() }
            }
        } onCancel: {
            end(ticket, isCancelled: true)
        }
        let isClosed = state.withLock { state in
            state.cancelled.remove(ticket)
            return state.isClosed
        }
        if isClosed { throw .closed }
        if Task.isCancelled { throw .cancelled }
    }

    /// - Returns: true if there is something to wait for.
    private func begin(
        _ ticket: Int, _ readiness: Readiness, _ continuation: CheckedContinuation<Void, Never>
    ) -> Bool {
        state.withLock { state in
            guard let descriptor = state.descriptor, !state.isClosed, state.cancelled.remove(ticket) == nil else {
                return false
            }
            let source = Source(
                object: readiness == .reading
                    ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
                    : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue))
            source.object.setEventHandler { [weak self] in self?.end(ticket) }
            // Runs after the last event. It holds the handle: the socket is not closed before.
            source.object.setCancelHandler { [self] in release() }
            state.looks += 1
            state.waits[ticket] = Wait(continuation: continuation, source: source)
            source.object.activate()
            return true
        }
    }

    private func end(_ ticket: Int, isCancelled: Bool = false) {
        let wait: Wait? = state.withLock { state in
            guard let wait = state.waits.removeValue(forKey: ticket) else {
                if isCancelled { state.cancelled.insert(ticket) }
                return nil
            }
            return wait
        }
        wait?.source.object.cancel()
        wait?.continuation.resume()
    }

    private func release() {
        state.withLock { state in
            state.looks -= 1
            Self.closeIfUnused(&state)
        }
    }

    /// Closes the socket as soon as the system no longer watches it.
    func close() {
        let waits: [Wait] = state.withLock { state in
            state.isClosed = true
            Self.closeIfUnused(&state)
            defer { state.waits = [:] }
            return Array(state.waits.values)
        }
        for wait in waits {
            wait.source.object.cancel()
            wait.continuation.resume()
        }
    }

    private static func closeIfUnused(_ state: inout State) {
        guard state.isClosed, state.looks == 0, let descriptor = state.descriptor else { return }
        state.descriptor = nil
        SystemSockets.close(descriptor)
    }
}
