import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Links that name a payee but no single payment.
@Suite("Payees")
struct PayeeTests {
    private let clock = VirtualClock()
    private let journal = InMemoryJournal()
    private let random = SeededRandomSource(seed: 1)
    private let settler = TestSettler()

    private func router(
        _ provider: any PaymentProvider = InvoiceProvider(), _ leases: LeasePolicy = LeasePolicy(),
        log: PaymentLog = .silent
    ) throws -> PaymentRouter {
        try PaymentRouter(of: provider, journal: journal, clock: clock, random: random, log: log, leases: leases)
    }

    private func pay(_ settler: TestSettler, _ payee: String = "mina") async throws -> PaymentOutcome {
        try await router().pay("https://pay.acme.example/?payee=\(payee)", as: .careless(settler))
    }

    @Test("A payee who is paid again is paid again: each payment has a separate name")
    func again() async throws {
        let first = try receipt(try await pay(settler))
        let second = try receipt(try await pay(settler))
        #expect(first.reference != second.reference && settler.payments == 2)
        #expect(Set(settler.settlements.map(\.key)).count == 2)
        // The outcome of each of them is found by its name.
        #expect(try await router().status(of: first.reference) == .succeeded(first))
        #expect(try await router().status(of: second.reference) == .succeeded(second))
    }

    @Test("Two payments to one payee at the same moment are one")
    func joined() async throws {
        let (gate, settler) = (Gate(), TestSettler())
        var provider = InvoiceProvider()
        provider.quoteBody = { await gate.pass() }
        let (calls, joins) = (provider.calls, Tally())
        let router = try router(provider, log: PaymentLog { if case .joined = $0.kind { joins.count("joined") } })
        async let first = router.pay(InvoiceProvider.payee, as: .careless(settler))
        while calls["quote"] == 0 { await Task.yield() }
        async let second = router.pay(InvoiceProvider.payee, as: .careless(settler))
        async let third = router.pay(InvoiceProvider.payee, as: .careless(settler))
        while joins["joined"] < 2 { await Task.yield() }
        await gate.open()
        let outcomes = try await [first, second, third]
        #expect(Set(outcomes).count == 1 && settler.payments == 1)
        #expect(calls["quote"] == 1)
    }

    @Test("Payments to two payees do not wait for each other")
    func others() async throws {
        let settler = TestSettler(.losesAnswer)
        _ = try await pay(settler)
        settler.habit = .pays
        _ = try receipt(try await pay(settler, "jonas"))
        #expect(settler.payments == 2)
    }

    @Test("A payment whose end is not known is resumed before another one to the same payee begins")
    func interrupted() async throws {
        let settler = TestSettler(.losesAnswer)
        let unknown = try #require(try await pay(settler).unknownOutcome, "a lost answer was taken for an ending")
        settler.habit = .pays
        settler.isSilent = true
        #expect(try await pay(settler).unknownOutcome != nil, "another one began")
        settler.isSilent = false
        #expect(try receipt(try await pay(settler)).reference == unknown.reference)
        #expect(settler.payments == 1)
        #expect(try receipt(try await pay(settler)).reference != unknown.reference)
        #expect(settler.payments == 2)
    }

    @Test("An attempt that was begun and has sent nothing is abandoned, and recovery does not pay it later")
    func unsent() async throws {
        let quote = try await quote(settler)
        try await leaveUnsent(quote, in: journal)
        _ = try receipt(try await pay(settler))
        _ = try await router().recover(as: .careless(settler))
        #expect(settler.payments == 1)
        #expect(await journal.unfinished().isEmpty)
    }

