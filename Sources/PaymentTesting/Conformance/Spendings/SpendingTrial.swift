import PaymentCore
import PaymentRouting

/// One probe of one store: it calls the store and collects the defects.
final class SpendingTrial: StorageTrial {
    let storage: SpendingSubject.Storage
    var store: any SpendingStore { storage.store }
    let findings = Findings()

    init(_ storage: SpendingSubject.Storage) { self.storage = storage }

    // MARK: Findings

    /// Expects a spending to be granted.
    func grants(
        _ spending: Spending, _ limits: [SpendingLimit], _ what: String, by other: (any SpendingStore)? = nil,
        counting worths: SpendingWorths? = nil
    ) async throws {
        let verdict = try await (other ?? store).reserve(spending, within: limits, counting: worths)
        expect(verdict == .granted, "\(what) is not granted: \(verdict)")
    }

    /// Expects a spending to be refused, and nothing to be reserved for it.
    func refuses(
        _ spending: Spending, _ limits: [SpendingLimit], _ what: String, by other: (any SpendingStore)? = nil,
        counting worths: SpendingWorths? = nil
    ) async throws {
        let store = other ?? store
        let verdict = try await store.reserve(spending, within: limits, counting: worths)
        expect(verdict != .granted, "\(what) is granted")
        expect(try await store.spending(of: spending.attempt) == nil, "\(what) is refused, and reserved all the same")
    }

    /// Expects a call to be refused with exactly this error.
    func fails(_ error: SpendingError, _ what: String, _ call: () async throws -> Void) async {
        await expects(error, what, call)
    }

    // MARK: Samples

    static let today = SpendingDay(number: 20_520)

    static func cents(_ cents: UInt128, _ currency: Currency = .eur) throws -> Money {
        try Money(minorUnits: cents, currency: currency)
    }

    static func daily(_ cents: UInt128) throws -> [SpendingLimit] { [SpendingLimit(try Self.cents(cents), per: .day)] }

    static func spending(
        _ id: String, _ cents: UInt128, on day: SpendingDay = today, at provider: ProviderID = "acme",
        to payee: String? = nil, by method: String? = nil
    ) throws -> Spending {
        Spending(
            attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: provider, id: "payment of " + id),
            amounts: [try Self.cents(cents)], day: day, payee: payee, method: method)
    }
}

/// The rules of granted and refused spendings.
extension SpendingTrial {
    func limit() async throws {
        let limits = try Self.daily(2000)
        try await refuses(try Self.spending("a", 2001), limits, "more than the limit")
        try await grants(try Self.spending("b", 1999), limits, "less than the limit")
        try await refuses(try Self.spending("c", 2), limits, "what exceeds the limit by one")
        try await grants(try Self.spending("d", 1), limits, "what reaches the limit")
        try await refuses(try Self.spending("e", 1), limits, "what comes after the limit is reached")
        try await grants(try Self.spending("f", 1), try Self.daily(2001), "what a higher limit leaves room for")
        let both = try Self.daily(9000) + Self.daily(2002)
        try await refuses(try Self.spending("g", 2), both, "what only one of two limits leaves room for")
        try await grants(try Self.spending("h", 1), both, "what both limits leave room for")
        try await refuses(try Self.spending("i", 1), [], "what no limit is about")
    }

    func scopes() async throws {
        func limits(_ scope: SpendingLimit.Scope) throws -> [SpendingLimit] {
            [SpendingLimit(try Self.cents(100), per: .day, on: scope)]
        }
        let (provider, payee, method) = (
            try limits(.provider("acme")), try limits(.payee("shop")), try limits(.method("card"))
        )
        try await refuses(try Self.spending("a", 1, at: "other"), provider, "what is spent at another provider")
        try await refuses(try Self.spending("b", 1, to: "else"), payee, "what another payee gets")
        try await refuses(try Self.spending("c", 1), payee, "what a payee without a name gets")
        try await refuses(try Self.spending("d", 1, by: "cash"), method, "what is paid by another method")
        // Spendings outside the limits leave them as they are.
        let all = try Self.daily(1_000_000)
        try await grants(try Self.spending("e", 90, at: "other", to: "else", by: "cash"), all, "a first spending")
        let one = try Self.spending("f", 60, to: "shop", by: "card")
        try await grants(one, provider + payee + method + all, "what all limits leave room for")
        let more = try Self.spending("g", 41, to: "shop", by: "card")
        for (limits, what) in [(provider, "provider"), (payee, "payee"), (method, "method")] {
            try await refuses(more, limits + all, "what exceeds the limit of a \(what)")
        }
        try await grants(try Self.spending("h", 41, at: "other", to: "shop"), provider + all, "what is elsewhere")
        try await refuses(try Self.spending("i", 1, at: "other", to: "shop"), payee, "what the payee got elsewhere")
    }

