import Foundation
import PaymentCore
import PaymentRecurringTesting
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentRecurring

@Suite("The journals of what recurs")
struct RecurringJournalTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("recurring") }

    @Test("In memory they keep the contract")
    func memory() async {
        let report = await RecurringConformance.check(
            RecurringSubject("InMemoryRecurringJournal") { RecurringSubject.Storage(InMemoryRecurringJournal()) })
        #expect(report.isPassed && report.inapplicable == [.sharing], "\(report)")
    }

    @Test("In a file they keep the contract")
    func file() async {
        let report = await RecurringConformance.check(
            RecurringSubject("SQLiteRecurringJournal") {
                let folder = ScratchFolder()
                let path = folder.file("recurring")
                return RecurringSubject.Storage(
                    try SQLiteRecurringJournal(path: path),
                    reopen: {
                        _ = folder
                        return try SQLiteRecurringJournal(path: path, creating: false)
                    })
            })
        #expect(report.isPassed && report.inapplicable.isEmpty, "\(report)")
    }

    @Test("A journal that lets a plan be stored over another's change, or a period be paid twice, does not pass")
    func broken() async {
        for (mistake, probe) in [
            (ForgetfulJournal.Mistake.anyRevision, RecurringConformance.Probe.planRace), (.finalIsNot, .finality),
            (.noLease, .fence), (.laterForEarlier, .time),
        ] {
            let report = await RecurringConformance.check(
                RecurringSubject("broken") { RecurringSubject.Storage(ForgetfulJournal(mistake)) })
            #expect(report.failed.contains(probe), "\(mistake): \(report)")
        }
    }

    @Test("A journal that reads a period once, and not again, does not pass")
    func readsOnce() async {
        let report = await RecurringConformance.check(
            RecurringSubject("broken") {
                let base = InMemoryRecurringJournal()
                return RecurringSubject.Storage(
                    ForgetfulJournal(.readsOnce, base), reopen: { ForgetfulJournal(.readsOnce, base) })
            })
        #expect(report.failed == [.sharing], "\(report)")
    }

    @Test("What is in the file is what the fixture says, byte for byte, and the fixture is read")
    func form() async throws {
        let journal = try SQLiteRecurringJournal(path: path)
        for (plan, charges) in try RecurringSamples.all() { _ = try await journal.store(plan, opening: charges) }
        try await journal.trust(RecurringSamples.start, isCorrection: false)
        let lines = try Database(path: path).texts(
            """
            SELECT 'plan ' || id || ' ' || revision || ' ' || coalesce(due, '-') || ' ' || detail FROM plan
            UNION ALL SELECT 'charge ' || plan || ' ' || number || ' ' || coalesce(look, '-') || ' ' || detail FROM charge
            """)
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/recurring/version-1.txt")
        let text = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_RECURRING_FIXTURE"] != nil {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        let fixture = try String(contentsOf: url, encoding: .utf8)
        #expect(text == fixture, "another form needs another version once this one is released")
        for line in fixture.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 4).map(String.init)
            if words[0] == "plan" {
                let plan = try StoredPlan.read(words[4], id: words[1], revision: try #require(Int64(words[2])))
                #expect(try RecurringSamples.all().contains { $0.plan.stored == plan })
            } else {
                let id = RecurringCharge.ID(
                    plan: RecurringPlan.ID(rawValue: words[1]), number: try #require(Int(words[2])))
                let charge = try StoredCharge.read(words[4], id: id)
                #expect(try RecurringSamples.all().flatMap(\.charges).contains(charge))
            }
        }
    }

    @Test("Notices, pauses and what was announced beforehand are kept")
    func notices() async throws {
        let journal = try SQLiteRecurringJournal(path: path)
        var plan = try RecurringPlan(
            "told", from: RecurringSamples.start, RecurringPolicy(.all, notice: .milliseconds(3_600_500)))
        plan.pauses = [
            RecurringPause(
                from: RecurringSamples.start.addingTimeInterval(1 / 3),
                until: RecurringSamples.start.addingTimeInterval(9)),
            RecurringPause(from: RecurringSamples.start.addingTimeInterval(99)),
        ]
        var charges = plan.open(at: RecurringSamples.start)
        charges[0].state = .announced
        let stored = try await journal.store(plan, opening: charges)
        #expect(try await journal.plan(plan.id) == stored)
        #expect(try await journal.charges(of: plan.id) == charges)
        for broken in [#""pauses":7"#, #""pauses":[7]"#, #""pauses":[{"end":1}]"#, #""pause":1"#] {
            let text = try StoredPlan.text(plan).replacing(/"pauses":\[[^\]]*\]/, with: broken)
            #expect(throws: StoredFormDefect.self) { try StoredPlan.read(text, id: "told", revision: 1) }
        }
    }

    @Test(
        "What cannot be read is damage, and not another plan",
        arguments: [
            "{}", "x", #"{"state":"paid"}"#, "[]",
        ])
    func unreadable(_ text: String) async throws {
        let journal = try SQLiteRecurringJournal(path: path)
        let (plan, charges) = try #require(try RecurringSamples.all().last)
        _ = try await journal.store(plan, opening: charges)
        for table in ["plan", "charge"] {
            try Database(path: path).run("UPDATE \(table) SET detail = ?1", [.text(text)])
            await #expect(throws: JournalError.self) {
                if table == "plan" {
                    _ = try await journal.plans()
                } else {
                    _ = try await journal.charges(of: plan.id)
                }
            }
        }
    }

    @Test(
        "A plan whose next period precedes its first, or that was never stored, is damage",
        arguments: [(3, 1, true), (2, 1, false), (3, 0, false)])
    func counts(next: Int, revision: Int64, isRead: Bool) throws {
        let plan = try #require(try RecurringSamples.all().first { $0.plan.schedule.firstNumber == 3 }?.plan)
        let text = try StoredPlan.text(plan).replacing(#""next":3"#, with: #""next":\#(next)"#)
        let read = try? StoredPlan.read(text, id: plan.id.rawValue, revision: revision)
        #expect((read != nil) == isRead)
    }

    @Test("A period with a negative number of tries is damage", arguments: ["attempts", "failures"])
    func negative(name: String) throws {
        let charge = try #require(try RecurringSamples.all().last?.charges.first)
        let text = try StoredCharge.text(charge)
        #expect(try StoredCharge.read(text, id: charge.id) == charge)
        let broken = text.replacing("\"\(name)\":0", with: "\"\(name)\":-1")
        #expect(broken != text)
        #expect(throws: StoredFormDefect.self) { try StoredCharge.read(broken, id: charge.id) }
    }

    @Test("A payment journal is not taken for one of these, nor one of these for a payment journal")
    func otherFile() async throws {
        let other = folder.file("payments")
        _ = try SQLiteJournal(path: other)
        _ = try SQLiteRecurringJournal(path: path)
        #expect(throws: JournalError.notAJournal(path: other)) { try SQLiteRecurringJournal(path: other) }
        #expect(throws: JournalError.notAJournal(path: path)) { try SQLiteJournal(path: path) }
    }

    @Test("A paused or ended plan is read as it was written", arguments: [true, false])
    func status(isEnded: Bool) async throws {
        var plan = try PlanTests.plan()
        let charges = isEnded ? plan.end(at: PlanTests.start) : plan.pause(at: PlanTests.start)
        let journal = try SQLiteRecurringJournal(path: path)
        let stored = try await journal.store(plan, opening: charges)
        #expect(try await journal.plan(plan.id) == stored)
    }

    @Test("A plan of every few months is read as it was written")
    func months() async throws {
        let folder = ScratchFolder()
        let path = folder.file("months")
        let plan = try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "quarter"), provider: "acme",
            amount: Money(minorUnits: 1000, currency: .satoshi),
            schedule: RecurringSchedule(.months(every: 3, day: 31), from: RecurringSamples.start))
        do { _ = try await SQLiteRecurringJournal(path: path).store(plan, opening: []) }
        #expect(try await SQLiteRecurringJournal(path: path).plan(plan.id) == plan.stored)
    }
}

