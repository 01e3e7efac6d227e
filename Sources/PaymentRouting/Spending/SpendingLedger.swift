package import PaymentCore

/// Spendings and the rules for them, as a value that every store uses.
package struct SpendingLedger: Sendable {
    /// Oldest first.
    package private(set) var records: [SpendingRecord] = []
    private var places: [AttemptID: Int] = [:]

    /// Creates a ledger of known records, oldest first.
    package init(_ records: [SpendingRecord] = []) {
        for record in records { add(record) }
    }

    package subscript(_ attempt: AttemptID) -> SpendingRecord? { places[attempt].map { records[$0] } }

    package var reserved: [SpendingRecord] { records.filter { $0.state == .reserved } }

    package func since(_ day: SpendingDay) -> [SpendingRecord] { records.filter { $0.spending.day >= day } }

    /// Reserves by the rules of ``SpendingStore/reserve(_:within:counting:)``.
    package mutating func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths? = nil
    ) throws(SpendingError) -> SpendingVerdict {
        // A refund spends nothing.
        guard spending.payment.isPayment, !spending.amounts.isEmpty,
            spending.amounts.allSatisfy({ !$0.isZero })
        else {
            throw .nothing(spending.attempt)
        }
        if let known = self[spending.attempt] {
            guard known.state == .reserved, known.spending.isSame(as: spending) else { throw .taken(spending.attempt) }
            return .granted
        }
        notice(on: spending.day)
        if let refusal = refusal(of: spending, within: limits, worths) { return .refused(refusal) }
        add(SpendingRecord(spending))
        return .granted
    }

    package mutating func commit(_ attempt: AttemptID) throws(SpendingError) {
        guard let place = places[attempt] else { throw .unknown(attempt) }
        records[place].state = .paid
    }

    /// Releases by the rules of ``SpendingStore/release(_:)``.
    ///
    /// - Parameter isOpen: true if the journal holds the attempt, without an end.
    package mutating func release(_ attempt: AttemptID, isOpen: Bool) throws(SpendingError) {
        guard let place = places[attempt] else { return }
        guard records[place].state != .paid else { throw .paid(attempt) }
        guard !isOpen else { throw .open(attempt) }
        records[place].state = .released
    }

    /// Checks that an attempt may be opened, by the rules of ``AttemptStore/open(_:under:)``. Called in the transaction
    /// that opens it.
    package func checkOpening(of attempt: PaymentAttempt) throws(JournalError) {
        guard self[attempt.id]?.state != .released else { throw .leaseLost(attempt.reference) }
    }

    /// Removes the records that have ended and no longer count in any period. No clock is trusted for that, neither the
    /// present one nor those of some spendings, so everything dated on the latest days with spendings stays.
    package mutating func forget(before day: SpendingDay) {
        let days = Set(records.map(\.spending.day)).sorted(by: >)
        guard days.count >= Self.longestMemory else { return }
        let old = min(min(day, days[0]).earlier(by: Self.longestMemory), days[Self.longestMemory - 1])
        self = SpendingLedger(records.filter { $0.state == .reserved || $0.spending.day >= old })
    }

    /// The minimum number of days for which a spending is kept, and the minimum number of the latest days with
    /// spendings that are kept, however long ago they are. It is twice as many as any period has.
    package static let longestMemory = 62

    private mutating func add(_ record: SpendingRecord) {
        places[record.spending.attempt] = records.count
        records.append(record)
    }

    /// Notes the day for spendings that are dated later. They count for as long as if they were dated today.
    private mutating func notice(on day: SpendingDay) {
        for place in records.indices where records[place].spending.day > day && records[place].noticed == nil {
            records[place].noticed = day
        }
    }

    /// Returns the time zone that the account's days are dates in: that of the latest spending that still counts. Nil
    /// if no such spending states one.
    ///
    /// - Parameter today: the day in any time zone. In the account's own it may be an earlier one.
    func timeZone(on today: SpendingDay) -> String? {
        let days = [today, today.earlier(by: SpendingDay.zonesApart)]
        return records.last { record in
            record.spending.timeZone != nil
                && days.contains { day in SpendingLimit.Period.allCases.contains { record.counts(in: $0, of: day) } }
        }?.spending.timeZone
    }

    // MARK: Limits

    /// The limits that are about the same spendings in the same time.
    private struct Group: Hashable {
        let scope: SpendingLimit.Scope
        let period: SpendingLimit.Period

        init(_ limit: SpendingLimit) { (scope, period) = (limit.scope, limit.period) }
    }

    /// Returns why `spending` is not granted; nil if it is.
    ///
    /// - Parameter worths: the worth of what was spent before; nil if nothing is converted.
    private func refusal(
        of spending: Spending, within limits: [SpendingLimit], _ worths: SpendingWorths?
    ) -> SpendingDenial? {
        let applicable = limits.filter { $0.includes(spending) }
        guard !applicable.isEmpty else { return .noLimit }
        if let zone = spending.timeZone, let account = timeZone(on: spending.day), zone != account {
            return .otherTimeZone(zone, account: account)
        }
        let groups = Dictionary(grouping: applicable, by: Group.init)
        // The limits are checked in the given order, so the message is the same every time.
        for limit in applicable {
            guard let amount = spending.amount(in: limit.amount.currency) else {
                // If nothing is converted, another limit on the same spendings and time may be in a currency of this
                // spending. That one then applies. An unknown worth lifts no limit.
                let isCovered = groups[Group(limit), default: []].contains {
                    spending.amount(in: $0.amount.currency) != nil
                }
                guard worths == nil, isCovered else { return .incomparable(spending.amounts[0], limit) }
                continue
            }
            // The number of decimals of a token is the service's claim. Amounts with other decimals cannot be compared.
            guard amount.exponent == limit.amount.exponent else { return .incomparable(amount, limit) }
            let spent: UInt128
            switch self.spent(on: limit, spending.day, worths) {
            case .sum(let sum): spent = sum
            case .incomparable: return .incomparable(amount, limit)
            case .uncounted(let earlier): return .uncounted(amount, limit, earlier: earlier)
            }
            let (sum, overflows) = spent.addingReportingOverflow(amount.minorUnits)
            guard !overflows, sum <= limit.amount.minorUnits else {
                return .exceeded(amount, limit, spent: limit.amount.text(of: spent))
            }
        }
        return nil
    }

    /// The sum of what counts against a limit.
    private enum Spent {
        /// In the limit's minor units.
        case sum(UInt128)
        /// Something is counted with other decimals.
        case incomparable
        /// The worth of this is unknown.
        case uncounted(Money)
    }

    /// Returns what counts against `limit` on `today`.
    private func spent(on limit: SpendingLimit, _ today: SpendingDay, _ worths: SpendingWorths?) -> Spent {
        var sum: UInt128 = 0
        let currency = limit.amount.currency
        for record in records where limit.includes(record.spending) && record.counts(in: limit.period, of: today) {
            let worth = worths?.worth(of: record.spending.attempt, in: currency)
            guard let amount = record.spending.amount(in: currency) ?? worth else {
                // If nothing is converted, another limit has granted it.
                guard worths == nil else { return .uncounted(record.spending.amounts[0]) }
                continue
            }
            guard amount.exponent == limit.amount.exponent else { return .incomparable }
            let (next, overflows) = sum.addingReportingOverflow(amount.minorUnits)
            guard !overflows else { return .sum(UInt128.max) }
            sum = next
        }
        return .sum(sum)
    }
}

extension Spending {
    /// Returns the amount of it that counts in `currency`.
    func amount(in currency: Currency) -> Money? { amounts.first { $0.currency.denotesSame(as: currency) } }
}

extension SpendingDay {
    /// The day before which a spending no longer counts in any period of this day, whatever zone it is a date in.
    package var firstThatCounts: SpendingDay {
        let earliest = earlier(by: Self.zonesApart)
        return min(earliest.first(of: .week), earliest.first(of: .month))
    }

    /// The number of days between the dates of one moment in two time zones, at most: zones are up to 26 hours apart.
    static let zonesApart = 2

    /// Returns the day this number of days before.
    package func earlier(by days: Int) -> SpendingDay { SpendingDay(number: number - days) }
}

extension Money {
    /// Returns another amount of the same currency, in words, even if it exceeds the largest amount.
    fileprivate func text(of units: UInt128) -> String {
        (try? Money(minorUnits: units, currency: currency, exponent: exponent))?.description ?? "all and more"
    }
}
