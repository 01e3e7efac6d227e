import Dispatch
import PaykitPubky
import PaymentCore
import Synchronization

/// One of the system's sockets, which the system watches. Once closed, its number may name another file: so it is
/// closed only after the system has stopped watching it, and is not used afterwards.
final class SocketHandle: Sendable {
    enum Readiness {
        case reading, writing
    }

    // Dispatch's objects may be used from any thread; its interface for Linux does not declare it.
    private struct Source: @unchecked Sendable {
        let object: any DispatchSourceProtocol
    }

    private struct State {
        var descriptor: Int32?
        var isClosed = false
        /// The sources through which the system watches the socket, by number.
        var sources: [Int: Source] = [:]
        var number = 0

        /// Closes the socket as soon as the system no longer watches it.
        mutating func closeIfUnused() {
            guard isClosed, sources.isEmpty, let descriptor else { return }
            self.descriptor = nil
            SystemSockets.release(descriptor)
        }
    }

    private let queue: DispatchQueue
    private let state: Mutex<State>

    init(_ descriptor: Int32, queue: DispatchQueue) {
        self.queue = queue
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { close() }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Makes one of the system's calls; returns nil for a closed socket.
    func use<Value>(_ call: (Int32) -> Value) -> Value? {
        state.withLock { state in
            guard let descriptor = state.descriptor, !state.isClosed else { return nil }
            return call(descriptor)
        }
    }

    /// Has the system watch the socket until it is closed.
    ///
    /// - Parameters:
    ///   - isOnce: true to watch it only until it is ready.
    ///   - ready: called whenever the socket is ready.
    ///   - ended: called once, when the system no longer watches it.
    /// - Returns: the number of the watch; nil for a closed socket.
    @discardableResult
    func watch(
        _ readiness: Readiness, isOnce: Bool = false, _ ready: @escaping @Sendable (Int32) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) -> Int? {
        state.withLock { state in
            guard let descriptor = state.descriptor, !state.isClosed else { return nil }
            let source = Source(
                object: readiness == .reading
                    ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
                    : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue))
            state.number += 1
            let number = state.number
            state.sources[number] = source
            source.object.setEventHandler { [weak self] in
                ready(descriptor)
                if isOnce { self?.end(number) }
            }
            // Runs after the last event. It holds the handle: the socket is not closed before.
            source.object.setCancelHandler { [self] in
                self.state.withLock { state in
                    state.sources[number] = nil
                    state.closeIfUnused()
                }
                ended()
            }
            source.object.activate()
            return number
        }
    }

    private func end(_ number: Int) { state.withLock { $0.sources[number] }?.object.cancel() }

    /// Waits until the socket is ready, or can never be ready.
    func wait(for readiness: Readiness) async throws(StreamError) {
        let signals = Inbox<Void, StreamError>(capacity: 1)
        let number = watch(readiness, isOnce: true, { _ in signals.offer(()) }, ended: { signals.offer(()) })
        guard let number else { throw .closed }
        defer { end(number) }
        let signal = await signals.take()
        guard !isClosed else { throw .closed }
        try signal.get()
    }

    /// Repeats a call until it is done, waiting in between.
    func complete<Value: Sendable>(
        _ readiness: Readiness, _ failure: (String) -> StreamError, _ call: (Int32) -> SystemSockets.Step<Value>
    ) async throws(StreamError) -> Value {
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            switch use(call) {
            case nil: throw .closed
            case .done(let value): return value
            case .failed(let detail): throw failure(detail)
            case .notReady: try await wait(for: readiness)
            }
        }
    }

    func close() {
        let sources = state.withLock { state in
            state.isClosed = true
            state.closeIfUnused()
            return state.sources.values
        }
        for source in sources { source.object.cancel() }
    }
}