    func periods() async throws {
        // The end of February in a leap year, on a Tuesday, and the days after.
        let (first, tuesday, march) = (
            SpendingDay(number: 21_215), SpendingDay(number: 21_243), SpendingDay(number: 21_244)
        )
        let (sunday, monday) = (SpendingDay(number: 21_248), SpendingDay(number: 21_249))
        expect(tuesday.description == "2028-02-29", "the probe is wrong")
        for (period, within, after) in [
            (SpendingLimit.Period.day, tuesday, march), (.week, sunday, monday), (.month, first, march),
            (.month, tuesday, march),
        ] {
            let limits = [
                SpendingLimit(try Self.cents(10), per: period, on: .payee("\(period) \(within) \(after)"))
            ]
            func spending(_ id: String, _ day: SpendingDay) throws -> Spending {
                try Self.spending("\(id) \(period) \(within)", 10, on: day, to: "\(period) \(within) \(after)")
            }
            try await grants(try spending("a", min(within, tuesday)), limits, "the first of a \(period)")
            try await refuses(try spending("b", max(within, tuesday)), limits, "more in the same \(period)")
            try await grants(try spending("c", after), limits, "what the next \(period) leaves room for")
            try await refuses(try spending("d", after), limits, "more in the next \(period)")
        }
    }

