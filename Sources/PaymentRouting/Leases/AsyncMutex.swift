import Synchronization

/// Lets one at a time go on, in the order in which they came.
package final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for a turn. Whoever has it gives it back by ``end()``, and takes no second one meanwhile.
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

    /// Gives the turn to who waits longest.
    package func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resume()
    }
}
