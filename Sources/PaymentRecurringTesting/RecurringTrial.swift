import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One probe of one journal: it writes to the journal and collects the defects.
final class RecurringTrial: StorageTrial {
    let storage: RecurringSubject.Storage
    var journal: any RecurringJournal { storage.journal }
    let findings = Findings()

    init(_ storage: RecurringSubject.Storage) { self.storage = storage }

    // MARK: Samples

    private static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private static let day = 86_400.0

    private static func moment(_ days: Double) -> Date { start.addingTimeInterval(days * day) }

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

    private func lease(_ charge: RecurringCharge, _ holder: String = "holder") -> PaymentLease {
        PaymentLease(payment: charge.reference, holder: holder, duration: .seconds(60))
    }

    /// Opens that many periods of a plan, and returns the plan as it is stored.
    @discardableResult
    private func store(
        _ id: String = "plan", open count: Int
    ) async throws -> (plan: RecurringPlan, charges: [RecurringCharge]) {
        var plan = try await journal.store(try Self.plan(id), opening: [])
        let charges = plan.open(at: Self.moment(Double(count) - 0.5))
        plan = try await journal.store(plan, opening: charges)
        return (plan, charges)
    }

    // MARK: Probes

    func planRace() async throws {
        let journal = journal
        let plan = try await journal.store(try Self.plan(), opening: [])
        expect(plan.revision == 1, "a new plan has the revision \(plan.revision)")
        await expects(RecurringJournalError.changedPlan(plan.id), "a second plan of one name") {
            _ = try await journal.store(try Self.plan(), opening: [])
        }
        let winners = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var mine = plan
                    let charges = mine.open(at: Self.moment(0.5))
                    return (try? await journal.store(mine, opening: charges)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(winners == 1, "\(winners) of 32 who changed a plan at once did")
        let count = try await journal.charges(of: plan.id).count
        expect(count == 1, "a period that 32 opened at once is there \(count) times")
    }

    func opening() async throws {
        var (plan, charges) = try await store(open: 3)
        expect(try await journal.charges(of: plan.id) == charges, "what was opened is not what is read")
        let more = plan.open(at: Self.moment(4.5))
        var other = more
        other.removeFirst()
        let gap = plan
        await expects(RecurringJournalError.changedPlan(plan.id), "a gap between periods") {
            _ = try await journal.store(gap, opening: other)
        }
        expect(try await journal.plan(plan.id)?.next == 3, "a plan that was refused is stored")
        expect(try await journal.charges(of: plan.id).count == 3, "periods of a plan that was refused are stored")
        plan = try await journal.store(plan, opening: more)
        expect(try await journal.charges(of: plan.id) == charges + more, "periods are not in their order")
        var later = try Self.plan("later", firstNumber: 7)
        charges = later.open(at: Self.moment(1.5))
        _ = try await journal.store(later, opening: charges)
        for charge in charges {
            expect(try await journal.charge(charge.id) == charge, "the period \(charge.id) is not found by its number")
        }
    }

    func fidelity() async throws {
        let (plan, charges) = try await store(open: 1)
        expect(try await journal.plan(plan.id) == plan, "a plan is not read as it was stored")
        guard var charge = charges.first else { return }
        let lease = lease(charge)
        expect(try await journal.acquire(lease, at: Self.start), "a free lease is not given")
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
            try await journal.write(charge, under: lease, at: Self.start)
            expect(try await journal.charge(charge.id) == charge, "a period that is \(state) is not read as written")
        }
        expect(
            try await journal.charge(RecurringCharge.ID(plan: plan.id, number: 9)) == nil, "there is a period too many")
        expect(try await journal.plan(RecurringPlan.ID(rawValue: "no")) == nil, "there is a plan too many")
    }