    /// An account counts by the days of one zone, for as long as anything counts in it.
    func timeZones() async throws {
        func spending(_ id: String, _ zone: String?, on day: SpendingDay = Self.today) throws -> Spending {
            Spending(
                attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: id),
                amounts: [try Self.cents(1)], day: day, timeZone: zone)
        }
        let limits = try Self.daily(1000)
        try await grants(try spending("a", "Europe/Berlin"), limits, "the first spending, in any time zone")
        try await refuses(try spending("b", "Asia/Tokyo"), limits, "a spending in another time zone")
        try await grants(try spending("c", "Europe/Berlin"), limits, "another one in the same time zone")
        try await grants(try spending("d", nil), limits, "a spending that states no time zone")
        let later = Self.today.earlier(by: -40)
        try await grants(
            try spending("e", "Asia/Tokyo", on: later), limits, "another zone when nothing counts any more")
    }

    func currencies() async throws {
        let token = "caip19/eip155:1/erc20:0x" + String(repeating: "aa", count: 20)
        func tokens(_ units: UInt128, exponent: UInt8) throws -> Money {
            try Money(minorUnits: units, currency: Currency(unit: token), exponent: exponent)
        }
        func spending(_ id: String, _ amounts: [Money]) throws -> Spending {
            Spending(
                attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: id), amounts: amounts,
                day: Self.today)
        }
        let euros = try Self.daily(1000)
        try await refuses(try spending("a", [try Self.cents(1, .usd)]), euros, "another currency")
        try await refuses(try spending("b", [try tokens(1, exponent: 6)]), euros, "a token")
        let six = [SpendingLimit(try tokens(1_000_000, exponent: 6), per: .day)]
        try await refuses(try spending("c", [try tokens(1, exponent: 0)]), six, "a token with fewer decimals")
        try await refuses(try spending("d", [try tokens(1, exponent: 18)]), six, "a token with more decimals")
        // The stated worth counts.
        let worth = try spending("e", [try tokens(500_000, exponent: 6), try Self.cents(600)])
        try await grants(worth, euros + six, "a token that is worth some of a limit")
        try await refuses(
            try spending("f", [try tokens(1, exponent: 6), try Self.cents(401)]), euros,
            "a token that is worth more than what is left")
        try await refuses(try spending("g", [try Self.cents(401)]), euros, "what a token has left no room for")
        let both = euros + [SpendingLimit(try Self.cents(50, .usd), per: .day)]
        try await grants(try spending("h", [try Self.cents(50, .usd)]), both, "a currency with its own limit")
        let local = [SpendingLimit(try Self.cents(50, .usd), per: .day, on: .provider("acme"))]
        try await refuses(
            try spending("i", [try Self.cents(1, .usd)]), local + euros,
            "a currency that the limit of everything says nothing about")
        let month = [SpendingLimit(try Self.cents(9000, .usd), per: .month)]
        try await refuses(
            try spending("j", [try Self.cents(1, .usd)]), euros + month,
            "a currency that only the limit of another period is in")
    }

    func worths() async throws {
        let limits = try Self.daily(1000) + [SpendingLimit(try Self.cents(1000, .usd), per: .day)]
        func spending(_ id: String, _ amounts: Money...) -> Spending {
            Spending(
                attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: id), amounts: amounts,
                day: Self.today)
        }
        try await grants(spending("a", try Self.cents(900, .usd)), limits, "a currency with its own limit")
        let (cents, both) = (try Self.cents(100), (try Self.cents(100), try Self.cents(100, .usd)))
        var worths = SpendingWorths()
        try await refuses(spending("b", cents), limits, "what has no worth in one of the limits", counting: worths)
        try await refuses(
            spending("c", both.0, both.1), limits, "more, while the worth of an earlier spending is unknown",
            counting: worths)
        worths.add(try Self.cents(901), of: AttemptID(rawValue: "a"))
        try await refuses(
            spending("d", both.0, both.1), limits, "what the worth of an earlier spending leaves no room for",
            counting: worths)
        worths = SpendingWorths()
        worths.add(try Self.cents(900), of: AttemptID(rawValue: "a"))
        try await grants(
            spending("e", both.0, both.1), limits, "what the worth of an earlier spending leaves room for",
            counting: worths)
    }

    func oddAmounts() async throws {
        let limits = try Self.daily(1000)
        let reference = PaymentReference(provider: "acme", id: "p")
        func spending(_ id: String, _ amounts: [Money], _ payment: PaymentReference) -> Spending {
            Spending(attempt: AttemptID(rawValue: id), payment: payment, amounts: amounts, day: Self.today)
        }
        for (id, spending) in [
            ("a", spending("a", [], reference)), ("b", spending("b", [try Self.cents(0)], reference)),
            ("c", spending("c", [try Self.cents(1), try Self.cents(0, .usd)], reference)),
            (
                "d",
                spending(
                    "d", [try Self.cents(1)], PaymentReference(provider: "acme", id: "p", subject: .refund(of: "p")))
            ),
        ] {
            await fails(.nothing(AttemptID(rawValue: id)), "a spending of nothing (\(id))") {
                _ = try await store.reserve(spending, within: limits)
            }
            expect(try await store.spending(of: AttemptID(rawValue: id)) == nil, "a spending of nothing is reserved")
        }
        let most = [SpendingLimit(try Self.cents(Money.maximumMinorUnits), per: .day)]
        for number in 1...5 {
            let whole = try Self.spending("whole \(number)", Money.maximumMinorUnits)
            if number == 1 {
                try await grants(whole, most, "the largest amount")
            } else {
                try await refuses(whole, most, "more than any number holds")
            }
        }
        for number in 1...4 {
            let day = Self.today.earlier(by: -number)
            let whole = try Self.spending("day \(number)", Money.maximumMinorUnits, on: day)
            try await grants(whole, most, "the largest amount on each day")
        }
        let month = [SpendingLimit(try Self.cents(Money.maximumMinorUnits), per: .month)]
        try await refuses(
            try Self.spending("month", 1, on: Self.today.earlier(by: -4)), month, "more, where no number holds the sum")
        let far = SpendingDay(number: .max)
        try await grants(try Self.spending("far", 1, on: far), limits, "what is dated at the end of time")
        // Every other spending has a later date, and counts.
        let old = try Self.spending("old", 1, on: SpendingDay(number: .min))
        try await refuses(old, limits, "what is dated at its beginning, after all that")
    }

    func clocks() async throws {
        let limits = try Self.daily(100)
        let (before, today, after) = (Self.today.earlier(by: 4), Self.today, Self.today.earlier(by: -1))
        try await grants(try Self.spending("a", 100, on: today), limits, "a first spending")
        try await refuses(try Self.spending("b", 1, on: before), limits, "more, by a clock that was set back")
        try await refuses(try Self.spending("c", 1, on: today), limits, "more, after the clock was set right")
        try await grants(try Self.spending("d", 100, on: after), limits, "what the next day leaves room for")
        try await refuses(try Self.spending("e", 1, on: today), limits, "more, by a clock that was set back by a day")
        // A clock that is wrong once must not stop everything for decades.
        let far = SpendingDay(number: 47_000)
        try await grants(try Self.spending("f", 100, on: far), limits, "what is spent in the far future")
        let later = Self.today.earlier(by: -30)
        try await refuses(try Self.spending("g", 1, on: later), limits, "more, right after the far future")
        try await grants(
            try Self.spending("h", 100, on: Self.today.earlier(by: -31)), limits,
            "what the day after that leaves room for"
        )
        try await refuses(try Self.spending("i", 1, on: far), limits, "more, when the far future has come")
    }
}

