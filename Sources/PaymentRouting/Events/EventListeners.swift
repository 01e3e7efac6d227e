import PaymentCore
import Synchronization

/// The present listeners to one router's events.
final class EventListeners: Sendable {
    private struct Listener {
        let payment: PaymentReference?
        let stream: AsyncStream<PaymentEvent>.Continuation
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var made = 0
    }

    private let state = Mutex(State())

    /// Emits `event` to every listener that it concerns. A listener to one payment ends after a final outcome.
    func emit(_ event: PaymentEvent) {
        let listeners = state.withLock { $0.listeners }
        for listener in listeners.values where listener.payment == nil || listener.payment == event.reference {
            listener.stream.yield(event)
            if listener.payment != nil, event.isLast { listener.stream.finish() }
        }
    }

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - payment: the only payment to listen to; nil for all.
    ///   - limit: the most events that wait for a slow consumer; the oldest are dropped.
    func listen(to payment: PaymentReference?, limit: Int) -> AsyncStream<PaymentEvent> {
        let (events, stream) = AsyncStream.makeStream(
            of: PaymentEvent.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let number = state.withLock { state in
            state.made += 1
            state.listeners[state.made] = Listener(payment: payment, stream: stream)
            return state.made
        }
        stream.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return events
    }

    deinit {
        for listener in state.withLock({ $0.listeners }).values { listener.stream.finish() }
    }
}

extension PaymentEvent {
    /// True if nothing more happens to the payment afterwards.
    fileprivate var isLast: Bool {
        if case .outcome(let outcome) = kind { outcome.isFinal } else { false }
    }
}
