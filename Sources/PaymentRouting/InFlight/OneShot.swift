import Synchronization

/// A value that arrives once; the first one counts.
package final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case done(Value)
    }

    private let state = Mutex(State.open(nil))

    package init() {}

    /// Sets the value, unless there is one.
    package func finish(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = .done(value)
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. Called once.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                if case .done(let value) = state { return value }
                state = .open(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
