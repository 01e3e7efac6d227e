import Foundation
import PaymentCore
import PaymentRecurring
import PaymentStore
import TestSupport
import Testing

@Suite("Plans and their periods in a store of records")
struct RecurringPlansTests {
    /// The back ends, both of which `RecordConformance` checks.
    enum Backend: CaseIterable { case memory, file }

    private let folder = ScratchFolder()
    private let store = InMemoryRecords()
    private var plans: RecurringPlans { RecurringPlans(store) }
    private static let start = RecurringSamples.start

    private func plans(_ backend: Backend) throws -> RecurringPlans {
        switch backend {
        case .memory: plans
        case .file: RecurringPlans(try SQLiteRecords(path: folder.file("plans")))
        }
    }

    private static func moment(_ days: Double) -> Date { start.addingTimeInterval(days * 86_400) }

    private static func plan(
        _ id: String = "plan", from days: Double = 0, firstNumber: Int = 0
    ) throws -> RecurringPlan {
        try RecurringPlan(
            id: RecurringPlan.ID(rawValue: id), provider: "acme",
            amount: Money(minorUnits: 12_345_678_901_234_567_890, currency: .eur),
            schedule: RecurringSchedule(.daily, from: moment(days), firstNumber: firstNumber),
            policy: RecurringPolicy(.all, mostCaughtUp: 100),
            details: ["payee": "a\u{0}b\u{1F600}", "list": [1, "2.5", nil]])
    }

    private static func lease(_ charge: RecurringCharge, _ holder: String = "holder") -> RecordLease {
        RecurringPlans.lease(of: charge.id, holder: holder, duration: .seconds(60))
    }

    /// Stores a plan and opens that many periods of it.
    @discardableResult
    private static func store(
        _ id: String = "plan", open count: Int, in plans: RecurringPlans
    ) async throws -> (plan: RecurringPlan, charges: [RecurringCharge]) {
        var plan = try await plans.store(try plan(id), opening: [])
        let charges = plan.open(at: moment(Double(count) - 0.5))
        return (try await plans.store(plan, opening: charges), charges)
    }

    // MARK: Plans

    @Test("Of many that change a plan at once one does", arguments: Backend.allCases)
    func race(backend: Backend) async throws {
        let plans = try plans(backend)
        let plan = try await plans.store(try Self.plan(), opening: [])
        #expect(plan.revision == 1)
        await #expect(throws: RecurringPlanError.changedPlan(plan.id)) {
            try await plans.store(try Self.plan(), opening: [])
        }
        let winners = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var mine = plan
                    let charges = mine.open(at: Self.moment(0.5))
                    return (try? await plans.store(mine, opening: charges)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
        #expect(try await plans.charges(of: plan.id).count == 1)
    }

    @Test("Periods are opened in their order, each once")
    func opening() async throws {
        let plans = plans
        var (plan, charges) = try await Self.store(open: 3, in: plans)
        #expect(try await plans.charges(of: plan.id) == charges)
        let more = plan.open(at: Self.moment(4.5))
        let gap = plan
        await #expect(throws: RecurringPlanError.changedPlan(plan.id)) {
            try await plans.store(gap, opening: Array(more.dropFirst()))
        }
        #expect(try await plans.plan(plan.id)?.next == 3)
        #expect(try await plans.charges(of: plan.id).count == 3)
        plan = try await plans.store(plan, opening: more)
        #expect(try await plans.charges(of: plan.id) == charges + more)
        #expect(try await plans.charges(of: plan.id, from: 3) == more)
        var later = try Self.plan("later", firstNumber: 7)
        charges = later.open(at: Self.moment(3.5))
        #expect(charges.map(\.id.number) == Array(7...10))
        try await plans.store(later, opening: charges)
        #expect(try await plans.charges(of: later.id) == charges)
        for charge in charges { #expect(try await plans.charge(charge.id) == charge) }
    }

