import Observation

/// The state of a component, reported to its observers once for every change.
@MainActor @Observable final class ObservedState<State: Sendable & Equatable> {
    /// The number of states that a consumer may be behind; a slower one misses the oldest, never the newest.
    private static var capacity: Int { 64 }

    private(set) var value: State
    @ObservationIgnored var onChange: (@MainActor (State) -> Void)?
    @ObservationIgnored private var listeners: [AsyncStream<State>.Continuation] = []

    init(_ value: State) { self.value = value }

    // A stream without a sender does not end automatically.
    deinit { for listener in listeners { listener.finish() } }

    /// Returns a stream that begins with the present state.
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

    /// Takes over `next` and notifies the observers, unless it is equal to the present state.
    func become(_ next: State) {
        guard next != value else { return }
        value = next
        onChange?(next)
        listeners.removeAll { listener in
            if case .terminated = listener.yield(next) { true } else { false }
        }
    }
}
