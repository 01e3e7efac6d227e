import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

/// Payments that are made without a question, and payments that are not.
@Suite("Paying without a question")
struct AutoPayTests {
    static let zone = TimeZone.gmt

    /// Twenty euros a day.
    static func daily(_ cents: UInt128 = 2000, converting: AutoPay.Converter? = nil) -> AutoPay {
        AutoPay(within: [SpendingLimit(.cents(cents), per: .day)], timeZone: zone, converting: converting)
    }

    static func link(_ id: String) -> String { "https://pay.acme.example/?id=\(id)" }

    /// A payer that is asked, and chooses the first option.
    static func asked(_ asked: Tally) -> Payer {
        Payer(chooser: { quote in
            asked.count("chooser")
            return quote.options.first?.id
        })
    }

    static func isPaid(_ outcome: PaymentOutcome) -> Bool { if case .succeeded = outcome { true } else { false } }

    static func declined(_ outcome: PaymentOutcome) -> DeclineReason? {
        if case .declined(let reason) = outcome { reason.fact } else { nil }
    }

    @Test("Within the limit there is no question, beyond it there is one, and the next day begins anew")
    func limit() async throws {
        var world = World()
        world.autoPay = Self.daily()
        let (router, asked) = (try world.router, Tally())
        for (id, count) in [("p1", 0), ("p2", 0), ("p3", 1), ("p4", 2)] {
            #expect(Self.isPaid(try await router.pay(Self.link(id), as: Self.asked(asked))))
            #expect(asked["chooser"] == count, "\(id)")
        }
        world.clock.advance(by: .seconds(86_400))
        #expect(Self.isPaid(try await router.pay(Self.link("p5"), as: Self.asked(asked))))
        #expect(asked["chooser"] == 2)
    }

    @Test("Where no question is possible, an amount beyond the limit is declined, with the reason")
    func nobody() async throws {
        var world = World()
        world.autoPay = Self.daily(1500)
        let router = try world.router
        #expect(Self.isPaid(try await router.pay(Self.link("p1"), as: Payer())))
        let reason = try #require(Self.declined(try await router.pay(Self.link("p2"), as: Payer())))
        #expect(reason.code == .overLimit)
        #expect(reason.message.contains("10.00 EUR of the limit of 15.00 EUR a day"), "\(reason.message)")
        #expect(world.provider.calls["pay"] == 1)
        let payment = PaymentReference(provider: "acme", id: "p2")
        #expect(try await world.journal.histories(of: payment).isEmpty)
    }