/// One of each value that a file can hold.
enum RecurringSamples {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)

    static func all() throws -> [(plan: RecurringPlan, charges: [RecurringCharge])] {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let schedules = [
            try RecurringSchedule(.daily, from: start, in: berlin),
            try RecurringSchedule(.weekly, from: start, count: 20),
            try RecurringSchedule(.monthly(day: 31), from: start, until: start.addingTimeInterval(1e9 / 3)),
            try RecurringSchedule(.yearly(month: 2, day: 29), from: start, firstNumber: 3),
            try RecurringSchedule(.every(seconds: 3600), from: start),
        ]
        let states: [RecurringCharge.State] = [
            .due, .started, .waiting("above the limit"), .unknown("no answer \"yet\""), .paid(transactionID: nil),
            .paid(transactionID: "tx"), .missed(.absence), .missed(.paused), .missed(.ended), .missed(.notApproved),
            .missed(.refused), .missed(.declined("no")), .missed(.failed("no route")), .missed(.noSuchDay),
        ]
        return try schedules.enumerated().map { index, schedule in
            var plan = try RecurringPlan(
                id: RecurringPlan.ID(rawValue: "plan-\(index)"), provider: "acme",
                amount: Money(minorUnits: 1000 + UInt128(index), currency: index == 0 ? .eur : .satoshi),
                schedule: schedule,
                policy: RecurringPolicy(
                    RecurringPolicy.CatchUp.allCases[index % 3], mostCaughtUp: 4, ahead: .milliseconds(1500 * index),
                    grace: .seconds(7), mostAttempts: 2, pause: .seconds(9)),
                details: ["payee": "o1gg", "n": 1])
            guard index == 4 else { return (plan, []) }
            var charges = plan.open(at: start.addingTimeInterval(13.5 * 3600))
            for (place, state) in states.enumerated() {
                charges[place].state = state
                charges[place].attempts = place
                charges[place].failures = place % 3
                charges[place].notBefore = start.addingTimeInterval(Double(place) / 3)
                charges[place].isApproved = place % 2 == 0
            }
            return (plan, charges)
        }
    }
}

