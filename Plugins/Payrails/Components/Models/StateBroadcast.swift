/// Hands each new state of a component to whoever listens.
@MainActor final class StateBroadcast<State: Sendable> {
    /// How many states a slow listener may be behind; it then misses the oldest, never the newest.
    private static var capacity: Int { 64 }

    private var listeners: [AsyncStream<State>.Continuation] = []

    init() {}

    // A stream does not end by itself when nobody can send to it any more.
    deinit { for listener in listeners { listener.finish() } }

    /// A stream that begins with `current`.
    func stream(from current: State) -> AsyncStream<State> {
        let (stream, listener) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        listener.yield(current)
        listeners.append(listener)
        return stream
    }

    func send(_ state: State) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(state) { true } else { false }
        }
    }
}