/// The rules of reservations and of their storage.
extension SpendingTrial {
    func identity() async throws {
        let limits = try Self.daily(100)
        let spending = try Self.spending("a", 60)
        try await grants(spending, limits, "a spending")
        try await grants(spending, limits, "the same one, asked for again")
        try await grants(
            try Self.spending("a", 60, on: Self.today.earlier(by: -1)), limits, "the same one, asked for after midnight"
        )
        expect(try await store.reservedSpendings().count == 1, "one spending is reserved several times")
        expect(
            try await store.spending(of: spending.attempt)?.spending == spending, "a repetition changes what is stored")
        try await grants(try Self.spending("b", 40), limits, "what one spending, asked for thrice, leaves room for")
        for (other, what) in [
            (try Self.spending("a", 1), "another amount"),
            (try Self.spending("a", 60, at: "other"), "another provider"),
            (try Self.spending("a", 60, to: "shop"), "another payee"),
            (try Self.spending("a", 60, by: "card"), "a method"),
        ] {
            await fails(.taken(spending.attempt), "a spending of the same attempt with \(what)") {
                _ = try await store.reserve(other, within: limits)
            }
        }
        try await store.release(spending.attempt)
        await fails(.taken(spending.attempt), "a spending whose attempt has ended") {
            _ = try await store.reserve(spending, within: limits)
        }
        try await store.commit(AttemptID(rawValue: "b"))
        await fails(.taken(AttemptID(rawValue: "b")), "a spending that is paid already") {
            _ = try await store.reserve(try Self.spending("b", 40), within: limits)
        }
    }

    func settling() async throws {
        let limits = try Self.daily(100)
        let (paid, unpaid) = (AttemptID(rawValue: "paid"), AttemptID(rawValue: "unpaid"))
        try await grants(try Self.spending("paid", 60), limits, "a spending")
        try await grants(try Self.spending("unpaid", 40), limits, "a second one")
        for _ in 0..<2 { try await store.commit(paid) }
        await fails(.paid(paid), "releasing what was paid") { try await store.release(paid) }
        expect(try await store.spending(of: paid)?.state == .paid, "what was paid is not called so")
        try await refuses(try Self.spending("a", 1), limits, "what a paid and a reserved spending leave no room for")
        for _ in 0..<2 { try await store.release(unpaid) }
        expect(try await store.spending(of: unpaid)?.state == .released, "what was released is not called so")
        expect(try await store.reservedSpendings().isEmpty, "something stays reserved")
        try await refuses(try Self.spending("b", 41), limits, "what a spending released twice leaves no room for")
        try await grants(try Self.spending("c", 30), limits, "what a released spending leaves room for")
        // Money that moved counts, whatever was reported before; it may then be more than the limit.
        try await store.commit(unpaid)
        expect(try await store.spending(of: unpaid)?.state == .paid, "a late word that it was paid is not taken")
        try await refuses(try Self.spending("d", 1), limits, "what a late payment leaves no room for")
        let nobody = AttemptID(rawValue: "nobody")
        await fails(.unknown(nobody), "committing what was never reserved") { try await store.commit(nobody) }
        try await store.release(nobody)
        expect(try await store.spending(of: nobody) == nil, "releasing what was never reserved leaves something")
    }