    func lists() async throws {
        for (name, days) in [("c", 2.0), ("a", 1), ("b", 1)] {
            _ = try await journal.store(try Self.plan(name, from: days), opening: [])
        }
        func due(_ days: Double, _ limit: Int = 10) async throws -> [String] {
            try await journal.plans(dueBy: Self.moment(days), limit: limit).map(\.id.rawValue)
        }
        expect(try await due(0.99).isEmpty, "a plan is due before its day")
        expect(try await due(1) == ["a", "b"], "plans are not listed when they are due")
        expect(try await due(2) == ["a", "b", "c"], "plans are not listed by when they are due")
        expect(try await due(2, 2) == ["a", "b"], "a list is longer than was asked for")
        expect(try await journal.plans().map(\.id.rawValue) == ["a", "b", "c"], "plans are not listed by name")
        if var plan = try await journal.plan(RecurringPlan.ID(rawValue: "a")) {
            _ = plan.end(at: Self.start)
            _ = try await journal.store(plan, opening: [])
        }
        expect(try await due(9) == ["b", "c"], "a plan that was ended is due")
        let (_, charges) = try await store("z", open: 3)
        for (charge, state) in zip(charges, [.paid(transactionID: nil), .started, .due] as [RecurringCharge.State]) {
            var charge = charge
            charge.state = state
            charge.notBefore = Self.moment(state == .due ? 0.5 : 0.6)
            _ = try await journal.acquire(lease(charge), at: Self.start)
            try await journal.write(charge, under: lease(charge), at: Self.start)
        }
        let open = try await journal.openCharges(by: Self.moment(0.6), limit: 10).map(\.id.number)
        expect(open == [2, 1], "open periods are listed as \(open), and not as they were to be looked at")
        let early = try await journal.openCharges(by: Self.moment(0.59), limit: 10).map(\.id.number)
        expect(early == [2], "a period is listed before it may be looked at")
    }

    func finality() async throws {
        let (plan, charges) = try await store(open: 2)
        for (charge, end) in zip(charges, [.paid(transactionID: "t"), .missed(.absence)] as [RecurringCharge.State]) {
            var final = charge
            final.state = end
            let lease = lease(charge)
            _ = try await journal.acquire(lease, at: Self.start)
            try await journal.write(final, under: lease, at: Self.start)
            for state in [RecurringCharge.State.due, .started, .paid(transactionID: "again"), .missed(.refused)] {
                var again = final
                again.state = state
                let write = again
                await expects(RecurringJournalError.finishedCharge(charge.id), "writing of a period that is over") {
                    try await journal.write(write, under: lease, at: Self.start)
                }
            }
            expect(try await journal.charge(charge.id) == final, "a period that was over has changed")
        }
        try await reopening()
        var unknown = charges[0]
        unknown = RecurringCharge(
            id: RecurringCharge.ID(plan: plan.id, number: 7), provider: unknown.provider, amount: unknown.amount,
            period: unknown.period, deadline: unknown.deadline, notBefore: unknown.notBefore)
        let foreign = unknown
        _ = try await journal.acquire(lease(foreign), at: Self.start)
        await expects(RecurringJournalError.unknownCharge(foreign.id), "writing of a period that was not opened") {
            try await journal.write(foreign, under: lease(foreign), at: Self.start)
        }
    }

    /// Only a period that no worker has begun, and that is not paid, is opened again.
    private func reopening() async throws {
        let (_, charges) = try await store("reopened", open: 5)
        let ends: [(RecurringCharge.State, attempts: Int)] = [
            (.missed(.absence), 0), (.missed(.declined("no")), 1), (.missed(.refused), 0), (.started, 1),
            (.paid(transactionID: nil), 0),
        ]
        for (opened, end) in zip(charges, ends) {
            var (changed, again) = (opened, opened)
            (changed.state, changed.attempts) = end
            again.notBefore = Self.moment(40)
            let (final, reopened, lease) = (changed, again, lease(opened))
            _ = try await journal.acquire(lease, at: Self.start)
            try await journal.write(final, under: lease, at: Self.start)
            guard end.0 == .missed(.absence) else {
                await expects(
                    RecurringJournalError.finishedCharge(opened.id), "a period that is \(end.0) being opened again"
                ) {
                    try await journal.reopen(reopened, under: lease, at: Self.start)
                }
                continue
            }
            await expects(JournalError.leaseLost(opened.reference), "opening a period again without its lease") {
                try await journal.reopen(reopened, under: self.lease(opened, "another"), at: Self.start)
            }
            try await journal.reopen(reopened, under: lease, at: Self.start)
            expect(try await journal.charge(opened.id) == reopened, "a period that was opened again is not read so")
            let due = try await journal.openCharges(by: Self.moment(40), limit: 100).map(\.id)
            expect(due.contains(opened.id), "a period that was opened again is not listed")
        }
    }

