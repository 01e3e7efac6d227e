import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentSettlement
import PaymentTesting
import Synchronization
import TestSupport
import Testing

/// Periods paid by a router: within its limits, or after the payer's approval.
@Suite("Periods paid by a router")
struct RouterPayerTests {
    private let world = RecurringWorld()

    @Test("Within the limits a period is paid without a question, once, and counted")
    func withinLimits() async throws {
        let scheduler = try await world.scheduler(limit: 5000, of: try world.plan())
        for _ in 0..<2 { try await scheduler.look() }
        #expect(world.heard.all == ["rent/0 paid"] && world.settler.payments == 1)
        let counted = await world.journal.spendings(since: SpendingDay(number: 0))
        #expect(counted.map(\.state) == [.paid] && counted.first?.spending.amounts.first?.minorUnits == 2100)
        #expect(counted.first?.spending.payment == PaymentReference(provider: "acme", id: "rent/0"))
        try await world.nextDay(scheduler)
        #expect(world.heard.all == ["rent/0 paid", "rent/1 paid"] && world.settler.payments == 2)
    }

    @Test("Beyond the limits the payer is asked and nothing is spent; their yes pays the same period, once")
    func beyondLimits() async throws {
        let scheduler = try await world.scheduler(limit: 2099, of: try world.plan())
        for _ in 0..<2 { try await scheduler.look() }
        #expect(world.heard.all == ["rent/0 waiting"] && world.settler.payments == 0)
        #expect(await world.journal.reservedSpendings().isEmpty)
        #expect(await world.journal.histories(of: world.reference(0)).isEmpty)
        let period = RecurringCharge.ID(plan: world.id, number: 0)
        try await scheduler.approve(period)
        for _ in 0..<2 {
            try await scheduler.look()
            await #expect(throws: RecurringAnswerError.tooLate(period)) { try await scheduler.approve(period) }
        }
        #expect(world.heard.all == ["rent/0 waiting", "rent/0 paid"] && world.settler.payments == 1)
        #expect(await world.journal.spendings(since: SpendingDay(number: 0)).isEmpty, "a yes is no matter of limits")
    }

    @Test("A payer who has approved a period for one payee is asked again before another one is paid")
    func otherPayee() async throws {
        let scheduler = try await world.scheduler(limit: 100, of: try world.plan())
        let period = RecurringCharge.ID(plan: world.id, number: 0)
        for (link, isPaid) in [("https://pay.acme.example/?payee=eve", false), (InvoiceProvider.payee, true)] {
            try await scheduler.change(world.id) { plan, _ in
                plan.details = RecurringOrder(link: link, paysByItself: isPaid).details
                return []
            }
            await #expect(throws: RecurringAnswerError.changed(period)) { try await scheduler.approve(period) }
            #expect(world.settler.payments == 0 && world.heard.all.allSatisfy { $0 == "rent/0 waiting" })
        }
        try await scheduler.approve(period)
        #expect(world.settler.payments == 1 && world.heard.all.last == "rent/0 paid")
    }

    @Test(
        "A plan whose link is not clear, or does not prove its destination, pays nothing, approved or not",
        arguments: [LinkMatch.Trust.unclear(reason: "'currency' is not known"), .unverified(reason: "no key")])
    func untrustedLink(_ trust: LinkMatch.Trust) async throws {
        var world = RecurringWorld()
        world.trust = trust
        let scheduler = try await world.scheduler(limit: 5000, of: try world.plan())
        try? await scheduler.approve(RecurringCharge.ID(plan: world.id, number: 0))
        #expect(world.settler.payments == 0 && !world.heard.all.isEmpty)
        #expect(world.heard.all.allSatisfy { $0 == "rent/0 postponed" }, "\(world.heard.all)")
    }

    @Test("A period whose signatures only the payer can agree to waits for their approval")
    func consent() async throws {
        _ = try await world.scheduler(limit: 5000, of: try world.plan()) {
            throw PaymentError(.consentNeeded, "ask the payer")
        }
        #expect(world.heard.all == ["rent/0 waiting"] && world.settler.payments == 0)
    }

