import Observation

/// The state of a component, told to whoever observes it once for every change.
@MainActor @Observable final class ObservedState<State: Sendable & Equatable> {
    /// How many states a slow listener may be behind; it then misses the oldest, never the newest.
    private static var capacity: Int { 64 }

    private(set) var value: State
    @ObservationIgnored var onChange: (@MainActor (State) -> Void)?
    @ObservationIgnored private var listeners: [AsyncStream<State>.Continuation] = []

    init(_ value: State) { self.value = value }

    // A stream does not end by itself when nobody can send to it any more.
    deinit { for listener in listeners { listener.finish() } }

    /// A stream that begins with the state of now.
    func stream() -> AsyncStream<State> {
        let (stream, listener) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        listener.yield(value)
        listeners.append(listener)
        return stream
    }

    func change(_ change: (inout State) -> Void) {
        var next = value
        change(&next)
        become(next)
    }

    /// Takes over `next` and tells everybody, unless it is the same.
    func become(_ next: State) {
        guard next != value else { return }
        value = next
        onChange?(next)
        listeners.removeAll { listener in
            if case .terminated = listener.yield(next) { true } else { false }
        }
    }
}
