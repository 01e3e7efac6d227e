import Synchronization

/// What has arrived at a socket and was not yet taken: a bounded queue. What finds it full is dropped, as the network does.
package final class DatagramInbox: Sendable {
    package typealias Arrival = Result<Datagram, DatagramError>

    private struct State {
        var arrived: [Datagram] = []
        /// Those who wait, the longest first.
        var waiting: [(number: Int, continuation: CheckedContinuation<Arrival, Never>)] = []
        var tickets = 0
        /// Calls that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var dropped = 0
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: the most datagrams that wait to be taken.
    package init(capacity: Int = 256) { self.capacity = capacity }

    /// How many datagrams were dropped because nobody took the earlier ones.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Puts a datagram in.
    package func offer(_ datagram: Datagram) {
        let waiter: CheckedContinuation<Arrival, Never>? = state.withLock { state in
            guard !state.isClosed else { return nil }
            if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            if state.arrived.count < capacity { state.arrived.append(datagram) } else { state.dropped += 1 }
            return nil
        }
        waiter?.resume(returning: .success(datagram))
    }

    /// Waits for the next datagram.
    package func take() async throws(DatagramError) -> Datagram {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let arrival = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Arrival? = state.withLock { state in
                    if state.cancelled.remove(ticket) != nil { return .failure(.cancelled) }
                    if !state.arrived.isEmpty { return .success(state.arrived.removeFirst()) }
                    if state.isClosed { return .failure(.closed) }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiter: CheckedContinuation<Arrival, Never>? = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiter?.resume(returning: .failure(.cancelled))
        }
        // A call that had its answer before the cancellation leaves its mark behind.
        _ = state.withLock { $0.cancelled.remove(ticket) }
        return try arrival.get()
    }

    /// Lets nothing in any more, and nothing out.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.arrived = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: .failure(.closed)) }
    }
}
