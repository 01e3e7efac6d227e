import PaymentRouting
import Synchronization

/// The work that a worker has begun. It is not cancelled with the worker's task.
final class Shift: Sendable {
    private struct State {
        var works: [Int: Task<Void, Never>] = [:]
        var number = 0
    }

    private let width: Int
    private let state = Mutex(State())

    /// - Parameter width: the number of works at the same time.
    init(width: Int) { self.width = max(1, width) }

    /// The number of works that can be begun now.
    var free: Int { state.withLock { width - $0.works.count } }

    /// Begins a work.
    ///
    /// - Parameter ended: called when it has ended, and counts no more.
    func begin(_ work: @escaping @Sendable () async -> Void, ended: @escaping @Sendable () -> Void) {
        let start = OneShot<Void>()
        state.withLock { state in
            state.number += 1
            let number = state.number
            state.works[number] = Task {
                await start.value()
                await work()
                self.state.withLock { _ = $0.works.removeValue(forKey: number) }
                ended()
            }
        }
        start.finish(())
    }

    /// Waits until all works have ended.
    func drain() async {
        while let work = state.withLock({ $0.works.values.first }) { await work.value }
    }
}