    func opening() async throws {
        guard let journal = store as? any PaymentJournal else { throw SkipError(reason: "the store is no journal") }
        let limits = try Self.daily(100)
        func reserve(_ id: String) async throws -> PaymentAttempt {
            let spending = try Self.spending(id, 1)
            try await grants(spending, limits, "a spending")
            return try JournalTrial.attempt(id, spending.payment)
        }
        func open(_ attempt: PaymentAttempt) async throws -> PaymentLease {
            let lease = JournalTrial.lease(attempt.reference)
            expect(try await journal.acquire(lease, at: attempt.startedAt), "the lease of a payment is not granted")
            try await journal.open(attempt, under: lease)
            return lease
        }
        func state(_ attempt: PaymentAttempt) async throws -> SpendingRecord.State? {
            try await store.spending(of: attempt.id)?.state
        }
        let first = try await reserve("open")
        let lease = try await open(first)
        await fails(.open(first.id), "releasing what an open attempt may pay") { try await store.release(first.id) }
        expect(try await state(first) == .reserved, "a refused release has released something")
        try await journal.append(JournalTrial.entry(JournalTrial.abandoned), to: first.id, under: lease)
        try await store.release(first.id)
        expect(try await state(first) == .released, "what an ended attempt has not paid stays reserved")
        let second = try await reserve("released")
        try await store.release(second.id)
        await expects(JournalError.leaseLost(second.reference), "opening an attempt whose reservation is released") {
            _ = try await open(second)
        }
        expect(try await journal.history(of: second.id) == nil, "an attempt that is refused is opened")
        let other = try await storage.reopen?() ?? store
        for number in 0..<20 {
            let attempt = try await reserve("race \(number)")
            async let release: Void? = try? other.release(attempt.id)
            _ = try? await open(attempt)
            _ = await release
            let isOpen = try await journal.history(of: attempt.id) != nil
            expect(
                try await state(attempt) == (isOpen ? .reserved : .released),
                "a reservation is released while its attempt is opened")
        }
    }

    func fidelity() async throws {
        let token = "caip19/eip155:1/erc20:0x" + String(repeating: "aa", count: 20)
        let first = Spending(
            attempt: AttemptID(rawValue: "z\u{0}\u{1F600}"), payment: PaymentReference(provider: "acme", id: "p'\""),
            amounts: [
                try Money(minorUnits: Money.maximumMinorUnits, currency: Currency(unit: token), exponent: 38),
                try Money(minorUnits: 12_345_678_901_234_567_890_123, currency: .satoshi),
            ], day: Self.today, payee: "", method: nil, keeper: .journal,
            timeZone: "Europe/Berlin")
        let second = try Self.spending("a", 7, on: Self.today.earlier(by: 40), to: "shop", by: "card")
        let third = try Self.spending("m", 7, on: Self.today.earlier(by: -1))
        let limits = [
            SpendingLimit(try Money(minorUnits: Money.maximumMinorUnits, currency: .satoshi), per: .day),
            SpendingLimit(try Self.cents(14), per: .day),
        ]
        try await grants(first, limits, "a spending with odd names")
        // Dated by a clock that is behind: it still comes after the other one and counts it.
        try await grants(second, limits, "a spending by a clock that is behind")
        try await grants(third, limits, "a spending on the next day")
        let records = [SpendingRecord(first, noticed: second.day), SpendingRecord(second), SpendingRecord(third)]
        for record in records {
            expect(
                try await store.spending(of: record.spending.attempt) == record,
                "the spending of '\(record.spending.attempt)' is not read as it was written")
        }
        expect(try await store.reservedSpendings() == records, "what is reserved is not what was, in order")
        try await store.commit(third.attempt)
        let paid = SpendingRecord(third, state: .paid)
        expect(try await store.reservedSpendings() == Array(records.prefix(2)), "what is paid is called reserved")
        expect(try await store.spendings(since: second.day) == records.prefix(2) + [paid], "some spendings are missing")
        expect(try await store.spendings(since: Self.today) == [records[0], paid], "spendings of a day are others")
        expect(
            try await store.spendings(since: Self.today.earlier(by: -2)).isEmpty, "spendings are there of days to come")
    }

