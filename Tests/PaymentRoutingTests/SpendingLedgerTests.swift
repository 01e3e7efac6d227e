import Foundation
import PaymentCore
import Synchronization
import Testing

@testable import PaymentRouting

/// The rules of an account of spendings, as a value. `SpendingConformance` asks them of every store.
@Suite("The account of spendings")
struct SpendingLedgerTests {
    private func day(_ number: Int) -> SpendingDay { SpendingDay(number: number) }

    private func spending(
        _ id: String, _ amounts: [Money] = [.cents(100)], on day: Int = 100, of payment: PaymentReference? = nil,
        to payee: String? = nil, by method: String? = nil, keeper: Spending.Keeper = .journal, zone: String? = nil
    ) -> Spending {
        Spending(
            attempt: AttemptID(rawValue: id), payment: payment ?? PaymentReference(provider: "acme", id: id),
            amounts: amounts, day: self.day(day), payee: payee, method: method, keeper: keeper,
            timeZone: zone)
    }

    private func daily(
        _ money: Money, per period: SpendingLimit.Period = .day, on scope: SpendingLimit.Scope = .everything
    )
        -> [SpendingLimit]
    {
        [SpendingLimit(money, per: period, on: scope)]
    }

    private func attempt(_ id: String) -> PaymentAttempt {
        PaymentAttempt(id, at: PaymentReference(provider: "acme", id: id), from: .distantPast)
    }

