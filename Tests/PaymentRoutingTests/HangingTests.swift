import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

/// Payers whose pages and wallets never return.
@Suite("Callbacks that never return", .timeLimit(.minutes(10)))
struct HangingTests {
    private let pause = Pause()
    private static let completed = ServiceReport.succeeded(
        PaymentReceipt(reference: ScriptedProvider.reference, transactionID: "completed"))

    /// A payment that waits at its page until the pause ends, then charges.
    private static func world(_ page: Pause) -> World {
        var world = World()
        world.leases = LeasePolicy(timeout: .seconds(1_000_000), grace: .milliseconds(20))
        world.provider.payBody = { attempt, context in
            try await context.hold("page", .interaction, at: page)
            _ = try await context.step("charge", .mutation(replay: .never)) { () -> Int in
                try await context.http.send(.capture()).status
            }
            return .succeeded(PaymentReceipt(reference: attempt.reference))
        }
        return world
    }

    /// Returns the outcome that a caller receives; nil when it has received none within 20 seconds.
    private static func end(of caller: Task<PaymentOutcome, any Error>) async -> ServiceReport? {
        await TimeBound(.seconds(20), SystemPaymentClock()).result { try? await caller.value.report } ?? nil
    }

    @Test("Work that takes longer than it may is cancelled")
    func late() async throws {
        let (cancelled, end) = (Tally(), Gate())
        let result = await TimeBound(.zero, SystemPaymentClock()).result { () -> Bool in
            try? await Task.sleep(for: .seconds(20))
            if Task.isCancelled { cancelled.count("work") }
            await end.open()
            return true
        }
        #expect(result == nil)
        await end.pass()
        #expect(cancelled["work"] == 1)
    }

    /// A clock that reports when a sleep is cancelled.
    private struct WatchedClock: PaymentClock {
        let ended = Gate()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let uptime = Duration.zero

        func sleep(for duration: Duration) async throws {
            try? await Task.sleep(for: .seconds(3600))
            await ended.open()
        }
    }

    @Test("Nothing is left waiting for the limit of work that has ended")
    func early() async throws {
        let clock = WatchedClock()
        let result = await RouterTasks.$executor.withValue(ThreadExecutor()) {
            await TimeBound(.seconds(60), clock).result { 1 }
        }
        #expect(result == 1)
        let hasEnded = await TimeBound(.seconds(20), SystemPaymentClock()).result { () -> Bool in
            await clock.ended.pass()
            return true
        }
        #expect(hasEnded == true)
    }

    @Test("Every waiting caller receives the payer's return's ending, and none waits afterwards")
    func endedByReturn() async throws {
        let world = Self.world(pause)
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        let second = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        #expect(try await router.handle("shop://paid?id=p1") == Self.completed)
        for caller in [first, second] { try #require(await Self.end(of: caller) == Self.completed) }
        let id = try #require(try await world.histories.first?.attempt.id)
        #expect(try await router.pay(ScriptedProvider.link, as: .careless) == Self.completed)
        #expect(try await router.resume(id, as: Payer()) == Self.completed)
        #expect(try await router.recover(as: Payer()).isEmpty)
        await pause.end()
        #expect(world.transport.requests.isEmpty)
    }

    @Test("An ending that is no success is returned as well, and can be looked up")
    func endedWithoutSuccess() async throws {
        var world = Self.world(pause)
        world.provider.completeBody = { _, _ in .cancelled }
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        #expect(try await router.handle("shop://paid?id=p1") == .cancelled)
        try #require(await Self.end(of: first) == .cancelled)
        let id = try #require(try await world.histories.first?.attempt.id)
        #expect(try await router.resume(id, as: Payer()) == .cancelled)
        await pause.end()
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
            try await journal.leave(
                PaymentAttempt("att_\(id)", at: reference, key: id, from: clock.now),
                [.stepStarted(name: "charge", kind: .mutation(replay: .never))])
        }
        let router = try PaymentRouter(of: base, journal: journal, clock: clock, random: random)
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
        let world = Self.world(pause)
        let router = try world.router
        let task = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        task.cancel()
        let unknown = try #require(try await task.value.unknownOutcome, "the attempt is open")
        #expect(unknown.reference == ScriptedProvider.reference)
        #expect(try await world.journal.unfinished().count == 1)
        await pause.end()
    }

