import PaymentCore
import Synchronization

/// The resolver's result for one waiting task; nil for a task that was cancelled first.
final class NameAnswer<Address: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<[Address]?, Never>)
        case finished([Address]?)
    }

    private let state = Mutex(State.open)

    func finish(_ found: [Address]?) {
        let waiter: CheckedContinuation<[Address]?, Never>? = state.withLock { state in
            switch state {
            case .finished: return nil
            case .open:
                state = .finished(found)
                return nil
            case .awaited(let continuation):
                state = .finished(found)
                return continuation
            }
        }
        waiter?.resume(returning: found)
    }

    func value() async -> [Address]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: [Address]?? = state.withLock { state in
                    if case .finished(let found) = state { return .some(found) }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            finish(nil)
        }
    }
}
