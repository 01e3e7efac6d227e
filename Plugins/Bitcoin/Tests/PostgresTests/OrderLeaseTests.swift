import BitcoinWallets
import Synchronization
import TestSupport
import Testing

@testable import BitcoinPostgres

/// The time for which a sender counts as alive.
@Suite("The lease of a sender", .timeLimit(.minutes(1)))
struct OrderLeaseTests {
    private struct Unreachable: Error {}

    /// A request without an answer, as a wallet makes it: it ends when its connection is closed.
    @Sendable private static func silence() async -> WalletAnswer {
        try? await Task.sleep(for: .seconds(3600))
        return Task.isCancelled ? .nothing : .dealtWith
    }

    @Test("A request is sent when its lease has begun, and its answer counts")
    func sent() async {
        let lease = OrderLease(.seconds(600), TestClock()) { true }
        #expect(await lease.keep { .dealtWith } == .dealtWith)
    }

    @Test("A sender that was stopped for more than half of its lease sends nothing")
    func stopped() async {
        let isSent = Mutex(false)
        let clock = TestClock()
        let lease = OrderLease(.seconds(600), clock) { true }
        clock.advance(by: .seconds(301))
        let answer = await lease.keep {
            isSent.withLock { $0 = true }
            return .dealtWith
        }
        guard case .sentNothing = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(!isSent.withLock { $0 })
    }

    @Test("A request that takes longer than the lease goes on while the lease is renewed")
    func renewed() async {
        let clock = TestClock()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let lease = OrderLease(.seconds(600), clock) { true }
        async let answer = lease.keep {
            for await _ in ends {}
            return Task.isCancelled ? .nothing : .dealtWith
        }
        for _ in 0..<12 {
            // Its renewals, and the look at its end.
            await clock.sleepers(2)
            clock.advance(by: .seconds(200))
        }
        await clock.sleepers(2)
        end.finish()
        #expect(await answer == .dealtWith)
    }

    @Test("A request is cut off where its lease is lost")
    func lost() async {
        let clock = TestClock()
        let lease = OrderLease(.seconds(600), clock) { false }
        async let answer = lease.keep(Self.silence)
        await clock.sleepers(2)
        clock.advance(by: .seconds(200))
        #expect(await answer == .nothing)
    }

    @Test(
        "A request is cut off before its lease ends where no renewal succeeds, or none is answered",
        arguments: [true, false])
    func unreachable(isSilent: Bool) async {
        let clock = TestClock()
        let lease = OrderLease(.seconds(600), clock) {
            if isSilent { try await Task.sleep(for: .seconds(3600)) }
            throw Unreachable()
        }
        async let answer = lease.keep(Self.silence)
        await clock.sleepers(2)
        clock.advance(by: .seconds(200))
        for _ in 0..<17 {
            await clock.sleepers(isSilent ? 1 : 2)
            clock.advance(by: .seconds(20))
        }
        #expect(await answer == .nothing)
    }
}
