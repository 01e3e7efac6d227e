import Foundation
import PaymentCore
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentRouting

/// Attempts that people end, where no service ever answers.
@Suite("A person's decisions")
struct DecisionTests {
    private let world = World()
    private static let sent = [JournalEntry.Event.stepStarted(name: "pay", kind: .mutation(replay: .never))]
    private static let statement = "statement of account of November"

    /// A router whose providers are gone.
    private func bare(_ world: World) throws -> PaymentRouter {
        try world.router(key: world.key)
    }

    private func end(
        _ world: World, _ id: AttemptID, as decision: PaymentDecision, by person: String = "Mina",
        evidence: String = statement
    ) async throws -> PaymentOutcome {
        try await bare(world).end(id, as: decision, by: person, evidence: evidence)
    }

    @Test("A payment that a person calls paid is over, says who decided it and why, and is not made again")
    func paid() async throws {
        let id = try await world.crashed(Self.sent)
        let outcome = try await end(world, id, as: .paid)
        let words = "Mina decided: \(Self.statement)"
        #expect(outcome == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference, decision: words)))
        #expect(outcome.description == "paid, as \(words)")
        let history = try #require(try await world.histories.first)
        #expect(history.isFinished && history.outcome == outcome && history.endedAt == world.clock.now)
        #expect(try await world.pay() == outcome)
        #expect(try await world.router.resume(id, as: .careless) == outcome)
        #expect(world.provider.calls["pay"] == 0 && world.provider.calls["status"] == 0)
    }

    @Test("A payment that a person calls unpaid can be made again")
    func notPaid() async throws {
        let id = try await world.crashed(Self.sent)
        let reason = try #require(try await end(world, id, as: .notPaid).declineReason, "it is not paid")
        #expect(reason.code == .decided && reason.message == "not paid, as Mina decided: \(Self.statement)")
        #expect(AutoPayTests.isPaid(try await world.pay()))
        #expect(world.provider.calls["pay"] == 1)
    }

