import Foundation
import SocketPoll
import Synchronization
import Testing

/// The one thread that says when sockets are ready, with pipes for sockets.
@Suite("Waiting for sockets", .timeLimit(.minutes(2)))
struct SocketPollTests {
    /// The endings of one watch, in their order.
    private final class Watch: Sendable {
        private let endings = Mutex<[SocketPoll.Ending]>([])
        private let signals = AsyncStream.makeStream(of: Void.self)

        /// - Returns: the number of the watch.
        func begin(_ descriptor: Int32, until deadline: ContinuousClock.Instant? = nil) -> Int {
            SocketPoll.shared.watch(descriptor, for: .reading, until: deadline) { [self] _, ending in
                endings.withLock { $0.append(ending) }
                signals.continuation.yield()
            }
        }

        /// Waits for the first ending.
        func first() async -> SocketPoll.Ending? {
            for await _ in signals.stream { break }
            return all.first
        }

        var all: [SocketPoll.Ending] { endings.withLock { $0 } }
    }

    private static func newPipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test("A watch ends once: when bytes arrive, when the other side is gone, at its deadline, or when it is ended")
    func endings() async throws {
        let ends = Self.newPipe()
        let late = Watch()
        _ = late.begin(ends.reading, until: .now + .milliseconds(20))
        #expect(await late.first() == .late)
        let (ended, other) = (Watch(), Watch())
        let number = ended.begin(ends.reading)
        _ = other.begin(ends.reading)
        SocketPoll.shared.end(number)
        SocketPoll.shared.end(number)
        #expect(ended.all == [.ended])
        #expect(write(ends.writing, "a", 1) == 1)
        #expect(await other.first() == .ready)
        close(ends.writing)
        let gone = Watch()
        _ = gone.begin(ends.reading)
        #expect(await gone.first() == .ready)
        #expect(ended.all == [.ended] && late.all == [.late] && other.all == [.ready])
        close(ends.reading)
    }

    @Test("A watch of a closed socket says nothing of the next one, which has its number")
    func reusedNumbers() async throws {
        for _ in 0..<200 {
            let (old, new) = (Watch(), Watch())
            let first = Self.newPipe()
            SocketPoll.shared.end(old.begin(first.reading))
            close(first.reading)
            close(first.writing)
            // The system hands out the lowest free numbers, mostly the same ones.
            let second = Self.newPipe()
            _ = new.begin(second.reading)
            #expect(write(second.writing, "a", 1) == 1)
            #expect(await new.first() == .ready)
            #expect(old.all == [.ended])
            close(second.reading)
            close(second.writing)
        }
    }
}
