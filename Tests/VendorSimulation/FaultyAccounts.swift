import Foundation
import PaymentCore
import PaymentRouting
import PaymentSimulation

/// A journal whose spending store has a mistake.
private protocol FaultyAccount: FaultyJournal, SpendingStore {
    var account: any SpendingStore { get }
}

extension FaultyAccount {
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await account.reserve(spending, within: limits, counting: worths)
    }
    func commit(_ attempt: AttemptID) async throws { try await account.commit(attempt) }
    func release(_ attempt: AttemptID) async throws { try await account.release(attempt) }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? { try await account.spending(of: attempt) }
    func reservedSpendings() async throws -> [SpendingRecord] { try await account.reservedSpendings() }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try await account.spendings(since: day)
    }

    /// Reserves a spending, whatever the limits are.
    func reserveAnyway(_ spending: Spending) async throws -> SpendingVerdict {
        let most = try spending.amounts.map {
            try Money(minorUnits: Money.maximumMinorUnits, currency: $0.currency, exponent: $0.exponent)
        }
        return try await account.reserve(spending, within: most.map { SpendingLimit($0, per: .day) })
    }
}

/// Checks the limit, and reserves when others may have checked as well.
struct HastyAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let verdict = try await account.preview(spending, within: limits, counting: worths)
        guard verdict == .granted else { return verdict }
        // Has no effect, but takes time.
        try await account.release(spending.attempt)
        return try await reserveAnyway(spending)
    }
}

/// Leaves out the limits that a spending has no worth in, as where a rate cannot be had.
struct LiftingAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let known = limits.filter { limit in
            spending.amounts.contains { $0.currency.denotesSame(as: limit.amount.currency) }
        }
        guard !known.isEmpty else { return try await reserveAnyway(spending) }
        return try await account.reserve(spending, within: known)
    }
}

/// Reports a reservation as released, and keeps it.
struct GreedyAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func release(_ attempt: AttemptID) async throws {}
}

/// Does not count what is reserved for some attempts that are open.
struct LenientAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore
    /// True if an open attempt's reservation counts no more after an event.
    let isOver: @Sendable (JournalEntry.Event) -> Bool

    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        let over = Set(
            try await base.unfinished().filter { $0.entries.contains { isOver($0.event) } }.map(\.attempt.id))
        var counted = SpendingLedger(
            try await account.spendings(since: spending.day.firstThatCounts).filter {
                !over.contains($0.spending.attempt)
            })
        let verdict = try counted.reserve(spending, within: limits, counting: worths)
        return verdict == .granted ? try await reserveAnyway(spending) : verdict
    }
}