    @Test(
        "A plan that pays nothing by itself, a router without limits, and a policy that is narrower have the payer asked"
    )
    func alwaysAsked() async throws {
        for (limit, paysByItself, most) in [(5000, false, 5000), (nil, true, 5000), (5000, true, 2099)]
            as [(UInt128?, Bool, UInt128)]
        {
            var world = RecurringWorld()
            // The payer's policy limits a single payment.
            world.policy = .first(upTo: [.cents(most, .satoshi)])
            let scheduler = try await world.scheduler(limit: limit, of: try world.plan(paysByItself: paysByItself))
            #expect(world.heard.all == ["rent/0 waiting"] && world.settler.payments == 0)
            try await scheduler.refuse(RecurringCharge.ID(plan: world.id, number: 0))
            #expect(world.heard.all == ["rent/0 waiting", "rent/0 missed"] && world.settler.payments == 0)
        }
    }

    @Test("A payee who asks for more than the plan says, or for less, is not paid, also not with the payer's approval")
    func raised() async throws {
        for asked in [2101, 2099, 210_000] as [UInt128] {
            let world = RecurringWorld()
            let scheduler = try await world.scheduler(limit: 1_000_000, of: try world.plan())
            world.asked.withLock { $0 = .cents(asked, .satoshi) }
            try await world.nextDay(scheduler)
            try await scheduler.approve(RecurringCharge.ID(plan: world.id, number: 1))
            try await world.nextDay(scheduler)
            #expect(world.settler.payments == 1)
            #expect(Array(world.heard.all.prefix(2)) == ["rent/0 paid", "rent/1 postponed"])
            #expect(world.heard.all.contains("rent/1 missed"))
        }
    }

    @Test("Another option than the plan's is not taken, and the plan's waits until the payee offers it again")
    func otherOption() async throws {
        _ = try await world.scheduler(limit: 5000, of: try world.plan(option: "other"))
        #expect(world.heard.all == ["rent/0 postponed"] && world.settler.payments == 0)
    }

    @Test("A lost answer is not paid again, and found by the next look")
    func lostAnswer() async throws {
        world.settler.habit = .losesAnswer
        _ = try await world.scheduler(limit: 5000, of: try world.plan())
        world.settler.habit = .pays
        world.clock.advance(by: .seconds(7200))
        try await world.scheduler(limit: 5000).look()
        #expect(world.settler.payments == 1)
        #expect(world.heard.all.last == "rent/0 paid")
        #expect(await world.journal.reservedSpendings().isEmpty)
    }

    @Test("What a crash left before anything was sent is cancelled, and the period is paid under its name once")
    func unsent() async throws {
        let scheduler = try world.scheduler(limit: 5000)
        try await scheduler.add(try world.plan())
        try await world.leave(attempts: 1)
        for _ in 0..<3 {
            try await scheduler.look()
            _ = try await world.router(limit: 5000).recover(as: world.payer)
        }
        #expect(world.settler.payments == 1 && world.heard.all == ["rent/0 paid"])
        #expect(await world.journal.unfinished().isEmpty)
    }

    @Test("A worker that stalls at the endpoint pays no period that another one has found unpaid meanwhile")
    func stalls() async throws {
        let pause = Pause()
        let slow = try world.scheduler(limit: 5000) {
            await pause.hold()
        }
        try await slow.add(try world.plan())
        let paying = Task { try await slow.look() }
        await pause.reached()
        // Its leases have expired, and so has the period.
        world.clock.advance(by: .seconds(3 * 86_400))
        let other = try world.scheduler(limit: 5000)
        try await other.look(at: world.id)
        let missed = try #require(try await world.plans.charge(RecurringCharge.ID(plan: world.id, number: 0)))
        guard case .missed = missed.state else { Issue.record("\(missed.state)"); return }
        let before = world.settler.payments
        await pause.end()
        try await paying.value
        #expect(world.settler.payments == before, "a period that was told missed is paid")
        #expect(await world.journal.histories(of: world.reference(0)).allSatisfy { !$0.mayHaveMovedMoney })
    }

