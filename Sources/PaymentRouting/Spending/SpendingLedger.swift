package import PaymentCore

/// Spendings and the rules for them, as a value: what every store of them goes by.
package struct SpendingLedger: Sendable {
    /// Oldest first.
    package private(set) var records: [SpendingRecord] = []
    private var places: [AttemptID: Int] = [:]

    /// Creates a book of what is known, oldest first.
    package init(_ records: [SpendingRecord] = []) {
        for record in records { add(record) }
    }

    package subscript(_ attempt: AttemptID) -> SpendingRecord? { places[attempt].map { records[$0] } }

    package var reserved: [SpendingRecord] { records.filter { $0.state == .reserved } }

    package func since(_ day: SpendingDay) -> [SpendingRecord] { records.filter { $0.spending.day >= day } }

    /// Reserves as ``SpendingStore/reserve(_:within:)`` says.
    package mutating func reserve(
        _ spending: Spending, within limits: [SpendingLimit]
    ) throws(SpendingError) -> SpendingVerdict {
        // Who gets money back spends nothing.
        guard spending.payment.subject == .payment, !spending.amounts.isEmpty,
            spending.amounts.allSatisfy({ !$0.isZero })
        else {
            throw .nothing(spending.attempt)
        }
        if let known = self[spending.attempt] {
            guard known.state == .reserved, known.spending.isSame(as: spending) else { throw .taken(spending.attempt) }
            return .granted
        }
        notice(on: spending.day)
        if let refusal = refusal(of: spending, within: limits) { return .refused(refusal) }
        add(SpendingRecord(spending))
        return .granted
    }

    package mutating func commit(_ attempt: AttemptID) throws(SpendingError) {
        guard let place = places[attempt] else { throw .unknown(attempt) }
        records[place].state = .paid
    }

    package mutating func release(_ attempt: AttemptID) throws(SpendingError) {
        guard let place = places[attempt] else { return }
        guard records[place].state != .paid else { throw .paid(attempt) }
        records[place].state = .released
    }

    /// Forgets what has ended and counts in no period any more.
    package mutating func forget(before day: SpendingDay) {
        let last = records.map(\.spending.day).max() ?? day
        let old = min(day, last).earlier(by: Self.longestMemory)
        self = SpendingLedger(records.filter { $0.state == .reserved || $0.spending.day >= old })
    }

    /// For how many days at least a spending is kept: longer than any period.
    package static let longestMemory = 62

    private mutating func add(_ record: SpendingRecord) {
        places[record.spending.attempt] = records.count
        records.append(record)
    }

    /// What is dated on a later day than it is now counts as long as if it were dated now.
    private mutating func notice(on day: SpendingDay) {
        for place in records.indices where records[place].spending.day > day && records[place].noticed == nil {
            records[place].noticed = day
        }
    }

    // MARK: Limits

    /// Why `spending` is not granted; nil when it is.
    private func refusal(of spending: Spending, within limits: [SpendingLimit]) -> SpendingDenial? {
        var scopes: [SpendingLimit.Scope: [SpendingLimit]] = [:]
        let applicable = limits.filter { $0.includes(spending) }
        guard !applicable.isEmpty else { return .noLimit }
        for limit in applicable { scopes[limit.scope, default: []].append(limit) }
        // In the order in which they were given, so that the words are the same every time.
        for limit in applicable {
            guard let amount = spending.amount(in: limit.amount.currency) else {
                // Another limit of the scope may be in a currency that this is spent in: that one was meant for it
                // then.
                let isCovered = scopes[limit.scope, default: []].contains {
                    spending.amount(in: $0.amount.currency) != nil
                }
                guard isCovered else { return .incomparable(spending.amounts[0], limit) }
                continue
            }
            // The number of decimals of a token is the service's word: with another one amounts cannot be compared.
            guard amount.exponent == limit.amount.exponent, let spent = spent(on: limit, spending.day) else {
                return .incomparable(amount, limit)
            }
            let (sum, overflows) = spent.addingReportingOverflow(amount.minorUnits)
            guard !overflows, sum <= limit.amount.minorUnits else {
                return .exceeded(amount, limit, spent: limit.amount.text(of: spent))
            }
        }
        return nil
    }

    /// What counts against `limit` on `today`, in its minor units; nil when it cannot be told.
    private func spent(on limit: SpendingLimit, _ today: SpendingDay) -> UInt128? {
        var sum: UInt128 = 0
        for record in records where limit.includes(record.spending) && record.counts(in: limit.period, of: today) {
            // What was granted in another currency only was granted by another limit.
            guard let amount = record.spending.amount(in: limit.amount.currency) else { continue }
            guard amount.exponent == limit.amount.exponent else { return nil }
            let (next, overflows) = sum.addingReportingOverflow(amount.minorUnits)
            guard !overflows else { return UInt128.max }
            sum = next
        }
        return sum
    }
}

extension Spending {
    /// What of it counts in `currency`.
    func amount(in currency: Currency) -> Money? { amounts.first { $0.currency.denotesSame(as: currency) } }
}

extension SpendingDay {
    /// What is dated before this day counts in no period of the day any more.
    package var firstThatCounts: SpendingDay { min(first(of: .week), first(of: .month)) }

    /// The day so many days before.
    package func earlier(by days: Int) -> SpendingDay { SpendingDay(number: number - days) }
}

extension Money {
    /// Another amount of the same currency, in words, also where it is more than any amount can be.
    fileprivate func text(of units: UInt128) -> String {
        (try? Money(minorUnits: units, currency: currency, exponent: exponent))?.description ?? "all and more"
    }
}
