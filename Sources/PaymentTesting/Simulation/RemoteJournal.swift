package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A journal on a server, as one process of a ``SimulatedWorld`` uses it: each call takes some time and can fail, and
/// the process may die at it. The server lives on: it keeps what it has stored, and a dead process's leases until they
/// end. The process's disk shows what the server has.
package struct RemoteJournal: PaymentJournal, SpendingStore {
    private let base: any PaymentJournal & SpendingStore
    private let local: SimulatedJournal

    /// - Parameters:
    ///   - base: the journal on the server. The world stands still during its calls.
    ///   - process: the process.
    package init(_ base: any PaymentJournal & SpendingStore, of process: SimulatedProcess) {
        self.base = base
        local = SimulatedJournal(disk: process.disk, process: process)
    }

    // MARK: Leases

    package func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await change("asks for \(lease.payment.id)") { try await base.acquire(lease, at: now) }
    }

    package func renew(_ lease: PaymentLease, at now: Date) async throws {
        try await look { try await base.renew(lease, at: now) }
    }

    package func release(_ lease: PaymentLease) async throws {
        try await change("releases \(lease.payment.id)") { try await base.release(lease) }
    }

    // MARK: Attempts

    package func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await change("opens \(attempt.id)") {
            try await base.open(attempt, under: lease)
            local.disk.show(.opened(attempt))
        }
    }

    package func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await change("writes to \(attempt)") {
            try await base.append(entry, to: attempt, under: lease)
            local.disk.show(.added(entry, attempt))
        }
    }

    package func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try await look { try await base.history(of: attempt) }
    }

    package func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await look { try await base.histories(of: payment) }
    }

    package func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try await look { try await base.refunds(relatedTo: refund) }
    }

    package func unfinished() async throws -> [AttemptHistory] { try await look { try await base.unfinished() } }

    // MARK: Spendings

    package func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await change("reserves for \(spending.attempt)") {
            let verdict = try await base.reserve(spending, within: limits, counting: worths)
            try await showSpendings()
            return verdict
        }
    }

    package func commit(_ attempt: AttemptID) async throws {
        try await change("spends what is reserved for \(attempt)") {
            try await base.commit(attempt)
            try await showSpendings()
        }
    }

    package func release(_ attempt: AttemptID) async throws {
        try await change("releases what is reserved for \(attempt)") {
            try await base.release(attempt)
            try await showSpendings()
        }
    }

    package func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try await look { try await base.spending(of: attempt) }
    }

    package func reservedSpendings() async throws -> [SpendingRecord] {
        try await look { try await base.reservedSpendings() }
    }

    package func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try await look { try await base.spendings(since: day) }
    }

    private func showSpendings() async throws {
        local.disk.show(try await base.spendings(since: SpendingDay(number: 0)))
    }

    // MARK: Time and faults

    private func look<Value: Sendable>(_ call: () async throws -> Value) async throws -> Value {
        await local.process.awake()
        try local.alive()
        return try await call()
    }

    /// The request may not arrive, its answer may not come back, and the process may die before and after it.
    private func change<Value: Sendable>(_ what: String, _ call: () async throws -> Value) async throws -> Value {
        try await local.begin(what)
        await local.pause()
        let value = try await call()
        await local.pause()
        await local.process.awake()
        guard local.process.passes("has stored") else { throw SimulatedDiskError.gone }
        if local.process.world.happens(local.process.world.faults.diskLate) { throw SimulatedDiskError.late }
        return value
    }
}
