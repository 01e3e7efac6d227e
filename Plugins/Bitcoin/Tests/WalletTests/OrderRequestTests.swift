import Foundation
import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import BitcoinWallets

/// The time for which a sender counts as alive.
@Suite("The lease of a sender", .timeLimit(.minutes(1)))
struct OrderRequestTests {
    private struct Unreachable: Error {}

    /// A store that renews no lease.
    private struct UnreachableRecords: RecordStore {
        let isSilent: Bool

        func transact(
            _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
            _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
        ) async throws { throw Unreachable() }

        func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { throw Unreachable() }
        func records(_ query: RecordQuery) async throws -> [StoredRecord] { throw Unreachable() }
        func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool { throw Unreachable() }
        func release(_ lease: RecordLease) async throws { throw Unreachable() }

        func renew(_ lease: RecordLease, at now: Date) async throws {
            if isSilent { try await Task.sleep(for: .seconds(3600)) }
            throw Unreachable()
        }
    }

    private let clock = TestClock()
    private let records = InMemoryRecords()
    private let request: OrderRequest

    init() async {
        request = OrderRequest(
            "a", lease: OrderRequest.lease(of: "sender", holder: "sender", duration: .seconds(600)), clock: clock)
        #expect(await records.acquire(request.lease, at: clock.now))
    }

    /// A request without an answer, as a wallet makes it: it ends when its connection is closed.
    @Sendable private static func silence() async -> WalletAnswer {
        try? await Task.sleep(for: .seconds(3600))
        return Task.isCancelled ? .nothing : .dealtWith
    }

    @Test("A request is sent when its lease has begun, and its answer counts")
    func sent() async {
        #expect(await request.keep(in: records) { .dealtWith } == .dealtWith)
    }

    @Test("A sender that was stopped for more than half of its lease sends nothing")
    func stopped() async {
        let isSent = Mutex(false)
        clock.advance(by: .seconds(301))
        let answer = await request.keep(in: records) {
            isSent.withLock { $0 = true }
            return .dealtWith
        }
        guard case .sentNothing = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(!isSent.withLock { $0 })
    }

    @Test("A request that takes longer than the lease continues while the lease is renewed")
    func renewed() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        async let answer = request.keep(in: records) {
            for await _ in ends {}
            return Task.isCancelled ? .nothing : .dealtWith
        }
        for _ in 0..<12 {
            // Its renewals, and the look at its end.
            await clock.sleepers(2)
            clock.advance(by: .seconds(200))
        }
        await clock.sleepers(2)
        let other = OrderRequest.lease(of: "sender", holder: "other", duration: .seconds(30))
        #expect(await !records.acquire(other, at: clock.now))
        end.finish()
        #expect(await answer == .dealtWith)
    }

    @Test("A request is cut off when its lease is lost")
    func lost() async {
        await records.release(request.lease)
        async let answer = request.keep(in: records, Self.silence)
        await clock.sleepers(2)
        clock.advance(by: .seconds(200))
        #expect(await answer == .nothing)
    }

    @Test(
        "A request is cut off before its lease ends if no renewal succeeds, or none is answered",
        arguments: [true, false])
    func unreachable(isSilent: Bool) async {
        async let answer = request.keep(in: UnreachableRecords(isSilent: isSilent), Self.silence)
        await clock.sleepers(2)
        clock.advance(by: .seconds(200))
        for _ in 0..<17 {
            await clock.sleepers(isSilent ? 1 : 2)
            clock.advance(by: .seconds(20))
        }
        #expect(await answer == .nothing)
    }

    @Test("A request without a clock is sent, whatever time has passed, and needs no renewal")
    func lifelong() async {
        let request = OrderRequest("a", lease: request.lease, clock: nil)
        clock.advance(by: .seconds(86_400))
        #expect(await request.keep(in: UnreachableRecords(isSilent: false)) { .dealtWith } == .dealtWith)
    }
}