    @Test("A refund, no amount and an amount of zero are no spendings")
    func nothing() {
        var ledger = SpendingLedger()
        for none in [
            spending("a", []), spending("a", [.cents(0)]), spending("a", [.cents(1), .cents(0, .usd)]),
            spending("a", of: PaymentReference(provider: "acme", id: "r", subject: .refund(of: "p"))),
        ] {
            #expect(throws: SpendingError.nothing(none.attempt)) {
                try ledger.reserve(none, within: daily(.cents(1000)))
            }
        }
        #expect(ledger.records.isEmpty)
    }

    @Test("An attempt's reservation is one, also on the next day; for anything else it is taken")
    func repeated() throws {
        var ledger = SpendingLedger()
        let limits = daily(.cents(100))
        let first = spending("a", to: "alice", by: "card")
        for again in [first, first, spending("a", on: 101, to: "alice", by: "card")] {
            #expect(try ledger.reserve(again, within: limits) == .granted)
        }
        #expect(ledger.records.count == 1)
        for other in [
            spending("a", [.cents(99)], to: "alice", by: "card"), spending("a", to: "bob", by: "card"),
            spending("a", by: "card"), spending("a", to: "alice", by: "bank"), spending("a", to: "alice"),
            spending("a", to: "alice", by: "card", keeper: .application),
            spending("a", of: PaymentReference(provider: "acme", id: "b"), to: "alice", by: "card"),
        ] {
            #expect(throws: SpendingError.taken(other.attempt)) { try ledger.reserve(other, within: limits) }
        }
        try ledger.commit(first.attempt)
        #expect(throws: SpendingError.taken(first.attempt)) { try ledger.reserve(first, within: limits) }
        #expect(!first.isSame(as: spending("b", of: first.payment, to: "alice", by: "card")), "another attempt's")
        #expect(spending("a").isSame(as: spending("a", on: 7)))
    }

    @Test("A reservation is paid or released; what was paid is not released, nor is what is open")
    func states() throws {
        var ledger = SpendingLedger()
        let (a, b) = (AttemptID(rawValue: "a"), AttemptID(rawValue: "b"))
        #expect(throws: SpendingError.unknown(a)) { try ledger.commit(a) }
        try ledger.release(a, isOpen: false)
        #expect(try ledger.reserve(spending("a"), within: daily(.cents(200))) == .granted)
        #expect(try ledger.reserve(spending("b"), within: daily(.cents(200))) == .granted)
        #expect(ledger.reserved.map(\.spending.attempt) == [a, b])
        #expect(throws: SpendingError.open(a)) { try ledger.release(a, isOpen: true) }
        #expect(ledger[a]?.state == .reserved)
        try ledger.release(a, isOpen: false)
        #expect(ledger[a]?.state == .released && ledger.reserved.map(\.spending.attempt) == [b])
        #expect(throws: JournalError.self) { try ledger.checkOpening(of: attempt("a")) }
        try ledger.checkOpening(of: attempt("b"))
        try ledger.checkOpening(of: attempt("c"))
        #expect(try ledger.reserve(spending("d"), within: daily(.cents(200))) == .granted, "it counts no more")
        try ledger.commit(a)
        #expect(ledger[a]?.state == .paid, "paid all the same")
        #expect(throws: SpendingError.paid(a)) { try ledger.release(a, isOpen: false) }
        #expect(ledger[a]?.state == .paid)
    }

    @Test(
        "What has ended is forgotten after 62 days with spendings, what is reserved never; no wrong clock forgets more"
    )
    func forgotten() throws {
        func left(before day: Int, _ states: [(Int, SpendingRecord.State)]) -> [Int] {
            var ledger = SpendingLedger(
                states.map { SpendingRecord(spending("\($0.0)", on: $0.0), state: $0.1) })
            ledger.forget(before: self.day(day))
            #expect(states.allSatisfy { ledger[AttemptID(rawValue: "\($0.0)")]?.spending.day.number ?? $0.0 == $0.0 })
            return ledger.records.map(\.spending.day.number)
        }
        let later = (39...100).map { ($0, SpendingRecord.State.paid) }
        let states: [(Int, SpendingRecord.State)] = [(1, .reserved), (36, .paid), (37, .paid), (38, .released)] + later
        #expect(left(before: 100, states) == [1, 38] + later.map(\.0))
        #expect(left(before: 101, states) == [1, 38] + later.map(\.0), "no day is later than the last spending's")
        #expect(left(before: 99, states) == [1, 37, 38] + later.map(\.0))
        #expect(left(before: 9999, []) == [])
        // Spendings by a wrong clock, and a wrong clock now: what counts this month stays.
        let month = (40...69).map { ($0, SpendingRecord.State.paid) }
        for wrong in [1, 2, 31] {
            let records = month + (0..<wrong).map { (9000 + $0, .paid) }
            #expect(left(before: 9999, records) == records.map(\.0), "\(wrong)")
        }
        #expect(
            SpendingLedger(states.map { SpendingRecord(spending("\($0.0)", on: $0.0), state: $0.1) }).since(day(39))
                .map(\.spending.day.number) == later.map(\.0))
    }

    @Test("A spending that is dated on a later day counts in the period in which that is found, and in its own")
    func later() throws {
        var ledger = SpendingLedger()
        let limits = daily(.cents(100))
        #expect(try ledger.reserve(spending("future", on: 200), within: limits) == .granted)
        func isGranted(_ id: String, on day: Int) throws -> Bool {
            var trial = ledger
            return try trial.reserve(spending(id, on: day), within: limits) == .granted
        }
        // Found on day 100, and never later than that.
        #expect(try ledger.reserve(spending("a", on: 100), within: limits) != .granted)
        #expect(ledger.records.map(\.noticed) == [day(100)])
        #expect(try ledger.reserve(spending("b", on: 101), within: limits) == .granted)
        #expect(ledger.records.map(\.noticed) == [day(100), nil])
        #expect(try !isGranted("c", on: 101))
        #expect(try isGranted("c", on: 102))
        #expect(try !isGranted("c", on: 200), "its own day")
        #expect(try isGranted("c", on: 201))
    }

    @Test("What was found dated on a later day before a period counts in that period to its last day, and not after it")
    func lastDay() {
        // 25 November 2026, a Wednesday.
        let today = 20782
        let ends: [(SpendingLimit.Period, Int)] = [(.day, today), (.week, 20786), (.month, 20787)]
        for (period, last) in ends {
            for (date, counts) in [(last, true), (last + 1, false)] {
                let record = SpendingRecord(spending("a", on: date), noticed: day(20727))
                #expect(record.counts(in: period, of: day(today)) == counts, "\(period), \(date)")
            }
        }
    }

    @Test("What is found dated later counts in the period of that day alone, also where others of its date follow")
    func foundLater() throws {
        var ledger = SpendingLedger()
        let limits = daily(.cents(100))
        #expect(try ledger.reserve(spending("a", on: 100), within: limits) == .granted)
        for (id, day, isGranted) in [("b", 100, false), ("c", 50, false), ("d", 60, true)] {
            #expect(try (ledger.reserve(spending(id, on: day), within: limits) == .granted) == isGranted, "\(id)")
        }
    }

    @Test("An account goes by the time zone of its latest spending that counts, and another one is refused")
    func timeZones() throws {
        var ledger = SpendingLedger()
        func reserve(_ id: String, _ day: Int, _ zone: String) throws -> SpendingVerdict {
            try ledger.reserve(spending(id, [.cents(1)], on: day, zone: zone), within: daily(.cents(100)))
        }
        #expect(try reserve("a", 1000, "Europe/Berlin") == .granted)
        #expect(try reserve("b", 2000, "Asia/Tokyo") == .granted)
        // The clock was set back: both count.
        #expect(ledger.timeZone(on: day(1000)) == "Asia/Tokyo")
        #expect(
            try reserve("c", 2000, "Europe/Berlin") == .refused(.otherTimeZone("Europe/Berlin", account: "Asia/Tokyo")))
    }

    /// 1 June 2026 is a Monday: a day, a week and a month begin.
    @Test("Another time zone is refused until the periods of the account's own have ended there as well")
    func zonesApart() async throws {
        let june = try #require(CivilDay(year: 2026, month: 6, day: 1)).number
        func reserve(_ id: String, _ day: Int, _ zone: String, in ledger: inout SpendingLedger) throws -> Bool {
            try ledger.reserve(spending(id, [.cents(1)], on: day, zone: zone), within: daily(.cents(100))) == .granted
        }
        // It is 2 June on Kiritimati while it is 31 May in the zone of the account.
        for (spent, isGranted) in [(june - 2, true), (june - 1, true), (june, false), (june + 1, false)] {
            var ledger = SpendingLedger()
            #expect(try reserve("a", spent, "Etc/GMT+12", in: &ledger))
            #expect(try reserve("b", june + 2, "Pacific/Kiritimati", in: &ledger) == isGranted, "\(spent)")
        }
        // Dated ahead by a clock that was wrong.
        var ledger = SpendingLedger()
        for (id, day) in [("a", june), ("b", june - 40)] { #expect(try reserve(id, day, "Asia/Tokyo", in: &ledger)) }
        #expect(ledger.timeZone(on: day(june)) == "Asia/Tokyo")
    }

    @Test("A device in another time zone keeps to the account's, also if a month begins before it ends there")
    func accountZone() async throws {
        let june = try #require(CivilDay(year: 2026, month: 6, day: 1)).number
        let noon = Date(timeIntervalSince1970: Double(june) * 86_400 + 43_200)
        let now = noon.addingTimeInterval(-Double(TimeZone.current.secondsFromGMT(for: noon)))
        for (days, isKnown) in [(0, true), (1, true), (2, true), (40, false)] {
            let journal = InMemoryJournal()
            let day = SpendingDay(now, in: .current).earlier(by: days).number
            let spent = spending("a", [.cents(1)], on: day, zone: "Pacific/Marquesas")
            #expect(try await journal.reserve(spent, within: daily(.cents(1))) == .granted)
            let zone = try await journal.timeZone(at: now)
            #expect(zone.identifier == (isKnown ? "Pacific/Marquesas" : TimeZone.current.identifier))
        }
    }

    @Test("The latest days with spendings are kept, as many as the memory has, however long ago they are")
    func keptDays() throws {
        var ledger = SpendingLedger()
        func spend(on day: Int) throws {
            let spending = spending("day \(day)", on: day)
            #expect(try ledger.reserve(spending, within: daily(.cents(100))) == .granted)
            try ledger.commit(spending.attempt)
        }
        try spend(on: 1)
        for day in 1000..<999 + SpendingLedger.longestMemory { try spend(on: day) }
        ledger.forget(before: day(2000))
        #expect(ledger.records.count == SpendingLedger.longestMemory)
        try spend(on: 1999)
        ledger.forget(before: day(2000))
        #expect(ledger.records.count == SpendingLedger.longestMemory && ledger.records.first?.spending.day == day(1000))
    }

    @Test("Sums count to the last unit, and what no number holds exceeds every limit")
    func sums() throws {
        let largest = try Money(minorUnits: Money.maximumMinorUnits, currency: .eur)
        var ledger = SpendingLedger()
        let limits = daily(largest)
        #expect(try ledger.reserve(spending("a", [largest]), within: limits) == .granted)
        guard case .refused(.exceeded(let amount, _, let spent)) = try ledger.reserve(spending("b"), within: limits)
        else {
            Issue.record("the limit is spent")
            return
        }
        #expect(amount == .cents(100) && spent == largest.description)
        var exact = SpendingLedger()
        #expect(try exact.reserve(spending("a", [.cents(60)]), within: daily(.cents(100))) == .granted)
        #expect(try exact.reserve(spending("b", [.cents(41)]), within: daily(.cents(100))) != .granted)
        #expect(try exact.reserve(spending("c", [.cents(40)]), within: daily(.cents(100))) == .granted)
    }

    @Test("What was spent by several limits exceeds every limit, also where no number holds the sum")
    func overflowingSum() throws {
        let largest = try Money(minorUnits: Money.maximumMinorUnits, currency: .eur)
        var ledger = SpendingLedger()
        for payee in ["a", "b", "c", "d"] {
            let limits = daily(largest, on: .payee(payee))
            #expect(try ledger.reserve(spending(payee, [largest], to: payee), within: limits) == .granted)
        }
        let limit = daily(largest)
        #expect(
            try ledger.reserve(spending("e"), within: limit)
                == .refused(.exceeded(.cents(100), limit[0], spent: "all and more")))
    }

    @Test("A limit counts what leaves the payer, and no worth in the same currency")
    func sameCurrency() throws {
        var ledger = SpendingLedger()
        let spending = spending("a", [.cents(100), .cents(1)])
        #expect(try ledger.reserve(spending, within: daily(.cents(99))) != .granted)
        #expect(try ledger.reserve(spending, within: daily(.cents(100))) == .granted)
    }

    @Test(
        "A limit on one payee or method says nothing about a spending without one",
        arguments: [SpendingLimit.Scope.payee("alice"), .method("card")])
    func unnamed(scope: SpendingLimit.Scope) throws {
        var ledger = SpendingLedger()
        let limits = daily(.cents(1000), on: scope)
        #expect(try ledger.reserve(spending("a"), within: limits) == .refused(.noLimit))
        #expect(try ledger.reserve(spending("b", to: "alice", by: "card"), within: limits) == .granted)
    }

    @Test("Other decimals, in the spending or in one before, cannot be compared with a limit")
    func decimals() throws {
        let token = try Currency(unit: "caip19/eip155:1/slip44:60")
        let other = try Money(minorUnits: 1, currency: token, exponent: 3)
        let amount = try Money(minorUnits: 100, currency: token, exponent: 2)
        var ledger = SpendingLedger()
        let limit = SpendingLimit(try Money(minorUnits: 1000, currency: token, exponent: 2), per: .day)
        #expect(try ledger.reserve(spending("a", [other]), within: [limit]) == .refused(.incomparable(other, limit)))
        #expect(try ledger.reserve(spending("a", [other]), within: daily(other)) == .granted)
        #expect(
            try ledger.reserve(spending("b", [amount]), within: [limit]) == .refused(.incomparable(amount, limit)))
        #expect(
            try ledger.reserve(spending("c", [amount], on: 101), within: [limit]) == .granted,
            "on the next day it counts no more")
    }

    @Test("A limit in another currency needs a worth there, unless another one of its scope applies")
    func currencies() throws {
        let (euros, dollars) = (SpendingLimit(.cents(1000), per: .day), SpendingLimit(.cents(1000, .usd), per: .day))
        let payee = SpendingLimit(.cents(1000, .usd), per: .day, on: .payee("alice"))
        var ledger = SpendingLedger()
        #expect(try ledger.reserve(spending("a"), within: [dollars]) == .refused(.incomparable(.cents(100), dollars)))
        #expect(try ledger.reserve(spending("a"), within: [dollars, euros]) == .granted)
        #expect(
            try ledger.reserve(spending("b", to: "alice"), within: [euros, payee])
                == .refused(.incomparable(.cents(100), payee)))
        #expect(
            try ledger.reserve(spending("c", [.cents(100), .cents(110, .usd)], to: "alice"), within: [euros, payee])
                == .granted)
        #expect(try ledger.reserve(spending("d"), within: [payee]) == .refused(.noLimit))
        #expect(try ledger.reserve(spending("d"), within: []) == .refused(.noLimit))
        // What was granted in euros alone counts in euros alone.
        #expect(try ledger.reserve(spending("e", [.cents(890, .usd)]), within: [dollars, euros]) == .granted)
        #expect(try ledger.reserve(spending("f", [.cents(1, .usd)]), within: [dollars, euros]) != .granted)
    }

    @Test("Limits of two periods do not stand in for each other, and a worth that is unknown lifts none")
    func unknownWorths() throws {
        let limits = [SpendingLimit(.cents(2000), per: .day), SpendingLimit(.cents(10_000, .usd), per: .month)]
        let (euros, dollars) = (Money.cents(100), Money.cents(100, .usd))
        var ledger = SpendingLedger()
        #expect(try ledger.reserve(spending("a"), within: limits) == .refused(.incomparable(euros, limits[1])))
        #expect(
            try ledger.reserve(spending("b", [dollars]), within: limits) == .refused(.incomparable(dollars, limits[0])))
        let daily = [limits[0], SpendingLimit(.cents(1000, .usd), per: .day)]
        #expect(try ledger.reserve(spending("c", [dollars]), within: daily) == .granted)
        var fresh = SpendingLedger()
        #expect(
            try fresh.reserve(spending("d"), within: daily, counting: SpendingWorths())
                == .refused(.incomparable(euros, daily[1])))
        let both = spending("e", [euros, dollars])
        #expect(
            try ledger.reserve(both, within: daily, counting: SpendingWorths())
                == .refused(.uncounted(euros, daily[0], earlier: dollars)))
        var worths = SpendingWorths()
        worths.add(.cents(1901), of: AttemptID(rawValue: "c"))
        // The first one in a currency counts.
        worths.add(.cents(1), of: AttemptID(rawValue: "c"))
        guard case .refused(.exceeded) = try ledger.reserve(both, within: daily, counting: worths) else {
            Issue.record("what was spent is not counted")
            return
        }
        worths = SpendingWorths()
        worths.add(.cents(1900), of: AttemptID(rawValue: "c"))
        #expect(try ledger.reserve(both, within: daily, counting: worths) == .granted)
    }

    @Test("A worth in another unit than the limit's is none")
    func otherUnit() async throws {
        for worth in [.cents(1), .cents(0, .usd), try Money(minorUnits: 1, currency: .usd, exponent: 7)] {
            let autoPay = AutoPay(within: daily(.cents(1, .usd)), timeZone: .gmt) { _, _ in worth }
            #expect(try await spending(under: autoPay).amounts == [.cents(1000)])
        }
    }

    /// A spending of ten euros to Alice.
    private func spending(under autoPay: AutoPay) async throws -> Spending {
        let option = PaymentMethodOption.euros("card")
        let quote = PaymentQuote(
            ProviderQuote(
                reference: PaymentReference(provider: "acme", id: "p1"), payee: Payee(name: "Shop", id: "alice"),
                amount: nil, options: [option]))
        return try await autoPay.spending(
            on: option, .cents(1000), of: quote, by: AttemptID(rawValue: "a"),
            at: Date(timeIntervalSince1970: 86_400 * 3), in: InMemoryJournal())
    }

    @Test("Each worth is asked for once, and not of what the option costs anyway")
    func worths() async throws {
        let asked = Mutex<[Currency]>([])
        let autoPay = AutoPay(
            within: [
                SpendingLimit(.cents(1), per: .day), SpendingLimit(.cents(1, .usd), per: .day),
                SpendingLimit(.cents(1, .usd), per: .month),
                SpendingLimit(.cents(1, .satoshi), per: .day, on: .payee("bob")),
            ], timeZone: .gmt
        ) { amount, limit in
            asked.withLock { $0.append(limit.currency) }
            return .cents(amount.minorUnits * 2, limit.currency)
        }
        let spending = try await spending(under: autoPay)
        #expect(spending.amounts == [.cents(1000), .cents(2000, .usd)])
        #expect(asked.withLock { $0 } == [.usd])
        #expect(spending.day == day(3) && spending.payee == "alice" && spending.method == "card")
        #expect(spending.keeper == .journal && spending.payment.id == "p1")
    }

    @Test("Of what was spent before, the worth of what counts is asked for, once in each currency that it lacks")
    func earlierWorths() async throws {
        let asked = Mutex<[String]>([])
        let limits = daily(.cents(900)) + daily(.cents(900), per: .month) + daily(.cents(900, .usd), on: .payee("bob"))
        let autoPay = AutoPay(within: limits, timeZone: .gmt) { amount, limit in
            asked.withLock { $0.append("\(amount) in \(limit.currency)") }
            return .cents(1, limit.currency)
        }
        let journal = InMemoryJournal()
        let earlier = [
            spending("euros", to: "bob"), spending("dollars", [.cents(200, .usd)], to: "bob"),
            spending("unpaid", [.cents(300, .usd)]), spending("satoshi", [.cents(400, .satoshi)]),
            spending("both", [.cents(300, .satoshi), .cents(5)]),
            spending("two", [.cents(60, .usd), .cents(6, .satoshi)]),
        ]
        for spending in earlier {
            let every = [Money.cents(900), .cents(900, .usd), .cents(900, .satoshi)].flatMap { daily($0) }
            #expect(try await journal.reserve(spending, within: every) == .granted)
        }
        await #expect(throws: Never.self) { try await journal.release(AttemptID(rawValue: "unpaid")) }
        let worths = try await autoPay.worths(before: spending("now", to: "bob"), in: journal)
        #expect(
            asked.withLock { $0 } == [
                "\(Money.cents(100)) in USD", "\(Money.cents(200, .usd)) in EUR",
                "\(Money.cents(400, .satoshi)) in EUR", "\(Money.cents(60, .usd)) in EUR",
            ])
        for (id, worth) in [("dollars", Money.cents(1)), ("satoshi", .cents(1)), ("both", nil), ("euros", nil)] {
            #expect(worths?.worth(of: AttemptID(rawValue: id), in: .eur) == worth)
        }
    }
}
