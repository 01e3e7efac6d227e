import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// The life of reservations: they end with the attempt, through crashes and late statuses.
@Suite("Reservations")
struct ReservationTests {
    private let journal = InMemoryJournal()
    private static let reference = ScriptedProvider.reference
    private static let paid = ServiceReport.succeeded(PaymentReceipt(reference: reference))

    /// A world with a limit that one payment uses up.
    private func world(_ journal: InMemoryJournal, pay: ScriptedProvider.Pay? = nil) -> World {
        var world = World()
        world.journal = journal
        world.autoPay = AutoPayTests.daily(1000)
        if let pay { world.provider.payBody = pay }
        return world
    }

    private func states(_ journal: InMemoryJournal) async -> [SpendingRecord.State] {
        await journal.spendings(since: SpendingDay(number: .min)).map(\.state)
    }

    /// True if another payment is possible within the limit.
    private func hasRoom(_ world: World) async throws -> Bool {
        AutoPayTests.isPaid(try await world.router.pay(AutoPayTests.link("other"), as: Payer()))
    }

    @Test("What is declined, or fails before anything was sent, leaves room")
    func unpaid() async throws {
        for pay: ScriptedProvider.Pay in [
            { _, _ in .declined(DeclineReason(.refused, "no")) }, { _, _ in .expired },
            { _, _ in throw PaymentError(.requestRefused, "no", provider: "acme") },
        ] {
            let journal = InMemoryJournal()
            var world = world(journal, pay: pay)
            _ = try? await world.pay(as: Payer())
            #expect(await states(journal) == [.released])
            world.provider.payBody = ScriptedProvider().payBody
            #expect(try await hasRoom(world))
        }
    }

    @Test("What may have been paid stays reserved, until its end is known")
    func unknown() async throws {
        for (word, state) in [
            (Self.paid, SpendingRecord.State.paid), (.declined(DeclineReason(.refused, "no")), .released),
        ] {
            let journal = InMemoryJournal()
            var world = world(journal) { attempt, context in
                _ = try await context.step("capture", .mutation(replay: .never)) { () -> Int in
                    throw TransportError(.maybeSent, .timedOut, origin: "api.acme.example")
                }
                return .succeeded(PaymentReceipt(reference: attempt.reference))
            }
            world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
            #expect(try await world.pay(as: Payer()).unknownOutcome != nil, "the end is not known")
            #expect(await states(journal) == [.reserved])
            world.clock.advance(by: .seconds(3600))
            #expect(try await !hasRoom(world), "it may have been paid")
            world.provider.statusBody = { _, _ in word }
            _ = try await world.router.recover(as: Payer())
            #expect(await states(journal).first == state)
            world.provider.payBody = ScriptedProvider().payBody
            #expect(try await hasRoom(world) == (state == .released))
        }
    }

    @Test("What was chosen anew is reserved once")
    func chosenAnew() async throws {
        let (journal, ran) = (InMemoryJournal(), Tally())
        let world = world(journal) { attempt, _ in
            ran.count("pay")
            if ran["pay"] < 3 { throw PaymentError(.optionChanged, "the price has changed", provider: "acme") }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        #expect(try await world.pay(as: Payer()) == Self.paid)
        #expect(await states(journal) == [.released, .released, .paid])
    }

    @Test("A return that ends a payment settles what it has reserved at once, whatever the end")
    func fromElsewhere() async throws {
        for (word, state) in [
            (Self.paid, SpendingRecord.State.paid), (.declined(DeclineReason(.refused, "no")), .released),
        ] {
            let journal = InMemoryJournal()
            var world = world(journal) { _, _ in .pending(retryAfter: nil) }
            world.provider.completeBody = { _, _ in word }
            world.provider.statusBody = { _, _ in word }
            _ = try await world.pay(as: Payer())
            #expect(await states(journal) == [.reserved])
            #expect(try await world.router.handle("shop://paid?id=p1") == word)
            #expect(await states(journal) == [state])
        }
    }

    // MARK: Crashes

    /// Reserves for an attempt that a crash prevents from opening.
    private func leave(
        _ id: String, _ payment: String, in journal: InMemoryJournal, _ world: World,
        keeper: Spending.Keeper = .journal
    ) async throws {
        let spending = Spending(
            attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: payment),
            amounts: [.cents(1000)], day: SpendingDay(world.clock.now, in: .gmt), method: "card",
            keeper: keeper)
        let limits = [SpendingLimit(.cents(1000), per: .day)]
        #expect(try await journal.reserve(spending, within: limits) == .granted)
    }

