import Foundation
import PaymentCore
import PaymentStore
import TestSupport
import Testing

@Suite("What every journal does")
struct ContractTests {
    private let folder = ScratchFolder()

    @Test("What was written is read, in order, and signatures only until the end", arguments: Kind.allCases)
    func everything(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let attempt = try Samples.attempt(expiresAt: Samples.now.addingTimeInterval(0.1))
        let lease = Samples.lease()
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        #expect(try await journal.history(of: attempt.id) == AttemptHistory(attempt: attempt))
        var entries: [JournalEntry] = []
        for (index, event) in Samples.events.enumerated() {
            #expect(try await journal.unfinished().map(\.entries) == [entries])
            entries.append(Samples.entry(event, after: Double(index) / 3))
            try await journal.append(entries[index], to: attempt.id, under: lease)
        }
        entries[3] = JournalEntry(date: entries[3].date, event: .stepFinished(name: "sign", result: .null))
        let history = AttemptHistory(attempt: attempt, entries: entries)
        #expect(try await journal.history(of: attempt.id) == history)
        #expect(try await journal.histories(of: Samples.reference()) == [history])
        #expect(try await journal.unfinished().isEmpty)
        #expect(try await journal.history(of: AttemptID(rawValue: "none")) == nil)
        #expect(try await journal.histories(of: Samples.reference("none")).isEmpty)
    }

    @Test("An attempt at a refund stays one: taken for a payment, it would be made", arguments: Kind.allCases)
    func refunds(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let request = RefundRequest(
            of: Samples.reference(), amount: try Money(minorUnits: 150, currency: .eur), id: "note 7")
        let lease = PaymentLease(payment: request.reference, holder: "h", duration: .seconds(60))
        let sample = try Samples.attempt()
        let attempt = PaymentAttempt(
            id: sample.id, reference: request.reference, option: sample.option, idempotencyKey: "k",
            startedAt: Samples.now, expiresAt: nil, refund: request)
        #expect(try await journal.acquire(lease, at: Samples.now))
        try await journal.open(attempt, under: lease)
        #expect(try await journal.unfinished().map(\.attempt) == [attempt])
        #expect(try await journal.histories(of: request.reference).first?.attempt.refund == request)
    }

