import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Payers whose pages and wallets never return.
@Suite("Callbacks that never return", .timeLimit(.minutes(10)))
struct HangingTests {
    private static let completed = ServiceReport.succeeded(
        PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "completed"))

    /// A payment that waits at its page until `leave` opens, then charges.
    private static func world(_ inside: Gate, _ leave: Gate) -> World {
        var world = World()
        world.leases = LeasePolicy(timeout: .seconds(1_000_000), grace: .milliseconds(20))
        world.provider.payBody = { attempt, context in
            _ = try await context.step("page", .interaction) {
                await inside.open()
                await leave.pass()
                return true
            }
            _ = try await context.step("charge", .mutation(replay: .never)) { () -> Int in
                try await context.http.send(.capture()).status
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return world
    }

    @Test("Every waiting caller receives the payer's return's ending, and none waits afterwards")
    func endedByReturn() async throws {
        let (inside, leave) = (Gate(), Gate())
        let world = Self.world(inside, leave)
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await inside.pass()
        async let second = router.pay(ScriptedProvider.link, as: .careless)
        #expect(try await router.handle("shop://paid?id=p1") == Self.completed)
        #expect(try await [first, second].map(\.report) == [Self.completed, Self.completed])
        let id = try #require(try await world.histories.first?.attempt.id)
        #expect(try await router.pay(ScriptedProvider.link, as: .careless) == Self.completed)
        #expect(try await router.resume(id, as: Payer()) == Self.completed)
        #expect(try await router.recover(as: Payer()).isEmpty)
        await leave.open()
        #expect(world.transport.requests.isEmpty)
    }

    @Test("An ending that is no success is returned as well, and can be looked up")
    func endedWithoutSuccess() async throws {
        let (inside, leave) = (Gate(), Gate())
        var world = Self.world(inside, leave)
        world.provider.completeBody = { _, _ in .cancelled }
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await inside.pass()
        #expect(try await router.handle("shop://paid?id=p1") == .cancelled)
        #expect(try await first == .cancelled)
        let id = try #require(try await world.histories.first?.attempt.id)
        #expect(try await router.resume(id, as: Payer()) == .cancelled)
        await leave.open()
    }

    @Test("One attempt that never returns is reported, and the others are settled")
    func recovery() async throws {
        let (journal, clock, random, never) = (
            InMemoryJournal(), VirtualClock(), SeededRandomSource(seed: 1), Gate()
        )
        var base = ScriptedProvider()
        base.payBody = { attempt, _ in
            if attempt.reference.id == "p0" { await never.pass() }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        for id in ["p0", "p1"] {
            let reference = PaymentReference(provider: "acme", id: id)
            let attempt = PaymentAttempt(
                id: AttemptID(rawValue: "att_\(id)"), reference: reference, option: .euros("card"),
                idempotencyKey: id, startedAt: clock.now, expiresAt: nil)
            let lease = PaymentLease(payment: reference, holder: "crashed", duration: .seconds(1))
            #expect(await journal.acquire(lease, at: clock.now))
            try await journal.open(attempt, under: lease)
            let begun = JournalEntry.Event.stepStarted(name: "charge", kind: .mutation(replay: .never))
            try await journal.append(JournalEntry(date: clock.now, event: begun), to: attempt.id, under: lease)
            await journal.release(lease)
        }
        let router = PaymentRouter(
            registry: try ProviderRegistry([base]), transport: RecordingTransport(), journal: journal, clock: clock,
            random: random)
        let reports = try await router.recover(as: Payer(), width: 1, bound: .milliseconds(50))
        let hung = try #require(reports.first { $0.attempt.reference.id == "p0" }?.result)
        guard case .failure(let error) = hung else {
            Issue.record("\(hung)")
            return
        }
        #expect(error.phase == .maybeSent && reports.count == 2)
        #expect(await journal.unfinished().map(\.attempt.reference.id) == ["p0"])
        await never.open()
    }

    @Test("A caller that is cancelled while the payer's page hangs gets what is known, within bounded time")
    func cancelled() async throws {
        let (inside, leave) = (Gate(), Gate())
        let world = Self.world(inside, leave)
        let router = try world.router
        let task = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await inside.pass()
        task.cancel()
        guard case .unknown(let unknown) = try await task.value else {
            Issue.record("the attempt is open")
            return
        }
        #expect(unknown.reference == ScriptedProvider.reference)
        #expect(try await world.journal.unfinished().count == 1)
        await leave.open()
    }

    @Test("A caller that is cancelled while the chooser hangs learns that nothing was sent")
    func hangingChooser() async throws {
        let (inside, leave) = (Gate(), Gate())
        let world = Self.world(Gate(), Gate())
        let router = try world.router
        let payer = Payer(chooser: { quote in
            await inside.open()
            await leave.pass()
            return quote.options.first?.id
        })
        let task = Task { try await router.pay(ScriptedProvider.link, as: payer) }
        await inside.pass()
        task.cancel()
        await #expect { try await task.value } throws: {
            ($0 as? PaymentError)?.code == .cancelled && ($0 as? PaymentError)?.phase == .beforeSend
        }
        #expect(try await world.histories.isEmpty)
        // However late the chooser returns, the cancelled payment is not made.
        await leave.open()
        let other = Payer(chooser: { _ in nil })
        #expect(try await router.pay(ScriptedProvider.link, as: other) == .cancelled, "after the first has ended")
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.histories.isEmpty)
    }

    @Test("A start of a payment that every other caller has left is not reported as cancelled")
    func joinsCancelled() async throws {
        let (inside, leave) = (Gate(), Gate())
        let world = Self.world(inside, leave)
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await inside.pass()
        first.cancel()
        guard case .unknown? = try? await first.value else {
            Issue.record("the first one's end is not known")
            return
        }
        async let second = router.pay(ScriptedProvider.link, as: .careless)
        while world.clock.slept < .seconds(1) { await Task.yield() }
        await leave.open()
        #expect(try await second == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(world.transport.requests.count == 1)
        #expect(try await world.histories.map(\.isFinished) == [true, true])
    }

    @Test("Of two waiting callers, the cancelled one leaves, and the other one's payment continues")
    func oneOfTwo() async throws {
        let (inside, leave) = (Gate(), Gate())
        let world = Self.world(inside, leave)
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await inside.pass()
        let second = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        second.cancel()
        guard case .unknown = try await second.value else {
            Issue.record("it goes on")
            return
        }
        await leave.open()
        #expect(try await first == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(world.transport.requests.count == 1)
    }

    @Test(
        "A payment whose payer never returns is not paid by another start either, which says so in bounded time")
    func impatient() async throws {
        let (inside, leave) = (Gate(), Gate())
        var world = Self.world(inside, leave)
        world.leases = LeasePolicy(grace: .milliseconds(20))
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await inside.pass()
        first.cancel()
        _ = try? await first.value
        await #expect { try await router.pay(ScriptedProvider.link, as: .careless) } throws: {
            ($0 as? PaymentError)?.code == .inUse && ($0 as? PaymentError)?.phase == .maybeSent
        }
        await leave.open()
    }
}