    @Test("A try that was cancelled sends nothing, however late it comes and however often it is cancelled")
    func calledOff() async throws {
        let payer = RouterPayer(try world.router(limit: 5000), as: world.payer)
        var plan = try world.plan()
        var charge = try #require(plan.open(at: world.clock.now).first)
        charge.attempts = 2
        for _ in 0..<2 { #expect(try await payer.fate(of: charge, in: plan) == nil) }
        #expect(await world.journal.histories(of: world.reference(0)).count == 1)
        for late in 1...2 {
            charge.attempts = late
            guard case .notNow = try await payer.pay(charge, of: plan) else { Issue.record("try \(late)"); return }
        }
        #expect(world.settler.payments == 0)
        charge.attempts = 3
        guard case .paid = try await payer.pay(charge, of: plan) else { Issue.record("not paid"); return }
        #expect(try await payer.fate(of: charge, in: plan) == payer.pay(charge, of: plan))
        #expect(world.settler.payments == 1)
    }

    @Test("Two plans of one payee are both paid, and a payment to them that is open elsewhere is waited for")
    func samePayee() async throws {
        let scheduler = try world.scheduler(limit: 50_000)
        for name in ["rent", "heat", "light"] { try await scheduler.add(try world.plan(name)) }
        try await scheduler.look()
        #expect(world.settler.payments == 3, "\(world.heard.all)")
        world.settler.habit = .losesAnswer
        _ = try await world.router(limit: nil).pay(InvoiceProvider.payee, as: .careless(world.settler))
        world.settler.habit = .pays
        world.settler.isSilent = true
        try await world.nextDay(scheduler)
        #expect(world.settler.payments == 4, "paid beside a payment whose end is not known")
        #expect(
            world.heard.all.filter { !$0.hasSuffix(" paid") }.allSatisfy { $0.hasSuffix(" postponed") },
            "what was never begun is not in doubt: \(world.heard.all)")
        world.settler.isSilent = false
        _ = try await world.router(limit: nil).recover(as: .careless(world.settler))
        world.clock.advance(by: .seconds(7200))
        try await scheduler.look()
        #expect(world.settler.payments == 7, "\(world.heard.all)")
    }

    @Test("A period that was begun is in doubt until its end is known, whichever link the plan has by then")
    func begun() async throws {
        let payer = RouterPayer(try world.router(limit: 5000), as: world.payer)
        var (plan, charge) = try world.period()
        world.settler.habit = .losesAnswer
        for (link, isBegun) in [("nonsense", false), (InvoiceProvider.payee, true), ("nonsense", true)] {
            plan.details = RecurringOrder(link: link, paysByItself: true).details
            switch try await payer.pay(charge, of: plan) {
            case .unknown: #expect(isBegun)
            case .notNow: #expect(!isBegun)
            case let other: Issue.record("\(other)")
            }
        }
        world.settler.habit = .pays
        guard case .paid? = try await payer.fate(of: charge, in: plan) else { Issue.record("not paid"); return }
        #expect(world.settler.payments == 1)
    }

    @Test("A payee who leaves the amount open is paid the plan's, and the application is not asked for another one")
    func openAmount() async throws {
        var world = world
        world.leavesAmountOpen = true
        var payer = world.payer
        payer.amountChooser = { _ in .cents(1, .satoshi) }
        let (plan, charge) = try world.period()
        let answer = try await RouterPayer(try world.router(limit: 5000), as: payer).pay(charge, of: plan)
        guard case .paid = answer else { Issue.record("\(answer)"); return }
        #expect(world.settler.settlements.map(\.amount) == [.cents(2100, .satoshi)])
    }

