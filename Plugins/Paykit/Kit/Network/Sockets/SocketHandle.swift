import PaykitProvider
import PaymentCore
import SocketPoll
import Synchronization

/// One of the system's sockets, which is watched until it is closed. Once closed, its number may name another file: no
/// call uses it afterwards.
final class SocketHandle: Sendable {
    private struct State {
        var descriptor: Int32?
        /// The watches that have not ended.
        var watches: Set<Int> = []
    }

    private let state: Mutex<State>

    init(_ descriptor: Int32) { state = Mutex(State(descriptor: descriptor)) }

    deinit { close() }

    /// Makes one of the system's calls; returns nil for a closed socket.
    func use<Value>(_ call: (Int32) -> Value) -> Value? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            return call(descriptor)
        }
    }

    /// Makes calls whenever the socket can be read, until it is closed.
    func watch(_ read: @escaping @Sendable (Int32) -> Void) {
        begin(.reading) { [weak self] in
            guard let self, use(read) != nil else { return }
            watch(read)
        }
    }

    /// Waits until the socket is ready, or can never be ready.
    func wait(for readiness: SocketPoll.Readiness) async throws(StreamError) {
        let signals = Inbox<Void, StreamError>(capacity: 1)
        guard let number = begin(readiness, { signals.offer(()) }) else { throw .closed }
        let signal = await signals.take()
        SocketPoll.shared.end(number)
        guard use({ _ in }) != nil else { throw .closed }
        try signal.get()
    }

    /// Begins to watch the socket.
    ///
    /// - Parameter ended: called once, when it is ready, or watched no more.
    /// - Returns: the number of the watch; nil for a closed socket.
    @discardableResult
    private func begin(_ readiness: SocketPoll.Readiness, _ ended: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            let number = SocketPoll.shared.watch(descriptor, for: readiness) { [weak self] number, _ in
                self?.forget(number)
                ended()
            }
            state.watches.insert(number)
            return number
        }
    }

    private func forget(_ number: Int) { _ = state.withLock { $0.watches.remove(number) } }

    /// Repeats a call until it is done, waiting in between.
    func complete<Value: Sendable>(
        _ readiness: SocketPoll.Readiness, _ failure: (String) -> StreamError,
        _ call: (Int32) -> SystemSockets.Step<Value>
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
        let watches: Set<Int> = state.withLock { state in
            if let descriptor = state.descriptor { SystemSockets.release(descriptor) }
            state.descriptor = nil
            return state.watches
        }
        for number in watches { SocketPoll.shared.end(number) }
    }
}