    @Test("What has ended, is not there or is decided without a person and evidence stays as it is")
    func refused() async throws {
        let id = try await world.crashed(Self.sent)
        for (person, evidence) in [("", "a statement"), ("Mina", " \n")] {
            let error = await failure { try await end(world, id, as: .paid, by: person, evidence: evidence) }
            #expect(error?.code == .decisionRefused)
        }
        let missing = await failure { try await end(world, AttemptID(rawValue: "att_other"), as: .paid) }
        #expect(missing?.code == .notFound)
        #expect(try await world.histories.first?.isFinished == false)
        let outcome = try await end(world, id, as: .notPaid)
        for decision in PaymentDecision.allCases {
            let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: decision) }
            #expect(error?.code == .attemptEnded && error?.message.contains("decided") == true)
        }
        #expect(try await world.histories.first?.outcome == outcome)
    }

    @Test(
        "While the wallet proves that it has sent the money, unpaid needs another proof; then a refusal is final again")
    func transaction() async throws {
        var world = World()
        world.provider.statusBody = { _, _ in .expired }
        let id = try await world.crashed([
            .stepStarted(name: "send", kind: .walletTransfer), .stepFinished(name: "send", result: "0xabc"),
        ])
        let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: .notPaid) }
        #expect(error?.code == .decisionRefused && error?.message.contains("0xabc") == true)
        #expect(try await world.histories.first?.isFinished == false)
        #expect(
            try await world.router.status(of: ScriptedProvider.reference).unknownOutcome != nil, "the coins have left")
        _ = try await end(world, id, as: .notPaidDespiteTransaction)
        #expect(try await world.router.status(of: ScriptedProvider.reference) == .expired)
    }

    @Test("While the service has a signature that pays, nothing can be called unpaid")
    func signature() async throws {
        let id = try await world.crashed(
            [.stepStarted(name: "sign", kind: .signature(until: world.clock.now.addingTimeInterval(900)))] + Self.sent)
        for decision in [PaymentDecision.notPaid, .notPaidDespiteTransaction] {
            let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: decision) }
            #expect(error?.code == .decisionRefused && error?.message.contains("signature") == true)
        }
        world.clock.advance(by: .seconds(901))
        _ = try await end(world, id, as: .notPaid)
        #expect(try await world.histories.first?.isFinished == true)
    }

    @Test("Without a transaction the evidence suffices")
    func noTransaction() async throws {
        let id = try await world.crashed([.stepStarted(name: "send", kind: .walletTransfer)])
        _ = try await end(world, id, as: .notPaid)
        #expect(try await world.histories.first?.isFinished == true)
    }

    @Test("What was reserved counts after paid, and is released after not paid", arguments: PaymentDecision.allCases)
    func reservation(decision: PaymentDecision) async throws {
        let journal = InMemoryJournal()
        var world = World()
        world.journal = journal
        world.autoPay = AutoPayTests.daily(1000)
        world.provider.payBody = { _, context in
            try await context.step("capture", .mutation(replay: .never)) {
                throw TransportError(.maybeSent, .timedOut, origin: "api.acme.example")
            }
        }
        world.provider.statusBody = { _, _ in .pending(retryAfter: nil) }
        _ = try await world.pay(as: Payer())
        let id = try #require(try await world.histories.first?.attempt.id)
        #expect(await journal.spending(of: id)?.state == .reserved)
        _ = try await end(world, id, as: decision)
        #expect(await journal.spending(of: id)?.state == (decision == .paid ? .paid : .released))
    }

    /// A journal in which the worker that has the payment stores something before it releases the lease.
    private struct BusyJournal: ForwardingJournal {
        let base = InMemoryJournal()
        let isBusy = Tally()

        func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
            guard isBusy["worker"] == 1, lease.holder != "crashed" else { return await base.acquire(lease, at: now) }
            isBusy.count("worker")
            let other = PaymentLease(payment: lease.payment, holder: "other", duration: .seconds(1))
            guard await base.acquire(other, at: now) else { return false }
            let entry = JournalEntry(date: now, event: .stepFinished(name: "pay", result: true))
            try await base.append(entry, to: AttemptID(rawValue: "att_crashed"), under: other)
            await base.release(other)
            return await base.acquire(lease, at: now)
        }
    }

    @Test("A decision about an attempt that was resumed meanwhile is refused", arguments: PaymentDecision.allCases)
    func resumed(decision: PaymentDecision) async throws {
        var world = World()
        let journal = BusyJournal()
        world.journal = journal
        let id = try await world.crashed(Self.sent)
        journal.isBusy.count("worker")
        let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: decision) }
        #expect(error?.code == .decisionRefused && error?.phase == .maybeSent)
        #expect(try await world.histories.first?.isFinished == false)
        // Seen as it is now, it can be decided.
        #expect(try await end(world, id, as: decision).isFinal)
    }

    @Test("A payment that another worker has is left to it")
    func inUse() async throws {
        let id = try await world.crashed(Self.sent)
        let lease = PaymentLease(payment: ScriptedProvider.reference, holder: "other", duration: .seconds(86_400))
        #expect(try await world.journal.acquire(lease, at: world.clock.now))
        let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: .paid) }
        #expect(error?.code == .inUse)
        #expect(try await world.histories.first?.isFinished == false)
    }

    /// A journal in which another worker has the payment at the first look, and can store nothing of what it does.
    private struct HeldJournal: ForwardingJournal {
        let base = InMemoryJournal()
        let looks = Tally()

        func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
            guard lease.holder != "crashed" else { return await base.acquire(lease, at: now) }
            looks.count("look")
            return looks["look"] == 1 ? false : await base.acquire(lease, at: now)
        }
    }

    @Test("A worker is not waited for, as what it begins after the person's look may not be stored")
    func notWaitedFor() async throws {
        var world = World()
        world.journal = HeldJournal()
        let id = try await world.crashed(Self.sent)
        let error = await #expect(throws: PaymentError.self) { try await end(world, id, as: .notPaid) }
        #expect(error?.code == .inUse)
        #expect(try await world.histories.first?.isFinished == false)
    }

    @Test("A record that another program has changed is ended as it is; what is changed after that shows")
    func sealed() async throws {
        var world = World()
        let id = try await world.crashed(
            [
                .stepStarted(name: "page", kind: .interaction), .stepFinished(name: "page", result: "an answer"),
            ] + Self.sent)
        let key = try JournalKey(Redacted([UInt8](repeating: 7, count: JournalKey.minimumLength)))
        world.key = key
        world.provider.statusBody = { _, _ in .expired }
        #expect(try await world.pay().unknownOutcome != nil, "its record cannot be trusted")
        _ = try await end(world, id, as: .notPaid)
        let history = try #require(try await world.histories.first)
        #expect(history.isFinished && key.isSound(history))
        for index in history.entries.indices {
            var changed = history
            changed.entries[index] = JournalEntry(
                date: changed.entries[index].date.addingTimeInterval(1), event: changed.entries[index].event,
                seal: changed.entries[index].seal)
            #expect(!key.isSound(changed))
            changed = history
            changed.entries.remove(at: index)
            #expect(!key.isSound(changed))
        }
        #expect(AutoPayTests.isPaid(try await world.pay()))

        var other = World()
        other.key = key
        other.provider.payBody = { attempt, _ in .pending(retryAfter: nil) }
        _ = try await other.pay()
        let open = try #require(try await other.histories.first?.attempt.id)
        _ = try await end(other, open, as: .paid)
        #expect(try await other.histories.allSatisfy { $0.isFinished && key.isSound($0) })
    }

    @Test("A payee whose settler never answers can be paid again after a person has looked")
    func payee() async throws {
        let (world, settler) = (World(), TestSettler(.diesBefore))
        let router = try world.router(of: InvoiceProvider())
        for _ in 0..<2 {
            #expect(
                try await router.pay(InvoiceProvider.payee, as: .careless(settler)).unknownOutcome != nil,
                "silence was taken for an ending")
            settler.isSilent = true
        }
        let open = try await world.journal.unfinished()
        #expect(open.count == 1 && settler.payments == 0)
        _ = try await end(world, try #require(open.first).attempt.id, as: .notPaid)
        (settler.isSilent, settler.habit) = (false, .pays)
        #expect(AutoPayTests.isPaid(try await router.pay(InvoiceProvider.payee, as: .careless(settler))))
        #expect(settler.payments == 1)
    }

    @Test("A decision that is refused leaves the settler's order as it is")
    func orderStays() async throws {
        let (world, settler) = (World(), TestSettler(.diesBefore))
        let router = try world.router(of: InvoiceProvider())
        _ = try await router.pay(InvoiceProvider.payee, as: .careless(settler))
        let open = try #require(try await world.journal.unfinished().first)
        let lease = PaymentLease(payment: open.attempt.reference, holder: "other", duration: .seconds(60))
        #expect(try await world.journal.acquire(lease, at: world.clock.now))
        let error = await #expect(throws: PaymentError.self) {
            try await router.end(
                open.attempt.id, as: .notPaid, by: "Mina", evidence: "statement", as: .careless(settler))
        }
        #expect(error?.code == .inUse && settler.abandoned.isEmpty)
        try await world.journal.release(lease)
        _ = try await router.end(
            open.attempt.id, as: .notPaid, by: "Mina", evidence: "statement", as: .careless(settler))
        #expect(settler.abandoned.count == 1)
    }

    @Test("The payee is sent no proof that does not exist")
    func notification() async throws {
        let (world, settler, provider) = (World(), TestSettler(.diesBefore), InvoiceProvider())
        let router = try world.router(of: provider)
        _ = try await router.pay(InvoiceProvider.invoice, as: .careless(settler))
        let id = try #require(try await world.journal.unfinished().first).attempt.id
        let outcome = try await end(world, id, as: .paid)
        #expect(try await router.resume(id, as: .careless(settler)) == outcome)
        #expect(try await router.pay(InvoiceProvider.invoice, as: .careless(settler)) == outcome)
        #expect(provider.calls["notify"] == 0 && settler.settlements.count == 1)
    }
}