    func exclusion(_ other: any RecurringJournal) async throws {
        let (_, charges) = try await store(open: 1)
        guard let charge = charges.first else { return }
        let (first, second) = (lease(charge, "first"), lease(charge, "second"))
        expect(try await journal.acquire(first, at: Self.start), "a free lease is not given")
        expect(try await other.acquire(second, at: Self.start) == false, "a lease has two holders")
        try await journal.renew(first, at: Self.start.addingTimeInterval(30))
        expect(
            try await other.acquire(second, at: Self.start.addingTimeInterval(89)) == false, "renewing keeps no lease")
        expect(try await other.acquire(second, at: Self.start.addingTimeInterval(90)), "a lease does not end")
        await expects(JournalError.leaseLost(first.payment), "renewing what another took over") {
            try await journal.renew(first, at: Self.start.addingTimeInterval(90))
        }
        try await journal.release(first)
        expect(
            try await journal.acquire(first, at: Self.start.addingTimeInterval(91)) == false,
            "a former holder gives its successor's lease back")
        try await other.release(second)
        expect(
            try await journal.acquire(first, at: Self.start.addingTimeInterval(91)), "what was released is not free")
    }

    func fence() async throws {
        let (_, charges) = try await store(open: 2)
        var started = charges[0]
        started.state = .started
        let (charge, other) = (started, charges[1])
        await expects(JournalError.leaseLost(charge.reference), "writing without a lease") {
            try await journal.write(charge, under: lease(charge), at: Self.start)
        }
        _ = try await journal.acquire(lease(other), at: Self.start)
        await expects(JournalError.leaseLost(charge.reference), "writing under another period's lease") {
            try await journal.write(charge, under: lease(other), at: Self.start)
        }
        _ = try await journal.acquire(lease(charge, "first"), at: Self.start)
        _ = try await journal.acquire(lease(charge, "second"), at: Self.moment(1))
        for date in [Self.start, Self.moment(1), Self.moment(9)] {
            await expects(JournalError.leaseLost(charge.reference), "writing under a lease that was taken over") {
                try await journal.write(charge, under: lease(charge, "first"), at: date)
            }
        }
        expect(try await journal.charge(charge.id)?.state == .due, "a refused write is stored")
    }

    func exactNames() async throws {
        for name in ["\u{E9}", "e\u{301}", "A", "a", "a/0", "a ", "' OR 1"] { try await store(name, open: 1) }
        expect(try await journal.plans().count == 7, "plans whose names look alike are taken for one")
        let first = try await journal.charges(of: RecurringPlan.ID(rawValue: "\u{E9}"))
        expect(
            first.count == 1 && first.allSatisfy { $0.id.plan == RecurringPlan.ID(rawValue: "\u{E9}") },
            "periods of plans whose names look alike are taken for one plan's")
    }

    func time() async throws {
        expect(try await journal.trustedTime() == nil, "a new journal trusts a time")
        try await journal.trust(Self.moment(1.0 / 3), isCorrection: false)
        try await journal.trust(Self.moment(0.1), isCorrection: false)
        expect(try await journal.trustedTime() == Self.moment(1.0 / 3), "the trusted time has gone back")
        try await journal.trust(Self.moment(0.2), isCorrection: true)
        expect(try await journal.trustedTime() == Self.moment(0.2), "the trusted time is not corrected")
    }

    func sharing() async throws {
        guard let reopen = storage.reopen else { throw InapplicableError(reason: "the storage cannot be opened twice") }
        let other = try await reopen()
        try await exclusion(other)
        var plan = try await journal.store(try Self.plan("shared"), opening: [])
        expect(try await other.plan(plan.id) == plan, "another does not see a plan")
        let seen = plan
        let charges = plan.open(at: Self.moment(0.5))
        _ = try await other.store(plan, opening: charges)
        var late = seen
        let again = late.open(at: Self.moment(0.5))
        let second = late
        await expects(RecurringJournalError.changedPlan(plan.id), "opening what another has opened") {
            _ = try await journal.store(second, opening: again)
        }
        expect(try await journal.charges(of: plan.id) == charges, "another's periods are not seen")
        for var charge in charges.prefix(1) {
            // Read before: what another writes afterwards has to be seen all the same.
            expect(try await journal.charge(charge.id) == charge, "another's period is not seen")
            charge.state = .started
            charge.attempts += 1
            let lease = PaymentLease(payment: charge.reference, holder: "other", duration: .seconds(60))
            guard try await other.acquire(lease, at: Self.start) else {
                return expect(false, "another does not get a lease")
            }
            try await other.write(charge, under: lease, at: Self.start)
            try await other.release(lease)
            expect(try await journal.charge(charge.id) == charge, "what another writes of a period is not seen")
            expect(
                try await journal.charges(of: plan.id).first == charge,
                "what another writes of a period is not in the list")
        }
        try await other.trust(Self.start, isCorrection: false)
        expect(try await journal.trustedTime() == Self.start, "another's time is not seen")
    }
}
