import PaymentCore
import ServiceSupport
import TestSupport
import Testing

@Suite("Polling")
struct PollingLoopTests {
    private let clock = VirtualClock()

    /// Asks until `answers` have ended; every answer asks again after `pause`.
    private func run(
        _ limit: PollingLoop.Limit, pause: Duration, taking time: Duration = .zero, counting: Duration = .zero,
        last: Int = .max
    ) async -> (answer: Int, asked: [Duration], paused: [Duration]) {
        var asked: [Duration] = []
        var paused: [Duration] = []
        let answer = await PollingLoop(clock: clock, limit: limit).run(whenCancelled: { -$0 }) { left in
            asked.append(left)
            clock.advance(by: time)
            let number = asked.count
            return number == last ? .last(number) : .again(number, after: pause, counting: counting)
        } willPause: {
            paused.append($1)
        }
        return (answer, asked, paused)
    }

    @Test("An answer ends it")
    func ends() async {
        let run = await run(.pauses(.seconds(60)), pause: .seconds(1), last: 3)
        #expect(run.answer == 3 && run.paused == [.seconds(1), .seconds(1)] && clock.slept == .seconds(2))
    }

    @Test("Of pauses, only what was waited counts, and the last question comes at the limit itself")
    func pauses() async {
        let run = await run(.pauses(.seconds(5)), pause: .seconds(2), taking: .seconds(100))
        #expect(run.answer == 4 && run.paused == [.seconds(2), .seconds(2), .seconds(1)])
        #expect(run.asked == [.seconds(5), .seconds(3), .seconds(1), .zero])
    }

    @Test("Of time, the answers' count, too")
    func time() async {
        let run = await run(.time(.seconds(5)), pause: .seconds(1), taking: .seconds(1))
        #expect(run.answer == 3 && run.asked == [.seconds(5), .seconds(3), .seconds(1)])
        #expect(run.paused == [.seconds(1), .seconds(1)])
    }

    @Test("Time that counts as if it were waited ends it, too")
    func counted() async {
        let run = await run(.pauses(.seconds(60)), pause: .seconds(10), counting: .seconds(30))
        #expect(run.answer == 2 && run.paused == [.seconds(10)])
    }

    @Test("Without a limit it asks once")
    func once() async {
        for limit in [PollingLoop.Limit.pauses(.zero), .time(.zero), .time(.seconds(-1))] {
            let run = await run(limit, pause: .seconds(1))
            #expect(run.answer == 1 && run.paused.isEmpty && run.asked == [.zero])
        }
    }

    @Test("An answer that is there already is not asked for")
    func first() async {
        let loop = PollingLoop(clock: clock, limit: .pauses(.seconds(9)))
        #expect(await loop.run(from: .last("a"), whenCancelled: { _ in nil }) { _ in .last("b") } == "a")
        #expect(clock.slept == .zero)
        let next = await loop.run(from: .again("a", after: .seconds(4)), whenCancelled: { _ in nil }) { left in
            .last("\(left.components.seconds)")
        }
        #expect(next == "5" && clock.slept == .seconds(4))
    }

    @Test("Cancelled in a pause, it ends as configured, or asks the rest without pauses", arguments: [true, false])
    func cancelled(endsThen: Bool) async {
        let (answer, count) = await Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            let loop = PollingLoop(clock: clock, limit: .pauses(.seconds(2)))
            let answer = await loop.run(whenCancelled: { endsThen ? -$0 : nil }) { _ in
                count += 1
                return .again(count, after: .seconds(1))
            }
            return (answer, count)
        }.value
        #expect(answer == (endsThen ? -1 : 3) && count == (endsThen ? 1 : 3) && clock.slept == .zero)
    }
}
