import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import Testing

@Suite("Simulated disk")
struct DiskTests {
    private static let payment = PaymentReference(provider: "acme", id: "p1")
    private static let lease = PaymentLease(payment: payment, holder: "a", duration: .seconds(600))
    private static let id = AttemptID(rawValue: "x")

    /// A world with an open attempt and three further entries that need not be durable.
    private func begun() throws -> SimulatedWorld {
        let world = SimulatedWorld(seed: 8)
        let option = PaymentMethodOption(id: "o", title: "Euros", amount: try Money(minorUnits: 150, currency: .eur))
        try world.run {
            let journal = world.start().journal
            let now = world.clock.now
            #expect(try await journal.acquire(Self.lease, at: now))
            try await journal.open(
                PaymentAttempt(
                    id: Self.id, reference: Self.payment, option: option, idempotencyKey: "k", startedAt: now,
                    expiresAt: nil), under: Self.lease)
            for event in [
                JournalEntry.Event.stepStarted(name: "sign", kind: .interaction),
                .stepFinished(name: "sign", result: "0xs1gnature"), .stepStarted(name: "ask", kind: .query),
            ] { try await add(event, journal, now) }
        }
        return world
    }

    private func add(_ event: JournalEntry.Event, _ journal: any PaymentJournal, _ now: Date) async throws {
        try await journal.append(JournalEntry(date: now, event: event), to: Self.id, under: Self.lease)
    }

    private func count(_ histories: [AttemptHistory]) -> Int? { histories.first?.entries.count }

    @Test("What need not be durable is lost with the power, and never with the process")
    func losses() throws {
        for fate in [SimulatedDisk.Fate.clean, .lostTail] {
            let world = try begun()
            #expect(count(world.disk.histories) == 3)
            #expect(count(world.disk.durableHistories) == 0, "the opening of an attempt is durable at once")
            world.failPower(fate)
            #expect(count(world.disk.histories) == (fate == .clean ? 3 : 0))
            #expect(world.disk.bytesAtRisk == 0)
        }
    }

    @Test("Of bytes that were cut off, the whole records count, and only those")
    func cuts() throws {
        let bytes = try begun().disk.bytesAtRisk
        var left: [Int] = []
        for byte in 0...bytes {
            let world = try begun()
            world.failPower(.cut(byte))
            left.append(try #require(count(world.disk.histories)))
        }
        #expect(left == left.sorted())
        #expect(Set(left) == [0, 1, 2, 3] && left.last == 3 && left[bytes - 1] == 2)
        for _ in 0..<50 {
            let world = try begun()
            world.failPower(.torn)
            #expect(try #require(count(world.disk.histories)) < 3)
        }
    }

    @Test("From the start of a mutation on, everything is durable before its writer continues")
    func mutations() throws {
        let world = try begun()
        try world.run {
            let journal = world.start().journal
            let now = world.clock.now
            for (index, event) in [
                JournalEntry.Event.stepStarted(name: "pay", kind: .mutation(replay: .never)),
                .stepFinished(name: "pay", result: nil), .stepStarted(name: "look", kind: .query),
                .outcome(.cancelled),
            ].enumerated() {
                try await add(event, journal, now)
                #expect(world.disk.durableHistories.first?.entries.count == 4 + index)
            }
        }
    }
}