    /// They are stored with a period, and compared by later versions.
    @Test("A period's terms are the payee's link and the option, in a form that does not change")
    func terms() throws {
        let payer = RouterPayer(try world.router(limit: nil), as: world.payer)
        for paysByItself in [true, false] {
            let plan = try world.plan(option: "only", paysByItself: paysByItself)
            #expect(
                payer.terms(of: plan) == [
                    "link": .string(InvoiceProvider.payee), "option": "only", "paysByItself": false,
                ])
        }
    }

    @Test("A payment by hand is refused while a period of a plan is open at its payee, and made once its end is known")
    func byHand() async throws {
        world.settler.habit = .losesAnswer
        let scheduler = try await world.scheduler(limit: 50_000, of: try world.plan())
        world.settler.habit = .pays
        world.settler.isSilent = true
        world.asked.withLock { $0 = .cents(500, .satoshi) }
        let router = try world.router(limit: nil)
        let error = await failure { try await router.pay(InvoiceProvider.payee, as: .careless(world.settler)) }
        #expect(error?.code == .openPeriod && error?.phase == .beforeSend)
        #expect(error?.message.contains("the period 0 of the plan 'rent'") == true, "\(error?.message ?? "")")
        let route = try #require(router.route(InvoiceProvider.payee).route)
        let quote = try await router.quote(route, as: .careless(world.settler))
        let other = await failure {
            try await router.pay(quote, option: quote.options.first?.id, as: .careless(world.settler))
        }
        #expect(other?.code == .openPeriod && world.settler.payments == 1)
        world.settler.isSilent = false
        let outcome = try await router.pay(InvoiceProvider.payee, as: .careless(world.settler))
        let receipt = try #require(outcome.receipt, "\(outcome)")
        #expect(receipt.reference != world.reference(0))
        #expect(world.settler.settlements.map(\.amount) == [.cents(2100, .satoshi), .cents(500, .satoshi)])
        try await scheduler.look()
        world.clock.advance(by: .seconds(3600))
        try await scheduler.look()
        #expect(world.heard.all.last == "rent/0 paid" && world.settler.payments == 2)
    }

    @Test("While another worker has a period that may be paid, a payment by hand is refused as one beside a period")
    func byHandBesideWorker() async throws {
        world.settler.habit = .losesAnswer
        _ = try await world.scheduler(limit: 50_000, of: try world.plan())
        world.settler.habit = .pays
        let lease = PaymentLease(payment: world.reference(0), holder: "another", duration: .seconds(60))
        #expect(await world.journal.acquire(lease, at: world.clock.now))
        let error = await failure {
            try await world.router(limit: nil).pay(InvoiceProvider.payee, as: .careless(world.settler))
        }
        #expect(error?.code == .openPeriod && error?.phase == .beforeSend)
        #expect(error?.message.contains("the period 0 of the plan 'rent'") == true, "\(error?.message ?? "")")
        #expect(world.settler.payments == 1)
    }

    @Test("A payment by hand never returns the receipt of an earlier one over another amount")
    func otherAmount() async throws {
        let router = try world.router(limit: nil)
        world.settler.habit = .losesAnswer
        _ = try await router.pay(InvoiceProvider.payee, as: .careless(world.settler))
        world.settler.habit = .pays
        world.asked.withLock { $0 = .cents(500, .satoshi) }
        let error = await failure { try await router.pay(InvoiceProvider.payee, as: .careless(world.settler)) }
        #expect(error?.code == .earlierPayment && error?.phase == .beforeSend && world.settler.payments == 1)
        #expect(try await router.pay(InvoiceProvider.payee, as: .careless(world.settler)).receipt != nil, "not paid")
        #expect(world.settler.settlements.map(\.amount) == [.cents(2100, .satoshi), .cents(500, .satoshi)])
    }

    @Test("An earlier payment that turns out to be paid is stated where no quote can be had now, and not paid again")
    func noQuote() async throws {
        world.settler.habit = .losesAnswer
        _ = try await world.router(limit: nil).pay(InvoiceProvider.payee, as: .careless(world.settler))
        world.settler.habit = .pays
        let offline = try world.router(limit: nil) { throw PaymentError(.network, "offline") }
        let outcome = try await offline.pay(InvoiceProvider.payee, as: .careless(world.settler))
        #expect(outcome.receipt != nil, "\(outcome)")
        #expect(world.settler.payments == 1)
    }

    @Test("It is stated as well where the payee asks for nothing now")
    func nothingAsked() async throws {
        var world = world
        world.settler.habit = .losesAnswer
        _ = try await world.router(limit: nil).pay(InvoiceProvider.payee, as: .careless(world.settler))
        world.settler.habit = .pays
        world.statement = { _ in .expired }
        let outcome = try await world.router(limit: nil).pay(InvoiceProvider.payee, as: .careless(world.settler))
        #expect(outcome.receipt != nil, "\(outcome)")
        #expect(world.settler.payments == 1)
    }

    @Test("An invoice that was paid before pays no other period")
    func spentInvoice() async throws {
        let world = RecurringWorld(publishesInvoice: true)
        let scheduler = try await world.scheduler(limit: 50_000, of: try world.plan())
        try await world.nextDay(scheduler)
        #expect(world.heard.all == ["rent/0 paid", "rent/1 postponed"] && world.settler.payments == 1)
        // The settler knows the invoice: no attempt is opened for it.
        let opened = await world.journal.attempts(AttemptQuery()).histories
        #expect(opened.filter { $0.attempt.option.id != "called-off" }.count == 1)
    }

    @Test(
        "A link that leads elsewhere, or names one payment, makes no plan that is paid",
        arguments: [
            "https://pay.acme.example/?id=invoice", "https://elsewhere.example/", "nonsense",
        ])
    func wrongLink(_ link: String) async throws {
        _ = try await world.scheduler(limit: 5000, of: try world.plan(link: link))
        #expect(world.heard.all == ["rent/0 postponed"] && world.settler.payments == 0)
    }
}