/// A journal with a mistake.
actor ForgetfulJournal: RecurringJournal {
    enum Mistake { case anyRevision, finalIsNot, noLease, laterForEarlier, readsOnce }

    private let mistake: Mistake
    private let base: InMemoryRecurringJournal
    private var rewritten: [RecurringCharge.ID: RecurringCharge] = [:]

    init(_ mistake: Mistake, _ base: InMemoryRecurringJournal = InMemoryRecurringJournal()) {
        self.mistake = mistake
        self.base = base
    }

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool { await base.acquire(lease, at: now) }
    func renew(_ lease: PaymentLease, at now: Date) async throws { try await base.renew(lease, at: now) }
    func release(_ lease: PaymentLease) async throws { await base.release(lease) }
    func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        do { return try await base.store(plan, opening: charges) } catch {
            if mistake == .anyRevision { return plan.stored }
            throw error
        }
    }
    func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? { await base.plan(id) }
    func plans() async throws -> [RecurringPlan] { await base.plans() }
    func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        await base.plans(dueBy: date, limit: limit)
    }
    func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        do {
            try await base.write(charge, under: lease, at: now)
            if mistake == .readsOnce { rewritten[charge.id] = charge }
        } catch {
            switch (mistake, error) {
            case (.finalIsNot, is RecurringJournalError), (.noLease, is JournalError): rewritten[charge.id] = charge
            default: throw error
            }
        }
    }
    func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await base.reopen(charge, under: lease, at: now)
        if mistake == .readsOnce { rewritten[charge.id] = charge }
    }
    func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? {
        if let charge = rewritten[id] { return charge }
        let charge = await base.charge(id)
        if mistake == .readsOnce { rewritten[id] = charge }
        return charge
    }
    func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] { await base.charges(of: plan) }
    func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        await base.openCharges(by: date, limit: limit)
    }
    func trustedTime() async throws -> Date? { await base.trustedTime() }
    func trust(_ date: Date, isCorrection: Bool) async throws {
        await base.trust(date, isCorrection: isCorrection || mistake == .laterForEarlier)
    }
}