    @Test("A refund and payments that are called like it are different things", arguments: Kind.allCases)
    func namesakes(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let request = RefundRequest(
            of: Samples.reference(), amount: try Money(minorUnits: 150, currency: .eur), id: "7")
        let references =
            [request.reference]
            + ["7", "refund:7", "payment:refund:7", "payment:", "payment:payment:refund:7"].map(Samples.reference)
        var attempts: [PaymentAttempt] = []
        for (index, reference) in references.enumerated() {
            let lease = PaymentLease(payment: reference, holder: "h\(index)", duration: .seconds(60))
            #expect(try await journal.acquire(lease, at: Samples.now), "\(reference)")
            let attempt = PaymentAttempt(
                id: AttemptID(rawValue: "a\(index)"), reference: reference, option: try Samples.attempt().option,
                idempotencyKey: "k", startedAt: Samples.now, expiresAt: nil,
                refund: reference.subject == .refund ? request : nil)
            try await journal.open(attempt, under: lease)
            attempts.append(attempt)
        }
        for (index, reference) in references.enumerated() {
            #expect(try await journal.histories(of: reference).map(\.attempt) == [attempts[index]])
            // Nobody writes about the one under the lease of the other.
            let next = references[(index + 1) % references.count]
            let lease = PaymentLease(
                payment: next, holder: "h\((index + 1) % references.count)", duration: .seconds(60))
            await #expect(throws: JournalError.leaseLost(reference)) {
                try await journal.append(
                    Samples.entry(.abandoned(reason: "no")), to: attempts[index].id, under: lease)
            }
        }
        #expect(try await journal.unfinished().map(\.attempt) == attempts)
    }

    @Test("Attempts keep their order, and only the unfinished are unfinished", arguments: Kind.allCases)
    func order(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        for (index, id) in ["z", "a", "m"].enumerated() {
            let lease = Samples.lease("p\(index % 2)")
            _ = try await journal.acquire(lease, at: Samples.now)
            try await journal.open(try Samples.attempt(id, "p\(index % 2)"), under: lease)
            if id == "z" {
                try await journal.append(
                    Samples.entry(.abandoned(reason: "no")), to: AttemptID(rawValue: id), under: lease)
            }
        }
        #expect(try await journal.histories(of: Samples.reference("p0")).map(\.attempt.id.rawValue) == ["z", "m"])
        #expect(try await journal.unfinished().map(\.attempt.id.rawValue) == ["a", "m"])
    }

    @Test("Names that differ in their bytes are different names, however alike they look", arguments: Kind.allCases)
    func exactNames(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        // One letter, and a letter with an accent upon it: equal texts to Swift (Unicode canonical equivalence).
        let names = ["caf\u{E9}", "cafe\u{301}"]
        for name in names {
            #expect(try await journal.acquire(Samples.lease(name, "holder of \(name.utf8.count)"), at: Samples.now))
        }
        for name in names {
            let lease = Samples.lease(name, "holder of \(name.utf8.count)")
            try await journal.open(try Samples.attempt("att-" + name, name), under: lease)
        }
        for name in names {
            let histories = try await journal.histories(of: Samples.reference(name))
            #expect(histories.count == 1)
            #expect(histories.first?.attempt.reference.id.utf8.elementsEqual(name.utf8) == true)
            let history = try await journal.history(of: AttemptID(rawValue: "att-" + name))
            #expect(history?.attempt.reference.id.utf8.elementsEqual(name.utf8) == true)
        }
        // A lease of the one is none of the other.
        await #expect(throws: JournalError.self) {
            try await journal.append(
                Samples.entry(.abandoned(reason: "no")), to: AttemptID(rawValue: "att-" + names[0]),
                under: Samples.lease(names[1], "holder of \(names[1].utf8.count)"))
        }
        // Nor is a holder whose name only looks the same.
        #expect(try await journal.acquire(Samples.lease("p9", names[0]), at: Samples.now))
        #expect(try await journal.acquire(Samples.lease("p9", names[1]), at: Samples.now) == false)
        #expect(try await journal.unfinished().count == 2)
    }

    @Test("What must not be written is refused and changes nothing", arguments: Kind.allCases)
    func refusals(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let lease = Samples.lease()
        let attempt = try Samples.attempt()
        let entry = Samples.entry(.stepStarted(name: "s", kind: .query))
        await #expect(throws: JournalError.leaseLost(Samples.reference())) {
            try await journal.open(attempt, under: lease)
        }
        #expect(try await journal.acquire(lease, at: Samples.now))
        await #expect(throws: JournalError.unknownAttempt(attempt.id)) {
            try await journal.append(entry, to: attempt.id, under: lease)
        }
        try await journal.open(attempt, under: lease)
        await #expect(throws: JournalError.duplicateAttempt(attempt.id)) {
            try await journal.open(attempt, under: lease)
        }
        await #expect(throws: JournalError.unfinishedAttempt(attempt.id)) {
            try await journal.open(try Samples.attempt("a2"), under: lease)
        }
        let other = Samples.lease("p2")
        #expect(try await journal.acquire(other, at: Samples.now))
        await #expect(throws: JournalError.leaseLost(Samples.reference())) {
            try await journal.append(entry, to: attempt.id, under: other)
        }
        await #expect(throws: JournalError.leaseLost(Samples.reference("p1"))) {
            try await journal.open(try Samples.attempt("a3"), under: other)
        }
        try await journal.append(Samples.entry(.outcome(.cancelled)), to: attempt.id, under: lease)
        // A second ending least of all: nobody could tell which one is true.
        for event in [entry.event, .outcome(.expired), .abandoned(reason: "no"), .outcome(.pending(retryAfter: nil))] {
            await #expect(throws: JournalError.finishedAttempt(attempt.id)) {
                try await journal.append(Samples.entry(event), to: attempt.id, under: lease)
            }
        }
        try await journal.release(lease)
        await #expect(throws: JournalError.leaseLost(Samples.reference())) {
            try await journal.open(try Samples.attempt("a4"), under: lease)
        }
        #expect(try await journal.histories(of: Samples.reference()).map(\.entries.count) == [1])
    }

    @Test(
        "A lease has one holder, until it is given back or its holder was silent for too long", arguments: Kind.allCases
    )
    func leases(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let (first, second) = (Samples.lease("p1", "first"), Samples.lease("p1", "second"))
        let now = Samples.now
        #expect(try await journal.acquire(first, at: now))
        #expect(try await journal.acquire(first, at: now), "the holder may ask again")
        #expect(try await journal.acquire(second, at: now) == false)
        #expect(try await journal.acquire(Samples.lease("p2", "second"), at: now), "other payments are free")
        try await journal.release(second)
        #expect(try await journal.acquire(second, at: now.addingTimeInterval(59.9)) == false)
        try await journal.renew(first, at: now.addingTimeInterval(30))
        #expect(try await journal.acquire(second, at: now.addingTimeInterval(89.9)) == false)
        try await journal.open(try Samples.attempt(), under: first)
        let entry = Samples.entry(.stepStarted(name: "s", kind: .query), after: 80)
        try await journal.append(entry, to: try Samples.attempt().id, under: first)
        #expect(
            try await journal.acquire(second, at: now.addingTimeInterval(139.9)) == false, "an entry renews as well")
        #expect(try await journal.acquire(second, at: now.addingTimeInterval(140)))
        await #expect(throws: JournalError.leaseLost(first.payment)) {
            try await journal.renew(first, at: now.addingTimeInterval(140))
        }
        await #expect(throws: JournalError.leaseLost(first.payment)) {
            try await journal.append(entry, to: try Samples.attempt().id, under: first)
        }
        try await journal.release(first)
        try await journal.append(entry, to: try Samples.attempt().id, under: second)
        try await journal.release(second)
        await #expect(throws: JournalError.leaseLost(first.payment)) { try await journal.renew(first, at: now) }
        #expect(try await journal.acquire(first, at: now))
    }

    @Test("Of many who want a lease at once, one gets it", arguments: Kind.allCases)
    func race(kind: Kind) async throws {
        let journal = try kind.make(in: folder)
        let winners = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<50 {
                group.addTask { try await journal.acquire(Samples.lease("p", "h\(index)"), at: Samples.now) ? 1 : 0 }
            }
            return try await group.reduce(0, +)
        }
        #expect(winners == 1)
    }
}
