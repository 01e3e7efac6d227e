import Synchronization

/// A mutex for tasks: one holder at a time, in the order of arrival.
package final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for a turn. The holder ends it by ``end()``, and takes no second one meanwhile.
    package func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the turn to the task that has waited longest.
    package func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resume()
    }
}
