import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("A recovery that runs until it is stopped")
struct RecoveryServiceTests {
    private static let crashed: [JournalEntry.Event] = [.stepStarted(name: "pay", kind: .mutation(replay: .never))]

    @Test("It asks again when that is due, and reports each result, until the payment is settled")
    func untilSettled() async throws {
        var world = World()
        let asked = Tally()
        world.provider.payBody = { attempt, context in
            _ = try await context.step("pay", .mutation(replay: .never)) { "done" }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        world.provider.statusBody = { payment, _ in
            asked.count("status")
            // The engine itself asks five times in one look.
            return asked["status"] > 8
                ? .succeeded(PaymentReceipt(reference: payment)) : .pending(retryAfter: .seconds(20))
        }
        let attempt = try await world.crashed(Self.crashed)
        let reports = Mutex<[RecoveryReport]>([])
        let done = Gate()
        let service = RecoveryService(try world.router) { report in
            reports.withLock { $0.append(report) }
            if report.isSettled { await done.open() }
        }
        let running = Task { await service.run() }
        await done.pass()
        running.cancel()
        await running.value
        let told = reports.withLock { $0 }
        #expect(told.allSatisfy { $0.attempt.id == attempt })
        #expect(told.count >= 2)
        #expect(told.dropLast().allSatisfy { !$0.isSettled })
        #expect(try told.last?.result.get() == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
    }

    @Test("A journal that cannot be read is reported, and looked at again")
    func unreadable() async throws {
        var world = World()
        world.journal = UnreadableOnce()
        let reports = Tally()
        let done = Gate()
        let service = RecoveryService(
            try world.router, report: { _ in await done.open() }, failed: { _ in reports.count("failed") })
        _ = try await world.crashed(Self.crashed)
        let running = Task { await service.run() }
        await done.pass()
        running.cancel()
        await running.value
        #expect(reports["failed"] == 1)
    }

    @Test("A report prints what a log needs, and no key")
    func prints() async throws {
        let world = World()
        _ = try await world.crashed(Self.crashed)
        let reports = try await world.router.recover(as: Payer())
        let report = try #require(reports.first)
        #expect("\(report)" == "att_crashed at acme/p1, 10.00 EUR with card: paid")
        var dumped = ""
        dump(report, to: &dumped)
        #expect(!dumped.contains("idempotencyKey") && !dumped.contains("\"key\""))
    }
}

/// A journal whose list of unfinished attempts cannot be read the first time.
private actor UnreadableOnce: ForwardingJournal {
    let base = InMemoryJournal()
    private var isReadable = false

    struct Unreadable: Error {}

    func unfinished() async throws -> [AttemptHistory] {
        guard isReadable else {
            isReadable = true
            throw Unreadable()
        }
        return await base.unfinished()
    }
}
