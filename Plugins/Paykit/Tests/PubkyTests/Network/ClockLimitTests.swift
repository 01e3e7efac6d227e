import PaykitProvider
import PaymentCore
import TestSupport
import Testing

@Suite("Work with a limit of time", .timeLimit(.minutes(1)))
struct ClockLimitTests {
    @Test("A result in time is returned, without waiting for the rest of the time")
    func inTime() async {
        #expect(await SystemPaymentClock().limit(to: .seconds(600)) { 7 } == 7)
    }

    @Test("When the time is over the work is cancelled, and nothing is returned")
    func over() async {
        let (ended, ending) = AsyncStream.makeStream(of: Bool.self)
        let value = await SystemPaymentClock().limit(to: .milliseconds(5)) { () -> Int in
            do { try await Task.sleep(for: .seconds(600)) } catch { ending.yield(Task.isCancelled) }
            return 7
        }
        #expect(value == nil)
        var ends = ended.makeAsyncIterator()
        #expect(await ends.next() == true)
    }

    @Test("A cancelled caller learns it from the work")
    func cancelled() async {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await SystemPaymentClock().limit(to: .seconds(600)) { () -> String in
                starting.yield(())
                do { try await Task.sleep(for: .seconds(600)) } catch { return "cancelled" }
                return "slept"
            }
        }
        var starts = started.makeAsyncIterator()
        await starts.next()
        task.cancel()
        #expect(await task.value == "cancelled")
    }
}
