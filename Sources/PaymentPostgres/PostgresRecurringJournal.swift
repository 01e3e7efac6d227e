import PaymentCore
public import PaymentRecurring
public import PaymentRouting
import PaymentStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The journal of plans and their periods in a PostgreSQL database, for the workers of several machines.
///
/// It may share a store with a ``PostgresJournal``. What a method writes is on the server's disk when it returns.
/// Leases end by the server's clock.
public struct PostgresRecurringJournal: RecurringJournal {
    private let store: PostgresStore
    private let tables: Tables
    private let leases: LeaseRows
    private let random: any RandomSource = SystemRandomSource()

    /// Creates a journal in a store. Any number of journals may share one.
    public init(_ store: PostgresStore) {
        self.store = store
        tables = Tables(store.schema)
        leases = LeaseRows(store: store, table: tables.periodLease)
    }

    // MARK: Leases

    /// Takes the lease of a period's payment, unless another holder renewed it within its duration.
    ///
    /// - Returns: true if the lease was taken.
    /// - Throws: ``JournalError`` when the server cannot be used.
    public func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await leases.acquire(LeaseRows.Lease(lease), at: now)
    }

    /// Makes a held lease count from now on.
    ///
    /// - Throws: ``JournalError``; `leaseLost` when another holder took over, or the lease was released.
    public func renew(_ lease: PaymentLease, at now: Date) async throws {
        guard try await leases.renew(LeaseRows.Lease(lease), at: now) else {
            throw JournalError.leaseLost(lease.payment)
        }
    }

    /// Releases a lease.
    ///
    /// - Throws: ``JournalError`` when the server cannot be used; the lease then ends by itself.
    public func release(_ lease: PaymentLease) async throws { try await leases.release(LeaseRows.Lease(lease)) }

    // MARK: Plans

    /// Stores a plan and the periods that it opens, in one transaction.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func store(_ plan: RecurringPlan, opening charges: [RecurringCharge]) async throws -> RecurringPlan {
        let stored = plan.stored
        let values = StoredPlan.values(stored, try StoredPlan.text(stored))
        let write = random.hex(32)
        let id = Database.Value.text(plan.id.rawValue)
        let rows = try charges.map { charge in
            tables.insert(
                StoredCharge.Column.self, StoredCharge.values(charge, try StoredCharge.text(charge)),
                and: ["write": .text(write)])
        }
        let new = tables.insert(StoredPlan.Column.self, values, and: ["write": .text(write)])
        let changed = Statement(
            "UPDATE \(tables.plan) SET (\(StoredPlan.Column.list), write) = ($1, $2, $3, $4, $5) WHERE id = $1",
            values + [.text(write)])
        let looks = [
            tables.locking(.plan(plan.id)),
            Statement("SELECT \(StoredPlan.Column.list) FROM \(tables.plan) WHERE id = $1", [id]),
            Statement("SELECT write FROM \(tables.plan) WHERE id = $1", [id]),
        ]
        return try await store.transaction(looks) { [path = store.path] found in
            if let known = found[2].cells.first, known.text(0) == write { return .nothing(stored) }
            let earlier = try found[1].of(StoredPlan.Column.self, path).first.map(StoredPlan.read)
            try plan.checkStoring(charges, over: earlier)
            return .write([earlier == nil ? new : changed] + rows, stored)
        }
    }

    /// Returns a plan, or nil.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func plan(_ id: RecurringPlan.ID) async throws -> RecurringPlan? {
        try await plans("WHERE id = $1", [.text(id.rawValue)]).first
    }

    /// Returns all plans, by name.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func plans() async throws -> [RecurringPlan] { try await plans("ORDER BY id", []) }

    /// Returns plans whose next period begins at `date` or before.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func plans(dueBy date: Date, limit: Int) async throws -> [RecurringPlan] {
        try await plans(
            "WHERE due IS NOT NULL AND due <= $1 ORDER BY due, id LIMIT $2",
            [.real(date.timeIntervalSinceReferenceDate), .integer(Int64(limit))])
    }

    private func plans(_ filter: String, _ values: [Database.Value]) async throws -> [RecurringPlan] {
        try await store.rows(Statement("SELECT \(StoredPlan.Column.list) FROM \(tables.plan) \(filter)", values))
            .of(StoredPlan.Column.self, store.path).map(StoredPlan.read)
    }

    // MARK: Periods

    /// Writes the progress of a period.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func write(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await write(charge, under: lease, at: now) { !$0.state.isFinal }
    }

    /// Writes a period as it is to be opened again.
    ///
    /// - Throws: ``RecurringJournalError`` and ``JournalError``.
    public func reopen(_ charge: RecurringCharge, under lease: PaymentLease, at now: Date) async throws {
        try await write(charge, under: lease, at: now) { $0.isUntouched }
    }

    private func write(
        _ charge: RecurringCharge, under lease: PaymentLease, at now: Date,
        where mayChange: @escaping @Sendable (RecurringCharge) -> Bool
    ) async throws {
        guard charge.reference == lease.payment else { throw JournalError.leaseLost(charge.reference) }
        let write = random.hex(32)
        let change = Statement(
            "UPDATE \(tables.charge) SET look = $3, detail = $4, write = $5 WHERE plan = $1 AND number = $2",
            Self.key(charge.id) + [StoredCharge.look(charge), .text(try StoredCharge.text(charge)), .text(write)])
        let looks = [
            leases.renewing(LeaseRows.Lease(lease), at: now),
            Statement("SELECT write FROM \(tables.charge) WHERE plan = $1 AND number = $2", Self.key(charge.id)),
            Statement(
                "SELECT \(StoredCharge.Column.list) FROM \(tables.charge) WHERE plan = $1 AND number = $2",
                Self.key(charge.id)),
        ]
        try await store.transaction(looks) { [path = store.path] found in
            if let known = found[1].cells.first, known.text(0) == write { return .nothing(()) }
            guard !found[0].isEmpty else { throw JournalError.leaseLost(lease.payment) }
            let stored = try found[2].of(StoredCharge.Column.self, path).first.map(StoredCharge.read)
            guard let stored else { throw RecurringJournalError.unknownCharge(charge.id) }
            guard mayChange(stored) else { throw RecurringJournalError.finishedCharge(charge.id) }
            return .write([change], ())
        }
    }

    /// Returns a period, or nil.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func charge(_ id: RecurringCharge.ID) async throws -> RecurringCharge? {
        try await charges("WHERE plan = $1 AND number = $2", Self.key(id)).first
    }

    /// Returns all periods of a plan that were opened, by number.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func charges(of plan: RecurringPlan.ID) async throws -> [RecurringCharge] {
        try await charges("WHERE plan = $1 ORDER BY number", [.text(plan.rawValue)])
    }

    /// Returns periods that are not final and may be looked at by `date`.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func openCharges(by date: Date, limit: Int) async throws -> [RecurringCharge] {
        try await charges(
            "WHERE look IS NOT NULL AND look <= $1 ORDER BY look, plan, number LIMIT $2",
            [.real(date.timeIntervalSinceReferenceDate), .integer(Int64(limit))])
    }

    private func charges(_ filter: String, _ values: [Database.Value]) async throws -> [RecurringCharge] {
        try await store.rows(Statement("SELECT \(StoredCharge.Column.list) FROM \(tables.charge) \(filter)", values))
            .of(StoredCharge.Column.self, store.path).map(StoredCharge.read)
    }

    private static func key(_ id: RecurringCharge.ID) -> [Database.Value] {
        [.text(id.plan.rawValue), .integer(Int64(id.number))]
    }

    // MARK: Time

    /// Returns the latest time that any worker trusted, or nil.
    ///
    /// - Throws: ``JournalError`` when the server cannot be read.
    public func trustedTime() async throws -> Date? {
        try await store.rows(Statement("SELECT date FROM \(tables.trusted)")).cells.first.map {
            Date(timeIntervalSinceReferenceDate: $0.real(0))
        }
    }

    /// Notes a time that is trusted.
    ///
    /// - Throws: ``JournalError`` when the server cannot be used.
    public func trust(_ date: Date, isCorrection: Bool) async throws {
        _ = try await store.rows(
            Statement(
                """
                INSERT INTO \(tables.trusted) AS known (id, date) VALUES (1, $1)
                ON CONFLICT (id) DO UPDATE SET date = excluded.date WHERE $2 = 1::bigint OR excluded.date > known.date
                """, [.real(date.timeIntervalSinceReferenceDate), .integer(isCorrection ? 1 : 0)]))
    }
}
