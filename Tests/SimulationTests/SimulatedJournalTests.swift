import Foundation
import PaymentCore
import PaymentTesting
import Testing

@Suite("Simulated journal")
struct SimulatedJournalTests {
    private static let payment = PaymentReference(provider: "acme", id: "p1")

    private static let id = AttemptID(rawValue: "x")

    private static func lease(_ holder: String) -> PaymentLease {
        PaymentLease(payment: payment, holder: holder, duration: .seconds(600))
    }

    private static func attempt(_ id: String, at now: Date) throws -> PaymentAttempt {
        let option = PaymentOption(id: "o", title: "Euros", amount: try Money(minorUnits: 150, currency: .eur))
        return PaymentAttempt(
            id: AttemptID(rawValue: id), reference: payment, option: option, idempotencyKey: id, startedAt: now,
            expiresAt: nil)
    }

    @Test("A lease keeps others out until it runs out or its process dies")
    func leases() throws {
        let world = SimulatedWorld(seed: 5)
        defer { world.end() }
        try world.run {
            let (first, second) = (world.start(), world.start())
            let start = first.clock.now
            #expect(try await first.journal.acquire(Self.lease("a"), at: start))
            #expect(try await !second.journal.acquire(Self.lease("b"), at: start.addingTimeInterval(599)))
            #expect(try await second.journal.acquire(Self.lease("b"), at: start.addingTimeInterval(600)))
            await #expect(throws: JournalError.leaseLost(Self.payment)) {
                try await first.journal.renew(Self.lease("a"), at: start)
            }
            await #expect(throws: JournalError.leaseLost(Self.payment)) {
                try await first.journal.open(try Self.attempt("x", at: start), under: Self.lease("a"))
            }
            second.crash()
            #expect(try await first.journal.acquire(Self.lease("c"), at: start.addingTimeInterval(601)))
            try await first.journal.release(Self.lease("c"))
            #expect(try await first.journal.acquire(Self.lease("d"), at: start.addingTimeInterval(601)))
        }
    }

    @Test("An attempt begins and ends once, and forgets what the payer's wallet answered")
    func attempts() throws {
        let world = SimulatedWorld(seed: 6)
        defer { world.end() }
        try world.run {
            let process = world.start()
            let (journal, now, lease) = (process.journal, process.clock.now, Self.lease("a"))
            func add(_ event: JournalEntry.Event) async throws {
                try await journal.append(JournalEntry(date: now, event: event), to: Self.id, under: lease)
            }
            #expect(try await journal.acquire(lease, at: now))
            await #expect(throws: JournalError.unknownAttempt(Self.id)) { try await add(.abandoned(reason: "")) }
            try await journal.open(try Self.attempt("x", at: now), under: lease)
            await #expect(throws: JournalError.duplicateAttempt(Self.id)) {
                try await journal.open(try Self.attempt("x", at: now), under: lease)
            }
            await #expect(throws: JournalError.unfinishedAttempt(Self.id)) {
                try await journal.open(try Self.attempt("y", at: now), under: lease)
            }
            try await add(.stepStarted(name: "sign", kind: .interaction))
            try await add(.stepFinished(name: "sign", result: "0xs1gnature"))
            let kept = try await journal.history(of: Self.id)?.entries.last?.event
            #expect(kept == .stepFinished(name: "sign", result: "0xs1gnature"))
            try await add(.abandoned(reason: "enough"))
            let erased = try await journal.history(of: Self.id)?.entries.dropLast().last?.event
            #expect(erased == .stepFinished(name: "sign", result: .null))
            await #expect(throws: JournalError.finishedAttempt(Self.id)) { try await add(.abandoned(reason: "more")) }
            try await journal.open(try Self.attempt("y", at: now), under: lease)
        }
    }
}
