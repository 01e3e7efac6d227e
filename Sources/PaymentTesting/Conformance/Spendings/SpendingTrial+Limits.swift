import PaymentCore
import PaymentRouting

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
