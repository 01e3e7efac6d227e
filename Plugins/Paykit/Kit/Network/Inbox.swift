package import PaykitProvider
import Synchronization

/// An error that says why no element is returned.
package protocol InboxError: Error {
    static var closed: Self { get }
    static var cancelled: Self { get }
}

extension DatagramError: InboxError {}

extension StreamError: InboxError {}

/// A bounded queue of elements that have arrived and were not taken yet. A full one drops more, as the network does.
package final class Inbox<Element: Sendable, Failure: InboxError>: Sendable {
    package typealias Arrival = Result<Element, Failure>

    private struct State {
        var arrived: [Element] = []
        /// The waiting tasks, the longest first.
        var waiting: [(number: Int, continuation: CheckedContinuation<Arrival, Never>)] = []
        var tickets = 0
        /// Calls that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
        var dropped = 0
        var isClosed = false
    }

    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = 256) { self.capacity = capacity }

    package var dropped: Int { state.withLock { $0.dropped } }

    /// Puts an element in. Returns true if the element can still be taken.
    @discardableResult
    package func offer(_ element: Element) -> Bool {
        let (isTaken, waiter): (Bool, CheckedContinuation<Arrival, Never>?) = state.withLock { state in
            guard !state.isClosed else { return (false, nil) }
            if !state.waiting.isEmpty { return (true, state.waiting.removeFirst().continuation) }
            guard state.arrived.count < capacity else {
                state.dropped += 1
                return (false, nil)
            }
            state.arrived.append(element)
            return (true, nil)
        }
        waiter?.resume(returning: .success(element))
        return isTaken
    }

    /// Returns the next element, once there is one, or the reason that there is none: the queue or the task has ended.
    package func take() async -> Arrival {
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
        // A call that was answered before its cancellation leaves its mark behind.
        _ = state.withLock { $0.cancelled.remove(ticket) }
        return arrival
    }

    /// Closes the queue: nothing more enters or leaves it.
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
