import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// A lease whose release failed.
@Suite("Leases that were not released")
struct UnreleasedLeaseTests {
    /// A journal that releases no lease while it is stuck, and counts the holders.
    private actor StuckJournal: ForwardingJournal {
        let base = InMemoryJournal()
        private var isStuck = true

        func letGo() { isStuck = false }

        func release(_ lease: PaymentLease) async throws {
            if isStuck { throw JournalError.locked(path: "journal") }
            await base.release(lease)
        }
    }

    @Test("Its own router continues at once; another one waits as always, until it is released")
    func reused() async throws {
        let journal = StuckJournal()
        var world = World()
        world.journal = journal
        // A finished payment needs no lease.
        world.provider.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        let start = world.clock.now
        for _ in 0..<3 {
            guard case .pending = try await router.pay(ScriptedProvider.link, as: .careless) else {
                throw CancellationError()
            }
        }
        #expect(world.clock.now == start)
        let other = PaymentRouter(
            registry: router.registry, transport: world.transport, journal: journal, clock: world.clock,
            random: SeededRandomSource(seed: 2), leases: LeasePolicy(timeout: .milliseconds(50)))
        let error = await failure {
            try await other.resume(try #require(try await world.histories.first).attempt.id, as: .careless)
        }
        #expect(error?.code == .inUse)
        await journal.letGo()
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        _ = try await other.pay(ScriptedProvider.link, as: .careless)
    }

    @Test("A lease that another router took over meanwhile is not taken back")
    func takenOver() async throws {
        let journal = StuckJournal()
        var world = World()
        world.journal = journal
        world.provider.payBody = { _, _ in .pending(retryAfter: nil) }
        let router = try world.router
        _ = try await router.pay(ScriptedProvider.link, as: .careless)
        try await world.clock.sleep(for: LeasePolicy().duration + .seconds(1))
        let other = PaymentLease(
            payment: ScriptedProvider.reference, holder: "other", duration: LeasePolicy().duration)
        #expect(try await journal.acquire(other, at: world.clock.now))
        let error = await failure { try await router.pay(ScriptedProvider.link, as: .careless) }
        #expect(error?.code == .inUse)
    }

    @Test("Payments whose names only look the same are two payments")
    func lookalikes() {
        let names = ["caf\u{E9}", "cafe\u{301}"]
        #expect(Set(names).count == 1)
        #expect(Set(names.map { PaymentReference(provider: "acme", id: $0) }).count == 2)
        #expect(Set(names.map(AttemptID.init(rawValue:))).count == 2)
        #expect(Set(names.map(ProviderID.init(rawValue:))).count == 2)
        #expect(PaymentReference(provider: "acme", id: "a") == PaymentReference(provider: "acme", id: "a"))
    }
}