    @Test("A caller that is cancelled once another process has stored the payment learns that it is paid")
    func cancelledOncePaid() async throws {
        let (pause, journal) = (Pause(), FailingJournal { _ in false })
        var world = Self.world(pause)
        world.journal = journal
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        let paid = try await World().pay()
        let (open, lease) = (try #require(try await world.histories.first), try #require(await journal.lease))
        let entry = JournalEntry(date: world.clock.now, event: .outcome(paid))
        try await journal.base.append(entry, to: open.attempt.id, under: lease)
        first.cancel()
        #expect(await Self.end(of: first) == paid.report)
        await pause.end()
    }

    @Test("A caller that is cancelled while the chooser hangs learns that nothing was sent")
    func hangingChooser() async throws {
        let world = Self.world(Pause())
        let router = try world.router
        let payer = Payer(chooser: { quote in
            await pause.hold()
            return quote.options.first?.id
        })
        let task = Task { try await router.pay(ScriptedProvider.link, as: payer) }
        await pause.reached()
        task.cancel()
        await #expect { try await task.value } throws: {
            ($0 as? PaymentError)?.code == .cancelled && ($0 as? PaymentError)?.phase == .beforeSend
        }
        #expect(try await world.histories.isEmpty)
        // However late the chooser returns, the cancelled payment is not made.
        await pause.end()
        let other = Payer(chooser: { _ in nil })
        #expect(try await router.pay(ScriptedProvider.link, as: other) == .cancelled, "after the first has ended")
        #expect(world.transport.requests.isEmpty)
        #expect(try await world.histories.isEmpty)
    }

    @Test("A start of a payment that every other caller has left is not reported as cancelled")
    func joinsCancelled() async throws {
        let world = Self.world(pause)
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        first.cancel()
        guard case .unknown? = try? await first.value else {
            Issue.record("the first one's end is not known")
            return
        }
        async let second = router.pay(ScriptedProvider.link, as: .careless)
        while world.clock.slept < .seconds(1) { await Task.yield() }
        await pause.end()
        #expect(try await second == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(world.transport.requests.count == 1)
        #expect(try await world.histories.map(\.isFinished) == [true, true])
    }

    @Test("Of two waiting callers, the cancelled one leaves, and the other one's payment continues")
    func oneOfTwo() async throws {
        let world = Self.world(pause)
        let router = try world.router
        async let first = router.pay(ScriptedProvider.link, as: .careless)
        await pause.reached()
        let second = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        second.cancel()
        #expect(try await second.value.unknownOutcome != nil, "it goes on")
        await pause.end()
        #expect(try await first == .succeeded(PaymentReceipt(reference: ScriptedProvider.reference)))
        #expect(world.transport.requests.count == 1)
    }

    private static func intent(_ key: String?) -> PaymentIntent {
        PaymentIntent(of: ScriptedProvider.link, key: key, choice: .option("card"))
    }

    @Test("A caller that has joined a request keeps it in progress when the first one leaves", arguments: ["a", nil])
    func joinedRequest(key: String?) async throws {
        let (pause, joined) = (Pause(), Gate())
        let world = Self.world(pause)
        let router = try world.router(
            telling: PaymentLog { event in
                guard case .joined = event.kind else { return }
                Task { await joined.open() }
            })
        let first = Task { await router.carryOut(Self.intent("a"), as: Payer()) }
        await pause.reached()
        let second = Task { await router.carryOut(Self.intent(key), as: Payer()) }
        await joined.pass()
        first.cancel()
        _ = await first.value
        await pause.end()
        #expect(await second.value.outcome?.receipt != nil, "it was cancelled with the first one")
        #expect(world.provider.calls["pay"] == 1)
    }

    @Test("Another request whose payer never returns is waited for no longer than a lease")
    func impatientRequest() async throws {
        var world = Self.world(pause)
        world.leases = LeasePolicy(timeout: .milliseconds(20), grace: .milliseconds(20))
        let router = try world.router
        let first = Task { await router.carryOut(Self.intent("a"), as: Payer()) }
        await pause.reached()
        let second = await TimeBound(.seconds(20), SystemPaymentClock()).result {
            await router.carryOut(Self.intent("b"), as: Payer())
        }
        guard case .unanswered(let error, _)? = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(error.code == .inUse)
        await pause.end()
        _ = await first.value
    }

    @Test(
        "A payment whose payer never returns is not paid by another start either, which says so in bounded time")
    func impatient() async throws {
        var world = Self.world(pause)
        world.leases = LeasePolicy(grace: .milliseconds(20))
        let router = try world.router
        let first = Task { try await router.pay(ScriptedProvider.link, as: .careless) }
        await pause.reached()
        first.cancel()
        _ = try? await first.value
        await #expect { try await router.pay(ScriptedProvider.link, as: .careless) } throws: {
            ($0 as? PaymentError)?.code == .inUse && ($0 as? PaymentError)?.phase == .maybeSent
        }
        await pause.end()
    }
}
