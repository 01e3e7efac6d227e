import PaymentRouting
import Synchronization
import Testing

@Suite("A mutex for tasks")
struct AsyncMutexTests {
    /// The numbers of the tasks that had a turn, in their order.
    private final class Turns: Sendable {
        private let taken = Mutex<[Int]>([])

        var all: [Int] { taken.withLock { $0 } }

        func note(_ number: Int) { taken.withLock { $0.append(number) } }

        /// Waits until so many tasks had a turn, for a bounded time: a mutex that never passes its turn on is seen.
        func reach(_ count: Int) async -> [Int] {
            for _ in 0..<20_000 where all.count < count { await Task.yield() }
            return all
        }
    }

    /// Starts a task that takes a turn and keeps it, and waits until it had the time for that.
    private func start(_ number: Int, at mutex: AsyncMutex, noting turns: Turns, reaching count: Int) async -> [Int] {
        Task {
            await mutex.take()
            turns.note(number)
        }
        return await turns.reach(count)
    }

    @Test("A free one is taken at once, and again after its turn has ended")
    func free() async {
        let (mutex, turns) = (AsyncMutex(), Turns())
        #expect(await start(1, at: mutex, noting: turns, reaching: 1) == [1])
        mutex.end()
        #expect(await start(2, at: mutex, noting: turns, reaching: 2) == [1, 2])
    }

    @Test("Others wait until the turn has ended, and get theirs one after the other, in the order of arrival")
    func order() async {
        let (mutex, turns) = (AsyncMutex(), Turns())
        #expect(await start(1, at: mutex, noting: turns, reaching: 1) == [1])
        // Neither has a turn: the whole bounded time passes, in which each arrives.
        #expect(await start(2, at: mutex, noting: turns, reaching: 2) == [1])
        #expect(await start(3, at: mutex, noting: turns, reaching: 2) == [1])
        mutex.end()
        #expect(await turns.reach(3) == [1, 2])
        mutex.end()
        #expect(await turns.reach(3) == [1, 2, 3])
        mutex.end()
        #expect(await start(4, at: mutex, noting: turns, reaching: 4) == [1, 2, 3, 4])
    }
}