    @Test("A link that is paid again, or resumed, counts once")
    func again() async throws {
        var world = World()
        world.autoPay = Self.daily()
        let router = try world.router
        for _ in 0..<3 { #expect(Self.isPaid(try await router.pay(Self.link("p1"), as: Payer()))) }
        #expect(Self.isPaid(try await router.pay(Self.link("p2"), as: Payer())), "ten euros are left")
    }

    @Test("An account goes on by the days of its first time zone, and another one is refused, with the reason")
    func timeZones() async throws {
        let journal = InMemoryJournal()
        var world = World()
        world.journal = journal
        func autoPay(_ zone: String?) -> AutoPay {
            AutoPay(
                within: [SpendingLimit(.cents(2000), per: .day)], timeZone: zone.flatMap { TimeZone(identifier: $0) })
        }
        world.autoPay = autoPay("Pacific/Kiritimati")
        #expect(Self.isPaid(try await world.router.pay(Self.link("p1"), as: Payer())))
        world.autoPay = autoPay("Etc/GMT+12")
        let reason = try #require(Self.declined(try await world.router.pay(Self.link("p2"), as: Payer())))
        #expect(reason.code == .overLimit && reason.message.contains("Pacific/Kiritimati"), "\(reason.message)")
        world.autoPay = autoPay(nil)
        #expect(Self.isPaid(try await world.router.pay(Self.link("p3"), as: Payer())))
        #expect(Self.declined(try await world.router.pay(Self.link("p4"), as: Payer()))?.code == .overLimit)
        let zones = await journal.spendings(since: SpendingDay(number: .min)).map(\.spending.timeZone)
        #expect(zones == ["Pacific/Kiritimati", "Pacific/Kiritimati"])
    }

    @Test("What cannot be compared is asked for, unless the application says what it is worth")
    func currencies() async throws {
        var world = World()
        let dollars = PaymentMethodOption(id: "usd", title: "", amount: .cents(100, .usd))
        let euros = PaymentMethodOption.euros("eur")
        let estimate = PaymentMethodOption(id: "estimate", title: "", amount: .cents(1), isEstimate: true)
        let free = PaymentMethodOption(id: "free", title: "", amount: .cents(0))
        let unmet = PaymentMethodOption.euros("page", needs: [.page])
        var fee = PaymentMethodOption.euros("fee")
        fee.feeLimit = .cents(1, .usd)
        for (options, taken, word) in [
            ([dollars], nil, "cannot be compared"), ([dollars, euros], "eur", ""), ([estimate], nil, "estimated"),
            ([free], nil, "costs nothing"), ([unmet, euros], "eur", ""), ([estimate, free, euros], "eur", ""),
            ([fee], nil, "a fee that cannot be added"),
        ] as [([PaymentMethodOption], String?, String)] {
            world.provider.options = options
            world.journal = InMemoryJournal()
            world.autoPay = Self.daily()
            let outcome = try await world.pay(as: Payer())
            #expect(try await world.histories.last?.attempt.option.id == taken)
            if taken == nil { #expect(Self.declined(outcome)?.message.contains(word) == true, "\(outcome)") }
        }
        world.provider.options = [dollars]
        let rates: [(AutoPay.Converter, isPaid: Bool)] = [
            ({ amount, limit in try Money(minorUnits: amount.minorUnits * 9 / 10, currency: limit.currency) }, true),
            ({ amount, limit in try Money(minorUnits: amount.minorUnits * 99, currency: limit.currency) }, false),
            ({ _, _ in nil }, false), ({ _, limit in try Money(minorUnits: 0, currency: limit.currency) }, false),
            ({ amount, _ in amount }, false),
            ({ _, limit in try Money(minorUnits: 1, currency: limit.currency, exponent: 7) }, false),
        ]
        for (index, rate) in rates.enumerated() {
            world.journal = InMemoryJournal()
            world.autoPay = Self.daily(converting: rate.0)
            #expect(Self.isPaid(try await world.pay(as: Payer())) == rate.isPaid, "rate \(index)")
        }
        struct Unreachable: Error {}
        world.journal = InMemoryJournal()
        world.autoPay = Self.daily { _, _ in throw Unreachable() }
        let asked = Tally()
        #expect(Self.isPaid(try await world.pay(as: Self.asked(asked))))
        #expect(asked["chooser"] == 1, "a rate that cannot be had is none")
    }

    @Test("While a rate cannot be had no limit is lifted, and what was spent without it counts afterwards")
    func outage() async throws {
        struct Down: Error {}
        let limits = [SpendingLimit(.cents(2000), per: .day), SpendingLimit(.cents(10_000, .usd), per: .month)]
        var world = World()
        world.provider.options = [PaymentMethodOption(id: "usd", title: "", amount: .cents(9000, .usd))]
        for converter in [{ _, _ in throw Down() }, nil] as [AutoPay.Converter?] {
            world.autoPay = AutoPay(within: limits, timeZone: Self.zone, converting: converter)
            #expect(Self.declined(try await world.pay(as: Payer()))?.message.contains("cannot be compared") == true)
        }
        // Spent in dollars alone, by limits in dollars alone.
        world.autoPay = AutoPay(within: [limits[1]], timeZone: Self.zone)
        #expect(Self.isPaid(try await world.pay(as: Payer())))
        world.provider.options = [.euros("card")]
        for (rate, word) in [(nil, "cannot be compared"), (9, "limit of 20.00 EUR a day is spent")]
            as [(UInt128?, String)]
        {
            world.autoPay = AutoPay(within: limits, timeZone: Self.zone) { amount, limit in
                guard let rate else { throw Down() }
                return try Money(minorUnits: amount.minorUnits * rate / 10, currency: limit.currency)
            }
            let outcome = try await world.router.pay(Self.link("rate"), as: Payer())
            #expect(Self.declined(outcome)?.message.contains(word) == true, "\(outcome)")
        }
    }

    @Test("Where nothing is converted, the limits in an option's own currency decide alone")
    func ownCurrency() async throws {
        var world = World()
        let limits = [SpendingLimit(.cents(1, .usd), per: .day), SpendingLimit(.cents(1000), per: .day)]
        world.autoPay = AutoPay(within: limits, timeZone: Self.zone)
        #expect(Self.isPaid(try await world.router.pay(Self.link("p1"), as: Payer())))
        #expect(Self.declined(try await world.router.pay(Self.link("p2"), as: Payer()))?.code == .overLimit)
    }

    @Test("A policy of the payer's allows nothing beyond the limits, and the limits nothing beyond the policy")
    func policy() async throws {
        var world = World()
        world.autoPay = Self.daily(1999)
        let router = try world.router
        let small = Payer(policy: .first(upTo: [.cents(999)]))
        #expect(Self.declined(try await router.pay(Self.link("p1"), as: small))?.code == .overLimit)
        #expect(Self.isPaid(try await router.pay(Self.link("p1"), as: .careless)))
        #expect(Self.declined(try await router.pay(Self.link("p2"), as: .careless))?.code == .overLimit)
        world.autoPay = AutoPay(within: [SpendingLimit(.cents(1), per: .day)], at: ["other"])
        #expect(Self.isPaid(try await world.router.pay(Self.link("p3"), as: .careless)), "it is for other providers")
        world.autoPay = Self.daily(9000)
        world.provider.options = [.euros("card"), PaymentMethodOption(id: "voucher", title: "", amount: .cents(999))]
        #expect(Self.isPaid(try await world.router.pay(Self.link("p4"), as: small)))
        let histories = try await world.journal.histories(of: PaymentReference(provider: "acme", id: "p4"))
        #expect(histories.last?.attempt.option.id == "voucher")
    }

    @Test("What the payer has chosen is no matter of limits")
    func chosen() async throws {
        var world = World()
        world.autoPay = Self.daily(1000)
        let router = try world.router
        let route = try #require(router.route(Self.link("p1")).route)
        let quote = try await router.quote(route, as: Payer())
        #expect(Self.isPaid(try await router.pay(quote, option: "card", as: Payer())))
        #expect(Self.isPaid(try await router.pay(Self.link("p2"), as: Payer())), "nothing of the limit is used")
        #expect(Self.declined(try await router.pay(Self.link("p3"), as: Payer()))?.code == .overLimit)
    }

    @Test("Limits of a payee, a method, a provider")
    func scopes() async throws {
        var world = World()
        let ten = Money.cents(1000)
        for (scope, isPaid) in [
            (SpendingLimit.Scope.payee("key"), true), (.payee("other"), false), (.method("card"), true),
            (.method("cash"), false), (.provider("acme"), true), (.provider("other"), false), (.everything, true),
        ] {
            world.journal = InMemoryJournal()
            world.provider.payee = Payee(name: "Shop", id: "key")
            world.autoPay = AutoPay(within: [SpendingLimit(ten, per: .week, on: scope)], timeZone: Self.zone)
            #expect(Self.isPaid(try await world.pay(as: Payer())) == isPaid, "\(scope)")
        }
        world.journal = InMemoryJournal()
        world.provider.payee = Payee(name: "key")
        world.autoPay = AutoPay(within: [SpendingLimit(ten, per: .week, on: .payee("key"))], timeZone: Self.zone)
        #expect(!Self.isPaid(try await world.pay(as: Payer())), "a name is nobody's proof")
    }

    @Test("A journal that keeps no account has everything asked for")
    func noAccount() async throws {
        var world = World()
        world.autoPay = Self.daily()
        world.journal = FailingJournal { _ in false }
        #expect(Self.declined(try await world.pay(as: Payer()))?.message.contains("keeps no account") == true)
        let asked = Tally()
        #expect(Self.isPaid(try await world.pay(as: Self.asked(asked))))
        #expect(asked["chooser"] == 1)
    }

    /// A journal in which a worker without the lease takes each reservation for left behind, just before its attempt is
    /// opened.
    private struct RobbedJournal: ForwardingJournal, SpendingStore {
        let base = InMemoryJournal()

        func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
            try await base.release(attempt.id)
            try await base.open(attempt, under: lease)
        }
        func reserve(
            _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
        ) async throws -> SpendingVerdict {
            try await base.reserve(spending, within: limits, counting: worths)
        }
        func commit(_ attempt: AttemptID) async throws { try await base.commit(attempt) }
        func release(_ attempt: AttemptID) async throws { try await base.release(attempt) }
        func spending(of attempt: AttemptID) async throws -> SpendingRecord? { await base.spending(of: attempt) }
        func reservedSpendings() async throws -> [SpendingRecord] { await base.reservedSpendings() }
        func spendings(since day: SpendingDay) async throws -> [SpendingRecord] { await base.spendings(since: day) }
    }

    @Test("An attempt whose reservation another worker has released is not opened")
    func robbed() async throws {
        var world = World()
        world.journal = RobbedJournal()
        world.autoPay = Self.daily()
        let error = await #expect(throws: PaymentError.self) { try await world.pay(as: Payer()) }
        #expect(error?.code == .inUse)
        #expect(try await world.histories.isEmpty)
    }

    @Test("Many payments at the same time, at two routers, never exceed the limit")
    func race() async throws {
        var world = World()
        world.autoPay = Self.daily(10_000)
        let one = try world.router
        world.random = SeededRandomSource(seed: 2)
        let routers = [one, try world.router]
        let paid = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    Self.isPaid(try await routers[number % 2].pay(Self.link("p\(number)"), as: Payer()))
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(paid == 10)
    }
}