    @Test(
        "A reservation of an attempt that was never opened is released when it is in the way",
        arguments: ["p1", "p2"])
    func neverOpened(payment: String) async throws {
        let world = world(journal)
        try await leave("att_dead", payment, in: journal, world)
        #expect(try await world.pay(as: Payer()) == Self.paid)
        #expect(await states(journal) == [.released, .paid])
    }

    @Test("What an application keeps itself is left to it")
    func kept() async throws {
        let world = world(journal)
        try await leave("own", "p2", in: journal, world, keeper: .application)
        #expect(AutoPayTests.declined(try await world.pay(as: Payer()))?.code == .overLimit)
        _ = try await world.router.recover(as: Payer())
        #expect(await states(journal) == [.reserved])
    }

    @Test("A reservation of another process that is about to open the attempt is left to it")
    func aboutToOpen() async throws {
        let world = world(journal)
        try await leave("att_living", "p2", in: journal, world)
        let lease = PaymentLease(
            payment: PaymentReference(provider: "acme", id: "p2"), holder: "living", duration: .seconds(30))
        #expect(await journal.acquire(lease, at: world.clock.now))
        #expect(AutoPayTests.declined(try await world.pay(as: Payer()))?.code == .overLimit)
        _ = try await world.router.recover(as: Payer())
        #expect(await states(journal) == [.reserved])
        // A process that was silent for too long has lost the lease, and can open nothing any more.
        world.clock.advance(by: .seconds(31))
        #expect(try await world.pay(as: Payer()) == Self.paid)
        #expect(await states(journal) == [.released, .paid])
        let attempt = PaymentAttempt("att_living", at: lease.payment, from: world.clock.now)
        await #expect(throws: JournalError.leaseLost(lease.payment)) { try await journal.open(attempt, under: lease) }
    }

    @Test("A crash between the end of an attempt and that of its reservation is made good")
    func endedUnsettled() async throws {
        // What was signed and handed in may have been cashed, whatever the service says.
        let signed: [JournalEntry.Event] = [
            .stepStarted(name: "sign", kind: .signature(until: VirtualClock().now.addingTimeInterval(900))),
            .stepFinished(name: "sign", result: "0x51"),
            .stepStarted(name: "confirm", kind: .mutation(replay: .never)),
            .stepFailed(name: "confirm", reason: "no"), .outcome(.declined(DeclineReason(.refused, "no"))),
        ]
        for (events, state) in [
            ([.outcome(Self.paid)], SpendingRecord.State.paid), ([.outcome(.cancelled)], .released),
            ([.abandoned(reason: "no")], .released), (signed, .paid),
        ] as [([JournalEntry.Event], SpendingRecord.State)] {
            let journal = InMemoryJournal()
            let world = world(journal)
            let id = try await world.crashed(events)
            try await leave(id.rawValue, "p1", in: journal, world)
            _ = try await world.router.recover(as: Payer())
            #expect(await states(journal) == [state])
        }
    }

    /// A journal in which a person decides between two looks of a recovery, or whose answers are lost.
    private struct DecidedJournal: ForwardingJournal, SpendingStore {
        let base: InMemoryJournal
        var decide: @Sendable () async throws -> Void = {}
        var answer: @Sendable (Call) throws -> Void = { _ in }

