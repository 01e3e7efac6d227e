import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport

/// A store of spendings with one flaw, or with none.
actor FlawedSpendingStore: ForwardingJournal, SpendingStore {
    enum Flaw: String, CaseIterable, Sendable {
        case exceedsByOne, stopsShort, looksAtOneLimit, ignoresScopes, neverResets, resetsWeekly, convertsOneToOne
        case takesZero, countsTwice, forgetsIdentity, releasesPaid, refusesLateWord, keepsReleased, freesWhenSetBack
        case waitsForTheFuture, losesPayees, sortsByDay, looseNames, looksThenWrites, seesOnlyItself, losesTheLast
        case releasesOpen, opensReleased, ignoresWorths, mixesZones

        /// The probe that has to find it.
        var probe: SpendingConformance.Probe {
            switch self {
            case .exceedsByOne, .stopsShort, .looksAtOneLimit: .limit
            case .ignoresScopes: .scopes
            case .neverResets, .resetsWeekly: .periods
            case .convertsOneToOne: .currencies
            case .ignoresWorths: .worths
            case .mixesZones: .timeZones
            case .takesZero: .oddAmounts
            case .countsTwice, .forgetsIdentity: .identity
            case .releasesPaid, .refusesLateWord, .keepsReleased: .settling
            case .freesWhenSetBack, .waitsForTheFuture: .clocks
            case .losesPayees, .sortsByDay: .fidelity
            case .looseNames: .exactNames
            case .looksThenWrites: .race
            case .seesOnlyItself: .sharing
            case .losesTheLast: .powerLoss
            case .releasesOpen, .opensReleased: .opening
            }
        }
    }

    private let flaw: Flaw?
    private var book = SpendingLedger()
    private var looks = 0
    let base = InMemoryJournal()
    /// The opened attempts: noted in the same turn of this actor that looks at its reservation.
    private var opened: Set<AttemptID> = []

    init(_ flaw: Flaw?) { self.flaw = flaw }

    static func subject(_ flaw: Flaw?) -> SpendingSubject {
        SpendingSubject(flaw?.rawValue ?? "sound") {
            let store = FlawedSpendingStore(flaw)
            return SpendingSubject.Storage(
                store, reopen: { flaw == .seesOnlyItself ? FlawedSpendingStore(flaw) : store },
                losePower: { await store.afterPowerLoss() })
        }
    }

    private func afterPowerLoss() async -> FlawedSpendingStore {
        let left = FlawedSpendingStore(flaw)
        await left.fill(flaw == .losesTheLast ? book.records.dropLast() : book.records)
        return left
    }

    private func fill(_ records: [SpendingRecord]) { book = SpendingLedger(records) }

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let (spending, limits) = try distorted(spending, limits)
        let worths = flaw == .ignoresWorths ? nil : worths
        if flaw == .looksThenWrites {
            var copy = book
            let verdict = try copy.reserve(spending, within: limits, counting: worths)
            looks += 1
            // Until another one has looked, if there is one.
            let seen = looks
            for _ in 0..<10_000 where looks == seen { await Task.yield() }
            if verdict == .granted {
                book = SpendingLedger(
                    book.records.filter { $0.spending.attempt != spending.attempt } + [SpendingRecord(spending)])
            }
            return verdict
        }
        if flaw == .takesZero, let amount = spending.amounts.first, amount.isZero { return .granted }
        if flaw == .forgetsIdentity, let known = book[spending.attempt], known.spending.day == spending.day {
            return .granted
        }
        if flaw == .countsTwice, book[spending.attempt]?.state == .reserved {
            let copy = Spending(
                attempt: AttemptID(rawValue: spending.attempt.rawValue + "'"), payment: spending.payment,
                amounts: spending.amounts, day: spending.day)
            return try book.reserve(copy, within: limits, counting: worths)
        }
        if flaw == .freesWhenSetBack {
            var past = SpendingLedger(book.records.filter { $0.spending.day <= spending.day })
            let verdict = try past.reserve(spending, within: limits, counting: worths)
            if verdict == .granted { fill(book.records + [SpendingRecord(spending)]) }
            return verdict
        }
        let verdict = try book.reserve(spending, within: limits, counting: worths)
        if flaw == .waitsForTheFuture { fill(book.records.map { SpendingRecord($0.spending, state: $0.state) }) }
        return verdict
    }

    private func distorted(_ spending: Spending, _ limits: [SpendingLimit]) throws -> (Spending, [SpendingLimit]) {
        func limited(_ change: (SpendingLimit) throws -> SpendingLimit) rethrows -> [SpendingLimit] {
            try limits.map(change)
        }
        func counted(_ units: UInt128, _ limit: SpendingLimit) throws -> SpendingLimit {
            let money = try Money(minorUnits: units, currency: limit.amount.currency, exponent: limit.amount.exponent)
            return SpendingLimit(money, per: limit.period, on: limit.scope)
        }
        switch flaw {
        case .exceedsByOne:
            return (spending, try limited { try counted(min($0.amount.minorUnits + 1, Money.maximumMinorUnits), $0) })
        case .stopsShort: return (spending, try limited { try counted($0.amount.minorUnits - 1, $0) })
        case .looksAtOneLimit: return (spending, Array(limits.prefix(1)))
        case .ignoresScopes: return (spending, limited { SpendingLimit($0.amount, per: $0.period) })
        case .neverResets: return (changed(spending, day: SpendingDay(number: 0)), limits)
        case .resetsWeekly: return (spending, limited { SpendingLimit($0.amount, per: .week, on: $0.scope) })
        case .convertsOneToOne:
            let currency = limits.first?.amount.currency ?? .eur
            let amounts = try spending.amounts.map {
                try Money(minorUnits: $0.minorUnits, currency: currency, exponent: limits.first?.amount.exponent)
            }
            return (changed(spending, amounts: amounts), limits)
        case .mixesZones: return (changed(spending, timeZone: .some(nil)), limits)
        case .losesPayees:
            return (changed(spending, payee: .some(spending.payee.flatMap { $0.isEmpty ? nil : $0 })), limits)
        case .looseNames:
            return (changed(spending, id: spending.attempt.rawValue.precomposedStringWithCanonicalMapping), limits)
        default: return (spending, limits)
        }
    }

    private func changed(
        _ spending: Spending, id: String? = nil, amounts: [Money]? = nil, day: SpendingDay? = nil,
        payee: String?? = nil, timeZone: String?? = nil
    ) -> Spending {
        Spending(
            attempt: id.map { AttemptID(rawValue: $0) } ?? spending.attempt, payment: spending.payment,
            amounts: amounts ?? spending.amounts, day: day ?? spending.day, payee: payee ?? spending.payee,
            method: spending.method, keeper: spending.keeper, timeZone: timeZone ?? spending.timeZone)
    }

    func commit(_ attempt: AttemptID) throws {
        if flaw == .refusesLateWord, book[attempt]?.state == .released { throw SpendingError.unknown(attempt) }
        try book.commit(attempt)
    }

    func release(_ attempt: AttemptID) async throws {
        if flaw == .keepsReleased { return }
        if flaw == .releasesPaid, book[attempt]?.state == .paid {
            fill(book.records.filter { $0.spending.attempt != attempt })
            return
        }
        let hasEnded = await base.history(of: attempt)?.isFinished == true
        try book.release(attempt, isOpen: opened.contains(attempt) && !hasEnded && flaw != .releasesOpen)
    }

    func spending(of attempt: AttemptID) -> SpendingRecord? { book[attempt] }

    func reservedSpendings() -> [SpendingRecord] { sorted(book.reserved) }

    func spendings(since day: SpendingDay) -> [SpendingRecord] { sorted(book.since(day)) }

    private func sorted(_ records: [SpendingRecord]) -> [SpendingRecord] {
        flaw == .sortsByDay ? records.sorted { $0.spending.day < $1.spending.day } : records
    }

    // MARK: Attempts

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        if flaw != .opensReleased { try book.checkOpening(of: attempt) }
        opened.insert(attempt.id)
        try await base.open(attempt, under: lease)
    }
}