    @Test("A request with a key abandons it as well")
    func unsentBesideKey() async throws {
        try await leaveUnsent(try await quote(settler), in: journal)
        let intent = PaymentIntent(of: InvoiceProvider.payee, key: "may", choice: .option("only"))
        #expect(
            try await router().carryOut(intent, as: Payer(settler: settler)).outcome?.receipt != nil, "it is not paid")
        #expect(await journal.unfinished().isEmpty)
        _ = try await router().recover(as: .careless(settler))
        #expect(settler.payments == 1)
    }

    @Test("An attempt that sends something just before it would be abandoned stays open, and nothing is paid beside it")
    func sentMeanwhile() async throws {
        let journal = FailingJournal { _ in false }
        let quote = try await quote(settler)
        let attempt = try await leaveUnsent(quote, in: journal.base)
        let clock = clock
        await journal.delayNextReading {
            let lease = PaymentLease(payment: attempt.reference, holder: "quick", duration: .seconds(1))
            let entry = JournalEntry(
                date: clock.now, event: .stepStarted(name: "settle", kind: .settlement(by: "test-orders")))
            #expect(await journal.base.acquire(lease, at: clock.now))
            await #expect(throws: Never.self) { try await journal.base.append(entry, to: attempt.id, under: lease) }
            await journal.base.release(lease)
        }
        let router = try PaymentRouter(of: InvoiceProvider(), journal: journal, clock: clock, random: random)
        #expect(
            try await router.pay(InvoiceProvider.payee, as: .careless(settler)).unknownOutcome != nil,
            "paid beside an open payment")
        #expect(settler.payments == 0)
        #expect(try await journal.unfinished().map(\.attempt.id) == [attempt.id])
    }

    @Test("A quote is paid once, however often it is tapped; another quote is another payment")
    func quotes() async throws {
        let router = try router()
        let (first, second) = (try await quote(settler), try await quote(settler))
        #expect(first.reference != second.reference)
        for _ in 0..<3 { _ = try receipt(try await router.pay(first, option: "only", as: .careless(settler))) }
        #expect(settler.payments == 1)
        _ = try receipt(try await router.pay(second, option: "only", as: .careless(settler)))
        #expect(settler.payments == 2)
    }

    @Test("A quote is not paid while an earlier payment to the payee may have moved money")
    func quoteAfterCrash() async throws {
        let settler = TestSettler(.losesAnswer)
        _ = try await pay(settler)
        settler.habit = .pays
        let unknown = try #require(
            try await router().pay(try await quote(settler), option: "only", as: .careless(settler)).unknownOutcome,
            "paid beside an open payment")
        #expect(unknown.message.contains("before you pay again") && settler.payments == 1)
        // The open payment is resumed, and the next quote can be paid.
        _ = try await router().recover(as: .careless(settler))
        _ = try receipt(
            try await router().pay(try await quote(settler), option: "only", as: .careless(settler)))
        #expect(settler.payments == 2)
    }

    @Test("Two quotes of one payee that are paid at the same moment are not both in progress")
    func twoQuotes() async throws {
        let (gate, settler) = (Gate(), TestSettler())
        settler.habit = .waits(gate)
        let (first, second) = (try await quote(settler), try await quote(settler))
        let router = try router()
        async let paid = router.pay(first, option: "only", as: .careless(settler))
        while settler.settlements.isEmpty { await Task.yield() }
        #expect(
            try await router.pay(second, option: "only", as: .careless(settler)).unknownOutcome != nil,
            "the second one was paid beside the first")
        await gate.open()
        _ = try receipt(try await paid)
        #expect(settler.payments == 1)
    }

    @Test("Another process that pays the payee at the same moment sends nothing")
    func twoProcesses() async throws {
        let (gate, settler) = (Gate(), TestSettler())
        settler.habit = .waits(gate)
        async let paid = pay(settler)
        while settler.settlements.isEmpty { await Task.yield() }
        let other = try router(InvoiceProvider(), LeasePolicy(timeout: .zero))
        let error = await failure { try await other.pay(InvoiceProvider.payee, as: .careless(settler)) }
        #expect(error?.code == .inUse)
        await gate.open()
        _ = try receipt(try await paid)
        #expect(settler.payments == 1)
    }

    @Test("A caller that stops waiting for a payment to a payee learns that it may have been made")
    func cancelled() async throws {
        let (gate, settler) = (Gate(), TestSettler())
        settler.habit = .waits(gate)
        let router = try router(InvoiceProvider(), LeasePolicy(grace: .zero))
        let task = Task { try await router.pay(InvoiceProvider.payee, as: .careless(settler)) }
        while settler.settlements.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value.unknownOutcome != nil, "told that it was cancelled")
        await gate.open()
    }

    @Test("A provider that cannot distinguish payees has no links that name one")
    func fault() async throws {
        var world = World()
        world.provider.match = { _ in LinkMatch(.payee("mina")) }
        struct Unable: ForwardingProvider {
            let base: ScriptedProvider
            func recognize(_ link: PaymentLink) -> LinkMatch? { LinkMatch(.payee("mina")) }
        }
        let router = try router(Unable(base: world.provider))
        let error = await failure { try await router.pay(ScriptedProvider.link, as: .careless) }
        #expect(error?.code == .providerFault && world.provider.calls["quote"] == 0)
    }

    // MARK: Help

    private func quote(_ settler: TestSettler) async throws -> PaymentQuote {
        let router = try router()
        return try await router.quote(
            try #require(router.route(InvoiceProvider.payee).route), as: .careless(settler))
    }

    /// The state that a crash leaves right after the choice.
    @discardableResult
    private func leaveUnsent(_ quote: PaymentQuote, in journal: InMemoryJournal) async throws -> PaymentAttempt {
        let attempt = PaymentAttempt(
            "att_unsent", at: quote.reference, option: try #require(quote.options.first), from: clock.now)
        try await journal.leave(attempt)
        return attempt
    }
}