        func reserve(
            _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
        ) async throws -> SpendingVerdict {
            let verdict = try await base.reserve(spending, within: limits, counting: worths)
            try answer(.reserve)
            return verdict
        }
        func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
            try answer(.open)
            try await base.open(attempt, under: lease)
        }
        func commit(_ attempt: AttemptID) async throws { try await base.commit(attempt) }
        func release(_ attempt: AttemptID) async throws { try await base.release(attempt) }
        func spending(of attempt: AttemptID) async throws -> SpendingRecord? { await base.spending(of: attempt) }
        func reservedSpendings() async throws -> [SpendingRecord] {
            let records = await base.reservedSpendings()
            try await decide()
            return records
        }
        func spendings(since day: SpendingDay) async throws -> [SpendingRecord] { await base.spendings(since: day) }
    }

    /// The calls of a journal that may fail.
    enum Call: CaseIterable { case reserve, open }

    @Test(
        "A reservation is released at once when its answer is lost, or its attempt is not opened",
        arguments: Call.allCases)
    func failed(call: Call) async throws {
        struct LostError: Error {}
        var world = world(journal)
        world.journal = DecidedJournal(base: journal, answer: { if $0 == call { throw LostError() } })
        let error = await #expect(throws: PaymentError.self) { try await world.pay(as: Payer()) }
        #expect(error?.code == .journal && world.provider.calls["pay"] == 0)
        #expect(await states(journal) == [.released])
    }

    @Test("A reservation that a person's decision has released is not spent by a recovery that had seen it before")
    func decidedMeanwhile() async throws {
        var world = world(journal)
        let end = world.clock.now.addingTimeInterval(900)
        let id = try await world.crashed([
            .stepStarted(name: "sign", kind: .signature(until: end)), .stepFinished(name: "sign", result: "0x51"),
            .stepStarted(name: "confirm", kind: .mutation(replay: .never)),
        ])
        try await leave(id.rawValue, "p1", in: journal, world)
        world.clock.advance(by: .seconds(901))
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let person = try world.router
        world.journal = DecidedJournal(base: journal) {
            _ = try await person.end(id, as: .notPaid, by: "Mina", evidence: "statement of account")
        }
        try await world.router.settleSpendings()
        #expect(await states(journal) == [.released])
    }

    @Test("An attempt that a crash has left keeps its reservation, on any later day, and counts once")
    func goesOn() async throws {
        let world = world(journal)
        let id = try await world.crashed([])
        try await leave(id.rawValue, "p1", in: journal, world)
        _ = try await world.router.recover(as: Payer(), width: 1)
        #expect(await states(journal) == [.paid])
        #expect(try await !hasRoom(world))
    }

    @Test(
        "An attempt that was begun and never ended keeps its reservation, whichever process looks",
        arguments: [
            [],
            [
                .stepStarted(name: "sign", kind: .signature(until: VirtualClock().now.addingTimeInterval(900))),
                .stepFinished(name: "sign", result: "0x51"),
            ],
        ] as [[JournalEntry.Event]])
    func open(signed: [JournalEntry.Event]) async throws {
        var world = world(journal) { _, _ in .pending(retryAfter: nil) }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let id = try await world.crashed(signed + [.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        try await leave(id.rawValue, "p1", in: journal, world)
        _ = try await world.router.recover(as: Payer())
        #expect(try await !hasRoom(world))
        #expect(await states(journal) == [.reserved])
    }

    @Test("The end of an attempt that another program has written settles nothing")
    func unsound() async throws {
        var world = world(journal)
        let id = try await world.crashed([.outcome(.cancelled)])
        try await leave(id.rawValue, "p1", in: journal, world)
        world.key = try JournalKey(Redacted([UInt8](repeating: 1, count: JournalKey.minimumLength)))
        try await world.router.settleSpendings()
        #expect(await states(journal) == [.reserved])
    }

    @Test("What was counted as paid before a crash stays so, and its attempt can still be ended as not paid")
    func countedBefore() async throws {
        var world = world(journal)
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        let id = try await world.crashed([.stepStarted(name: "capture", kind: .mutation(replay: .never))])
        try await leave(id.rawValue, "p1", in: journal, world)
        try await journal.commit(id)
        _ = try await world.router.end(id, as: .notPaid, by: "Mina", evidence: "statement of account")
        #expect(await states(journal) == [.paid])
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A released amount that turns out to be paid after all counts")
    func lateSuccess() async throws {
        let world = world(journal)
        let id = try await world.crashed([.outcome(Self.paid)])
        try await leave(id.rawValue, "p1", in: journal, world)
        try await journal.release(id)
        try await journal.commit(id)
        #expect(try await !hasRoom(world))
    }

    @Test("An attempt that was removed from the journal has settled its reservation before")
    func pruned() async throws {
        let world = world(journal)
        let id = try await world.crashed([.outcome(Self.paid)])
        try await leave(id.rawValue, "p1", in: journal, world)
        let later = world.clock.now.addingTimeInterval(1)
        #expect(await journal.prune(endedBefore: later, keepingProofsSince: later) == 0)
        _ = try await world.router.recover(as: Payer())
        #expect(await journal.prune(endedBefore: later, keepingProofsSince: later) == 1)
        #expect(try await !hasRoom(world), "what was spent is known without the attempt")
    }
}
