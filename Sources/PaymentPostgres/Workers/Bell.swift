import Dispatch
import PaymentRouting
import Synchronization

/// Wakes a loop that waits between two looks. Rings while it does not wait are kept as one.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiting: OneShot<Void>?
    }

    private let state = Mutex(State())
    private static let queue = DispatchQueue(label: "postgres-bell")

    /// Wakes the loop.
    func ring() {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.isRung = true }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.finish(())
    }

    /// Waits for a ring, the end of a time, or the task's cancellation.
    func wait(for duration: Duration) async {
        let waiting = OneShot<Void>()
        let isRung = state.withLock { state in
            defer { state.isRung = false }
            if !state.isRung { state.waiting = waiting }
            return state.isRung
        }
        guard !isRung else { return }
        let timer = DispatchWorkItem { waiting.finish(()) }
        Self.queue.asyncAfter(deadline: .now() + duration / .seconds(1), execute: timer)
        await withTaskCancellationHandler {
            await waiting.value()
        } onCancel: {
            waiting.finish(())
        }
        timer.cancel()
        state.withLock { if $0.waiting === waiting { $0.waiting = nil } }
    }
}
