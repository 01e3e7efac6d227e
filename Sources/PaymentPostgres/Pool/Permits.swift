import Dispatch
import PaymentRouting
import Synchronization

/// The right to use one of a number of things at a time, passed on in the order of asking.
final class Permits: Sendable {
    private struct State {
        var free: Int
        var tickets = 0
        var waiting: [(ticket: Int, answer: OneShot<Bool>)] = []
    }

    private let state: Mutex<State>
    private static let queue = DispatchQueue(label: "postgres-permits")

    init(_ count: Int) { state = Mutex(State(free: max(count, 1))) }

    /// Waits for a permit.
    ///
    /// - Returns: false when there was none by the deadline.
    func take(until deadline: ContinuousClock.Instant) async -> Bool {
        let answer = OneShot<Bool>()
        let ticket: Int? = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            state.tickets += 1
            state.waiting.append((state.tickets, answer))
            return state.tickets
        }
        guard let ticket else { return true }
        let item = DispatchWorkItem { [weak self] in self?.expire(ticket) }
        Self.queue.asyncAfter(deadline: .now() + max((deadline - .now) / .seconds(1), 0), execute: item)
        defer { item.cancel() }
        return await answer.value()
    }

    /// Gives a permit back.
    func give() {
        let next: OneShot<Bool>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().answer }
            state.free += 1
            return nil
        }
        next?.finish(true)
    }

    private func expire(_ ticket: Int) {
        let answer: OneShot<Bool>? = state.withLock { state in
            guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: place).answer
        }
        answer?.finish(false)
    }
}