    @Test("A period is not opened twice, even where the record of its plan is an older one")
    func openedTwice() async throws {
        let plans = plans
        let older = try await plans.store(try Self.plan(), opening: [])
        var plan = older
        let charges = plan.open(at: Self.moment(0.5))
        let newer = plan
        try await plans.store(newer, opening: charges)
        let write = try StoredPlan.write(older)
        try await store.change([.record(write.key)]) { _ in RecordChange([write], ()) }
        await #expect(throws: RecurringPlanError.misplacedCharge(charges[0].id)) {
            try await plans.store(newer, opening: charges)
        }
    }

    @Test("Lists hold what is due, the longest due first")
    func lists() async throws {
        let plans = plans
        for (name, days) in [("c", 2.0), ("a", 1), ("b", 1)] {
            try await plans.store(try Self.plan(name, from: days), opening: [])
        }
        func due(_ days: Double, _ limit: Int = 10) async throws -> [String] {
            try await plans.plans(dueBy: Self.moment(days), limit: limit).map(\.id.rawValue)
        }
        #expect(try await due(0.99).isEmpty)
        #expect(try await due(1) == ["a", "b"])
        #expect(try await due(2) == ["a", "b", "c"])
        #expect(try await due(2, 2) == ["a", "b"])
        #expect(try await plans.nextLook() == Self.moment(1))
        #expect(try await plans.all().map(\.id.rawValue) == ["a", "b", "c"])
        var ended = try #require(try await plans.plan(RecurringPlan.ID(rawValue: "a")))
        _ = ended.end(at: Self.start)
        try await plans.store(ended, opening: [])
        #expect(try await due(9) == ["b", "c"])
        let (_, charges) = try await Self.store("z", open: 3, in: plans)
        for (charge, state) in zip(charges, [.paid(transactionID: nil), .started, .due] as [RecurringCharge.State]) {
            var charge = charge
            charge.state = state
            charge.notBefore = Self.moment(state == .due ? 0.5 : 0.6)
            #expect(await store.acquire(Self.lease(charge), at: Self.start))
            try await plans.write(charge, under: Self.lease(charge), at: Self.start)
        }
        #expect(try await plans.openCharges(by: Self.moment(0.6), limit: 10).map(\.id.number) == [2, 1])
        #expect(try await plans.openCharges(by: Self.moment(0.59), limit: 10).map(\.id.number) == [2])
        #expect(try await plans.nextLook() == Self.moment(0.5))
    }

    @Test("Any number of plans is listed by name")
    func manyPlans() async throws {
        #expect(try await plans.nextLook() == nil)
        let names = (0..<401).map { String($0 + 1000) }
        for name in names.shuffled() { try await plans.store(try Self.plan(name), opening: []) }
        #expect(try await plans.all().map(\.id.rawValue) == names)
    }

    @Test("Names are compared by their bytes")
    func exactNames() async throws {
        for name in ["\u{E9}", "e\u{301}", "A", "a", "a/0", "a ", "' OR 1"] {
            try await Self.store(name, open: 1, in: plans)
        }
        #expect(try await plans.all().count == 7)
        let id = RecurringPlan.ID(rawValue: "\u{E9}")
        #expect(try await plans.charges(of: id).map(\.id) == [RecurringCharge.ID(plan: id, number: 0)])
        #expect(try await plans.plan(RecurringPlan.ID(rawValue: "no")) == nil)
    }

    // MARK: Periods

    @Test("A period is read as it was written", arguments: Backend.allCases)
    func fidelity(backend: Backend) async throws {
        let plans = try plans(backend)
        let (plan, charges) = try await Self.store(open: 1, in: plans)
        #expect(try await plans.plan(plan.id) == plan)
        var charge = charges[0]
        let lease = Self.lease(charge)
        #expect(try await plans.store.acquire(lease, at: Self.start))
        for state in [
            RecurringCharge.State.started, .waiting("a \"b\"\u{0}"), .unknown("\u{1F600}"), .due,
            .missed(.declined("no")),
        ] {
            charge.state = state
            charge.attempts += 1
            charge.failures += 2
            charge.notBefore = Self.moment(1.0 / 3)
            charge.isApproved.toggle()
            charge.terms = charge.isApproved ? ["payee": "a\u{0}b\u{1F600}", "amounts": [1, "2.5", nil]] : nil
            try await plans.write(charge, under: lease, at: Self.start)
            #expect(try await plans.charge(charge.id) == charge)
        }
        #expect(try await plans.charge(RecurringCharge.ID(plan: plan.id, number: 9)) == nil)
    }

    @Test("A period that was paid or missed stays so")
    func finality() async throws {
        let plans = plans
        let (plan, charges) = try await Self.store(open: 2, in: plans)
        for (charge, end) in zip(charges, [.paid(transactionID: "t"), .missed(.absence)] as [RecurringCharge.State]) {
            var final = charge
            final.state = end
            let lease = Self.lease(charge)
            #expect(await store.acquire(lease, at: Self.start))
            try await plans.write(final, under: lease, at: Self.start)
            for state in [RecurringCharge.State.due, .started, .paid(transactionID: "again"), .missed(.refused)] {
                var again = final
                again.state = state
                let write = again
                await #expect(throws: RecurringPlanError.finishedCharge(charge.id)) {
                    try await plans.write(write, under: lease, at: Self.start)
                }
            }
            #expect(try await plans.charge(charge.id) == final)
        }
        let known = charges[0]
        let unknown = RecurringCharge(
            id: RecurringCharge.ID(plan: plan.id, number: 7), provider: known.provider, amount: known.amount,
            period: known.period, deadline: known.deadline, notBefore: known.notBefore)
        #expect(await store.acquire(Self.lease(unknown), at: Self.start))
        await #expect(throws: RecurringPlanError.unknownCharge(unknown.id)) {
            try await plans.write(unknown, under: Self.lease(unknown), at: Self.start)
        }
    }

    @Test("Only a period that no worker has begun, and that is not paid, is opened again")
    func reopening() async throws {
        let plans = plans
        let (_, charges) = try await Self.store(open: 5, in: plans)
        let ends: [(RecurringCharge.State, attempts: Int)] = [
            (.missed(.absence), 0), (.missed(.declined("no")), 1), (.missed(.refused), 0), (.started, 1),
            (.paid(transactionID: nil), 0),
        ]
        for (opened, end) in zip(charges, ends) {
            var (changed, again) = (opened, opened)
            (changed.state, changed.attempts) = end
            again.notBefore = Self.moment(40)
            let (final, reopened, lease) = (changed, again, Self.lease(opened))
            #expect(await store.acquire(lease, at: Self.start))
            try await plans.write(final, under: lease, at: Self.start)
            guard end.0 == .missed(.absence) else {
                await #expect(throws: RecurringPlanError.finishedCharge(opened.id)) {
                    try await plans.reopen(reopened, under: lease, at: Self.start)
                }
                continue
            }
            await #expect(throws: RecordError.leaseLost(lease.room)) {
                try await plans.reopen(reopened, under: Self.lease(opened, "another"), at: Self.start)
            }
            try await plans.reopen(reopened, under: lease, at: Self.start)
            #expect(try await plans.charge(opened.id) == reopened)
            #expect(try await plans.openCharges(by: Self.moment(40), limit: 100).map(\.id).contains(opened.id))
        }
    }

    @Test("A period is written only under its lease")
    func fence() async throws {
        let plans = plans
        let (_, charges) = try await Self.store(open: 2, in: plans)
        var started = charges[0]
        started.state = .started
        let (charge, other) = (started, charges[1])
        let lost = RecordError.leaseLost(Self.lease(charge).room)
        await #expect(throws: lost) { try await plans.write(charge, under: Self.lease(charge), at: Self.start) }
        #expect(await store.acquire(Self.lease(other), at: Self.start))
        await #expect(throws: lost) { try await plans.write(charge, under: Self.lease(other), at: Self.start) }
        #expect(await store.acquire(Self.lease(charge, "first"), at: Self.start))
        #expect(await store.acquire(Self.lease(charge, "second"), at: Self.moment(1)))
        for date in [Self.start, Self.moment(1), Self.moment(9)] {
            await #expect(throws: lost) {
                try await plans.write(charge, under: Self.lease(charge, "first"), at: date)
            }
        }
        #expect(try await plans.charge(charge.id)?.state == .due)
    }

    @Test("The trusted time goes back only by correction", arguments: Backend.allCases)
    func time(backend: Backend) async throws {
        let plans = try plans(backend)
        #expect(try await plans.trustedTime() == nil)
        try await plans.trust(Self.moment(1.0 / 3), isCorrection: false)
        try await plans.trust(Self.moment(0.1), isCorrection: false)
        #expect(try await plans.trustedTime() == Self.moment(1.0 / 3))
        try await plans.trust(Self.moment(0.2), isCorrection: true)
        #expect(try await plans.trustedTime() == Self.moment(0.2))
    }

    // MARK: The stored form

    @Test("What is stored is what the fixture says, byte for byte, and the fixture is read")
    func form() async throws {
        let samples = try RecurringSamples.all()
        let writes = try samples.flatMap { plan, charges in
            [try StoredPlan.write(plan.stored)] + (try charges.map(StoredCharge.write))
        }
        let lines = writes.compactMap { write -> String? in
            guard case .put(let key, let value, _) = write else { return nil }
            return "\(key.room.name) \(key.name.isEmpty ? "-" : key.name) \(String(decoding: value, as: UTF8.self))"
        }
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/recurring/version-1.txt")
        let text = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_RECURRING_FIXTURE"] != nil {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        let fixture = try String(contentsOf: url, encoding: .utf8)
        #expect(text == fixture, "another form has to be read as well once this one is released")
        for line in fixture.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            let name = words[1] == "-" ? "" : words[1]
            let record = Self.record(RecordKey(StoredPlan.kind, room: words[0], name: name), words[2])
            if name.isEmpty {
                let plan = try StoredPlan.read(record)
                #expect(samples.contains { $0.plan.stored == plan })
            } else {
                let charge = try StoredCharge.read(record)
                #expect(samples.flatMap(\.charges).contains(charge))
            }
        }
    }

    private static func record(_ key: RecordKey, _ value: String) -> StoredRecord {
        StoredRecord(key: key, value: Array(value.utf8), place: 1)
    }

    /// Returns the text of a write.
    private static func text(_ write: RecordWrite) throws -> String {
        guard case .put(_, let value, _) = write else { throw CocoaError(.featureUnsupported) }
        return String(decoding: value, as: UTF8.self)
    }

    @Test("Notices, pauses and what was announced beforehand are kept")
    func notices() async throws {
        var plan = try RecurringPlan("told", from: Self.start, RecurringPolicy(.all, notice: .milliseconds(3_600_500)))
        plan.pauses = [
            RecurringPause(from: Self.start.addingTimeInterval(1 / 3), until: Self.start.addingTimeInterval(9)),
            RecurringPause(from: Self.start.addingTimeInterval(99)),
        ]
        var charges = plan.open(at: Self.start)
        charges[0].state = .announced
        let stored = try await plans.store(plan, opening: charges)
        #expect(try await plans.plan(plan.id) == stored)
        #expect(try await plans.charges(of: plan.id) == charges)
        let text = try Self.text(try StoredPlan.write(stored))
        for broken in [#""pauses":7"#, #""pauses":[7]"#, #""pauses":[{"end":1}]"#, #""pause":1"#] {
            #expect(throws: RecurringPlanError.damaged("the plan 'told'")) {
                try StoredPlan.read(
                    Self.record(StoredPlan.key(plan.id), text.replacing(/"pauses":\[[^\]]*\]/, with: broken)))
            }
        }
    }

    @Test(
        "What cannot be read is damage, and neither missing nor another plan",
        arguments: ["{}", "x", #"{"state":"paid"}"#, "[]", ""])
    func unreadable(_ text: String) async throws {
        let plans = plans
        let (plan, charges) = try #require(try RecurringSamples.all().last)
        try await plans.store(plan, opening: charges)
        try await plans.trust(Self.start, isCorrection: false)
        let keys = [StoredPlan.key(plan.id), StoredCharge.key(charges[3].id), StoredTime.key]
        for key in keys {
            try await store.change([.record(key)]) { _ in
                RecordChange([.put(key, Array(text.utf8), marks: [StoredPlan.nameMark: RecordMark("")])], ())
            }
        }
        let (isPlan, isCharge) = (
            RecurringPlanError.damaged("the plan 'plan-4'"),
            RecurringPlanError.damaged("a period of the plan 'plan-4'")
        )
        await #expect(throws: isPlan) { try await plans.plan(plan.id) }
        await #expect(throws: isPlan) { try await plans.store(plan, opening: []) }
        await #expect(throws: RecurringPlanError.self) { try await plans.all() }
        await #expect(throws: isCharge) { try await plans.charges(of: plan.id) }
        await #expect(throws: isCharge) { try await plans.charge(charges[3].id) }
        await #expect(throws: RecurringPlanError.damaged("the time that was trusted")) {
            try await plans.trustedTime()
        }
    }

    @Test("The record of one period under the name of another is damage")
    func misplaced() throws {
        let charges = try #require(try RecurringSamples.all().last?.charges)
        let text = try Self.text(try StoredCharge.write(charges[0]))
        #expect(try StoredCharge.read(Self.record(StoredCharge.key(charges[0].id), text)) == charges[0])
        #expect(throws: RecurringPlanError.self) {
            try StoredCharge.read(Self.record(StoredCharge.key(charges[1].id), text))
        }
    }

    @Test(
        "A plan whose next period precedes its first, or that was never stored, is damage",
        arguments: [(3, 1, true), (2, 1, false), (3, 0, false)])
    func counts(next: Int, revision: Int, isRead: Bool) throws {
        let plan = try #require(try RecurringSamples.all().first { $0.plan.schedule.firstNumber == 3 }?.plan.stored)
        let text = try Self.text(try StoredPlan.write(plan)).replacing(#""next":3"#, with: #""next":\#(next)"#)
            .replacing(#""revision":1"#, with: #""revision":\#(revision)"#)
        let read = try? StoredPlan.read(Self.record(StoredPlan.key(plan.id), text))
        #expect((read != nil) == isRead)
    }

    @Test("A period with a negative number of tries is damage", arguments: ["attempts", "failures"])
    func negative(name: String) throws {
        let charge = try #require(try RecurringSamples.all().last?.charges.first)
        let text = try Self.text(try StoredCharge.write(charge))
        let broken = text.replacing("\"\(name)\":0", with: "\"\(name)\":-1")
        #expect(broken != text)
        #expect(throws: RecurringPlanError.self) {
            try StoredCharge.read(Self.record(StoredCharge.key(charge.id), broken))
        }
    }

    @Test("A paused or ended plan is read as it was written", arguments: [true, false])
    func status(isEnded: Bool) async throws {
        var plan = try PlanTests.plan()
        let charges = isEnded ? plan.end(at: PlanTests.start) : plan.pause(at: PlanTests.start)
        let stored = try await plans.store(plan, opening: charges)
        #expect(try await plans.plan(plan.id) == stored)
    }

    @Test("A plan of every few months is read as it was written by another process")
    func months() async throws {
        let plan = try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "quarter"), provider: "acme",
            amount: Money(minorUnits: 1000, currency: .satoshi),
            schedule: RecurringSchedule(.months(every: 3, day: 31), from: Self.start))
        try await plans(.file).store(plan, opening: [])
        #expect(try await plans(.file).plan(plan.id) == plan.stored)
    }
}

/// One of each value that can be stored.
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