    func exactNames() async throws {
        // Two texts that look alike, and are equal to Swift.
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let limits = [
            SpendingLimit(try Self.cents(10), per: .day, on: .payee(composed)),
            SpendingLimit(try Self.cents(99), per: .day),
        ]
        try await grants(try Self.spending(composed, 10, to: composed), limits, "a spending")
        try await grants(
            try Self.spending(decomposed, 10, to: decomposed), limits, "another payee's by another attempt")
        expect(try await store.reservedSpendings().count == 2, "two attempts are taken for one")
        try await store.release(AttemptID(rawValue: decomposed))
        expect(
            try await store.spending(of: AttemptID(rawValue: composed))?.state == .reserved,
            "another attempt's reservation is released")
    }

    func race() async throws {
        let limits = try Self.daily(100)
        let store = store
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    guard let spending = try? Self.spending("\(number)", 10) else { return false }
                    return (try? await store.reserve(spending, within: limits)) == .granted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(granted == 10, "\(granted) spendings of 10 are granted at the same time within 100")
        expect(try await store.reservedSpendings().count == granted, "what is granted is not what is reserved")
    }

    func sharing() async throws {
        guard let reopen = storage.reopen else { throw SkipError(reason: "the storage cannot be opened twice") }
        let (other, limits) = (try await reopen(), try Self.daily(100))
        try await grants(try Self.spending("a", 60), limits, "a spending")
        try await refuses(try Self.spending("b", 41), limits, "what another one leaves no room for", by: other)
        try await grants(try Self.spending("c", 40), limits, "what another one leaves room for", by: other)
        try await refuses(try Self.spending("d", 1), limits, "what the other one leaves no room for")
        try await other.release(AttemptID(rawValue: "a"))
        try await store.commit(AttemptID(rawValue: "c"))
        try await grants(try Self.spending("e", 60), limits, "what another one has released")
        expect(
            try await other.spending(of: AttemptID(rawValue: "c"))?.state == .paid, "another one's commit is not seen")
        let (store, count) = (store, 24)
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<count {
                group.addTask {
                    guard let spending = try? Self.spending("race \(number)", 10, on: Self.today.earlier(by: -1)) else {
                        return false
                    }
                    return (try? await (number % 2 == 0 ? store : other).reserve(spending, within: limits)) == .granted
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expect(granted == 10, "\(granted) spendings of 10 are granted at the same time by two within 100")
    }

    func powerLoss() async throws {
        guard let losePower = storage.losePower else { throw SkipError(reason: "the storage cannot lose power") }
        let limits = try Self.daily(100)
        for id in ["paid", "unpaid", "open"] { try await grants(try Self.spending(id, 30), limits, "a spending") }
        try await store.commit(AttemptID(rawValue: "paid"))
        try await store.release(AttemptID(rawValue: "unpaid"))
        let left = try await losePower()
        let states = try await left.spendings(since: Self.today).map(\.state)
        expect(states == [.paid, .released, .reserved], "after a loss of power the spendings are \(states)")
        try await refuses(try Self.spending("more", 41), limits, "what there was no room for before", by: left)
    }
}