/// A payee, a payer with a settler, and the journals of both.
struct RecurringWorld {
    var clock = VirtualClock()
    let journal = InMemoryJournal()
    let store = InMemoryRecords()
    var plans: RecurringPlans { RecurringPlans(store) }
    var settler = TestSettler()
    /// The events of the schedulers.
    let heard = Collected<String>()
    let id = RecurringPlan.ID(rawValue: "rent")
    let random = SeededRandomSource(seed: 3)
    let asked = Asked()
    var publishesInvoice = false
    var leavesAmountOpen = false
    /// The provider's trust in each link.
    var trust = LinkMatch.Trust.verified
    var policy: OptionPolicy?
    /// The payee's statement that a period has ended.
    var statement: (@Sendable (PaymentReference) -> ServiceReport)?

    /// The current amount of the payee.
    final class Asked: Sendable {
        private let money = Mutex(Money.cents(2100, .satoshi))
        func withLock<Result: Sendable>(_ work: (inout Money) -> Result) -> Result {
            money.withLock { money in
                var copy = money
                let result = work(&copy)
                money = copy
                return result
            }
        }
    }

    init(publishesInvoice: Bool = false) { self.publishesInvoice = publishesInvoice }

    /// Another device of the same payer: one wallet and one time, but its own journals.
    init(beside other: RecurringWorld) {
        clock = other.clock
        settler = other.settler
    }

    private static func line(_ event: RecurringEvent) -> String {
        switch event {
        case .paid(let charge): "\(charge.id) paid"
        case .missed(let charge): "\(charge.id) missed"
        case .waiting(let charge): "\(charge.id) waiting"
        case .postponed(let charge, _): "\(charge.id) postponed"
        case .unknown(let charge): "\(charge.id) unknown"
        default: "\(event)"
        }
    }

    var payer: Payer { Payer(policy: policy, settler: settler) }

    func reference(_ number: Int) -> PaymentReference { PaymentReference(provider: "acme", id: "rent/\(number)") }

    func router(
        limit: UInt128?, quoting body: @escaping @Sendable () async throws -> Void = {}
    ) throws -> PaymentRouter {
        var provider = InvoiceProvider()
        provider.amount = asked.withLock { $0 }
        let base = provider
        let asked = asked
        let changing = ChangingProvider(
            base: base, asksFor: { asked.withLock { $0 } }, isInvoice: publishesInvoice,
            leavesAmountOpen: leavesAmountOpen, statement: statement, trust: trust, body: body)
        return try PaymentRouter(
            of: changing, journal: journal, clock: clock, random: random,
            leases: LeasePolicy(duration: .seconds(60), timeout: .zero),
            autoPay: limit.map {
                AutoPay(within: [SpendingLimit(.cents($0, .satoshi), per: .day)], timeZone: .gmt)
            })
    }

    func scheduler(
        limit: UInt128?, quoting body: @escaping @Sendable () async throws -> Void = {}
    ) throws -> RecurringScheduler {
        let heard = heard
        return RecurringScheduler(
            store: store, payer: RouterPayer(try router(limit: limit, quoting: body), as: payer), clock: clock,
            random: random, lease: .seconds(60), listener: { heard.add(Self.line($0)) })
    }

