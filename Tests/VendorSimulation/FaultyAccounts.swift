import PaymentCore
import PaymentRouting
import Simulation

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A journal whose spending store has a mistake.
private protocol FaultyAccount: FaultyJournal, SpendingStore {
    var account: any SpendingStore { get }
}

extension FaultyAccount {
    func reserve(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict {
        try await account.reserve(spending, within: limits)
    }
    func commit(_ attempt: AttemptID) async throws { try await account.commit(attempt) }
    func release(_ attempt: AttemptID) async throws { try await account.release(attempt) }
    func spending(of attempt: AttemptID) async throws -> SpendingRecord? { try await account.spending(of: attempt) }
    func reservedSpendings() async throws -> [SpendingRecord] { try await account.reservedSpendings() }
    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try await account.spendings(since: day)
    }
}

/// Checks the limit, and reserves when others may have checked as well.
struct HastyAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func reserve(_ spending: Spending, within limits: [SpendingLimit]) async throws -> SpendingVerdict {
        let verdict = try await account.preview(spending, within: limits)
        guard verdict == .granted, let amount = spending.amounts.first else { return verdict }
        // Has no effect, but takes time.
        try await account.release(spending.attempt)
        let most = try Money(
            minorUnits: Money.maximumMinorUnits, currency: amount.currency, exponent: amount.exponent)
        return try await account.reserve(spending, within: [SpendingLimit(most, per: .day)])
    }
}

/// Reports a reservation as released, and keeps it.
struct GreedyAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func release(_ attempt: AttemptID) async throws {}
}

/// Releases a reservation as soon as a request is refused, although the service has the signature that it handed in.
struct ForgivingAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await base.append(entry, to: attempt, under: lease)
        if case .stepFailed = entry.event { try await account.release(attempt) }
    }
}

/// Releases a reservation as soon as its attempt begins, instead of at its end.
struct EagerAccount: FaultyAccount {
    let base: any PaymentJournal
    let account: any SpendingStore

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await base.append(entry, to: attempt, under: lease)
        if case .stepStarted = entry.event { try await account.release(attempt) }
    }
}
