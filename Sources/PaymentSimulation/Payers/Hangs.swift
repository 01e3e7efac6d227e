import PaymentCore
import PaymentRouting
import Synchronization

/// The unanswered questions to payers. All are released at the end of the history: wallets that were left open are
/// found again, and their work is completed after all.
final class Hangs: Sendable {
    private struct State {
        var waiting: [OneShot<Void>] = []
        var isOver = false
        var stuck: PaymentReference?
    }

    private let state = Mutex(State())

    /// Waits for the end of the history.
    func wait() async {
        let pending = OneShot<Void>()
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting.append(pending) }
            return state.isOver
        }
        if isOver { return }
        await pending.value()
    }

    /// Makes every question about a payment wait from now on.
    func stick(_ payment: PaymentReference) { state.withLock { $0.stuck = payment } }

    /// The payment about which every question waits.
    var stuck: PaymentReference? { state.withLock { $0.isOver ? nil : $0.stuck } }

    /// The number of waiting questions.
    var count: Int { state.withLock { $0.waiting.count } }

    /// Releases everything; from now on nothing waits.
    func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isOver = true
            return state.waiting
        }
        for pending in waiting { pending.finish(()) }
    }
}