    /// A scheduler that has looked once, at a new plan.
    func scheduler(
        limit: UInt128?, of plan: RecurringPlan, quoting body: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> RecurringScheduler {
        let scheduler = try scheduler(limit: limit, quoting: body)
        try await scheduler.add(plan)
        try await scheduler.look()
        return scheduler
    }

    func plan(
        _ name: String = "rent", link: String = InvoiceProvider.payee, option: String? = nil, paysByItself: Bool = true
    ) throws -> RecurringPlan {
        try RecurringPlan(
            id: RecurringPlan.ID(rawValue: name), provider: "acme", amount: .cents(2100, .satoshi),
            schedule: RecurringSchedule(.daily, from: clock.now),
            policy: RecurringPolicy(.latestOnly, grace: .seconds(86_400)),
            details: RecurringOrder(link: link, option: option, paysByItself: paysByItself).details)
    }

    /// A plan, and the first try at its first period.
    func period(_ name: String = "rent") throws -> (RecurringPlan, RecurringCharge) {
        var plan = try plan(name)
        var charge = try #require(plan.open(at: clock.now).first)
        charge.attempts = 1
        return (plan, charge)
    }

    func nextDay(_ scheduler: RecurringScheduler) async throws {
        clock.advance(by: .seconds(86_400))
        try await scheduler.look()
    }

    /// The state that a crash leaves right after a period's attempt was opened.
    func leave(attempts: Int) async throws {
        let stored = try #require(try await plans.plan(id))
        var plan = stored
        let charges = plan.open(at: clock.now)
        try await plans.store(plan, opening: charges)
        var charge = try #require(charges.first)
        charge.state = .started
        charge.attempts = attempts
        let lease = RecurringPlans.lease(of: charge.id, holder: "crashed", duration: .seconds(1))
        _ = await store.acquire(lease, at: clock.now)
        try await plans.write(charge, under: lease, at: clock.now)
        await store.release(lease)
        let address = try JSONValue.encode(InvoiceProvider.address)
        let option = PaymentMethodOption(
            id: "only", title: "only", amount: charge.amount, providerData: ["endpoint": address, "payee": "mina"])
        try await journal.leave(PaymentAttempt("att_unsent", at: charge.reference, option: option, from: clock.now))
    }
}

/// A payee that changes its amount.
private struct ChangingProvider: SettlingProvider, PayeeProvider {
    let base: InvoiceProvider
    let asksFor: @Sendable () -> Money
    let isInvoice: Bool
    let leavesAmountOpen: Bool
    let statement: (@Sendable (PaymentReference) -> ServiceReport)?
    let trust: LinkMatch.Trust
    let body: @Sendable () async throws -> Void

    var descriptor: ProviderDescriptor { base.descriptor }
    func recognize(_ link: PaymentLink) -> LinkMatch? {
        base.recognize(link).map { LinkMatch($0.subject, trust: trust) }
    }
    func payee(of option: PaymentMethodOption) -> String? { base.payee(of: option) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        try await body()
        var current = base
        current.amount = asksFor()
        if leavesAmountOpen, let choose = context.payer.amountChooser {
            let request = AmountRequest(payee: Payee(name: "Mina"), currency: .satoshi)
            current.amount = try await choose(request) ?? asksFor()
        }
        let quote = try await current.quote(request, in: context)
        if let statement {
            return ProviderQuote(
                reference: quote.reference, payee: quote.payee, amount: quote.amount, options: [],
                report: statement(request.reference))
        }
        guard isInvoice, let option = quote.options.first else { return quote }
        var data = option.providerData ?? [:]
        data["endpoint"] = try JSONValue.encode(InvoiceProvider.endpoint)
        return ProviderQuote(
            reference: quote.reference, payee: quote.payee, amount: quote.amount,
            options: [
                PaymentMethodOption(
                    id: option.id, title: option.title, amount: option.amount, needs: option.needs, providerData: data)
            ])
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        try await base.pay(attempt, in: context)
    }
}
