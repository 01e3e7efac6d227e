package import PaymentCore
package import PaymentRouting

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A journal on a ``SimulatedDisk``, as one process has it open.
struct SimulatedJournal: PaymentJournal {
    let disk: SimulatedDisk
    let process: SimulatedProcess

    func acquire(_ lease: PaymentLease, at now: Date) async throws -> Bool {
        try await touch("asks for \(lease.payment.id)")
        return disk.acquire(lease, for: process.number, at: now)
    }

    func renew(_ lease: PaymentLease, at now: Date) async throws {
        try await look()
        try disk.renew(lease, at: now)
    }

    func release(_ lease: PaymentLease) async throws {
        try await touch("releases \(lease.payment.id)")
        disk.release(lease)
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await store(.opened(attempt), under: lease, "opens \(attempt.id)")
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await store(
            .added(entry, attempt), under: lease, "writes \(Self.words(entry.event)) to \(attempt)")
    }

    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try await look()
        return disk.history(of: attempt)
    }

    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await look()
        return disk.histories { $0.attempt.reference == payment }
    }

    func refunds(relatedTo refund: PaymentReference) async throws -> [AttemptHistory] {
        try await look()
        return disk.histories { $0.attempt.reference.isRefund(relatedTo: refund) }
    }

    func unfinished() async throws -> [AttemptHistory] {
        try await look()
        return disk.histories { !$0.isFinished }
    }

    private func look() async throws {
        await process.awake()
        try alive()
    }

    // MARK: Writing

    /// Begins a change of the disk, which may fail on a full disk, and takes some time.
    private func touch(_ what: @autoclosure () -> String) async throws {
        try await begin(what())
        await pause()
        try alive()
    }

    func begin(_ what: @autoclosure () -> String) async throws {
        await process.awake()
        guard process.passes(what()) else { throw SimulatedDiskError.gone }
        if process.world.happens(process.world.faults.diskFull) { throw SimulatedDiskError.full }
    }

    private func store(
        _ record: DiskRecord, under lease: PaymentLease, _ what: @autoclosure () -> String
    ) async throws {
        try await begin(what())
        let place = try disk.write(record, under: lease)
        await pause()
        if let place {
            guard process.passes("syncs") else { throw SimulatedDiskError.gone }
            disk.sync(upTo: place)
            await pause()
        }
        await process.awake()
        guard process.passes("has stored") else { throw SimulatedDiskError.gone }
        if process.world.happens(process.world.faults.diskLate) { throw SimulatedDiskError.late }
    }

    /// Waits for the disk, whether the task is cancelled or not.
    func pause() async {
        let pending = OneShot<Void>()
        process.world.timeline.schedule(after: Int64(process.world.fate.next() % 5_000_000)) { pending.finish(()) }
        await pending.value()
    }

    func alive() throws {
        guard !process.isDead else { throw SimulatedDiskError.gone }
    }

    private static func words(_ event: JournalEntry.Event) -> String {
        switch event {
        case .stepStarted(let name, _): "start of '\(name)'"
        case .stepFinished(let name, _): "end of '\(name)'"
        case .stepFailed(let name, _, _): "failure of '\(name)'"
        case .outcome(let outcome): "outcome \(outcome)"
        case .abandoned: "abandonment"
        }
    }
}

/// The reason why a simulated disk did not do its work.
enum SimulatedDiskError: Error, CustomStringConvertible {
    case full, late, gone

    var description: String {
        switch self {
        case .full: "no space is left"
        case .late: "the disk reported a failure"
        case .gone: "the process has ended"
        }
    }
}

// MARK: - Spendings

/// The spendings without a question, on the same disk.
extension SimulatedJournal: SpendingStore {
    func reserve(
        _ spending: Spending, within limits: [SpendingLimit], counting worths: SpendingWorths?
    ) async throws -> SpendingVerdict {
        try await account("reserves \(spending.amounts[0]) for \(spending.attempt)") {
            (ledger, _) throws(SpendingError) in
            try ledger.reserve(spending, within: limits, counting: worths)
        }
    }

    func commit(_ attempt: AttemptID) async throws {
        try await account("spends what is reserved for \(attempt)") { (ledger, _) throws(SpendingError) in
            try ledger.commit(attempt)
        }
    }

    func release(_ attempt: AttemptID) async throws {
        try await account("releases what is reserved for \(attempt)") { (ledger, isOpen) throws(SpendingError) in
            try ledger.release(attempt, isOpen: isOpen(attempt))
        }
    }

    // Every ending of a payment reads this. A read takes no time, so histories without limits stay as they were.

    func spending(of attempt: AttemptID) async throws -> SpendingRecord? {
        try alive()
        return disk.account { $0[attempt] }
    }

    func reservedSpendings() async throws -> [SpendingRecord] {
        try alive()
        return disk.account { $0.reserved }
    }

    func spendings(since day: SpendingDay) async throws -> [SpendingRecord] {
        try alive()
        return disk.account { $0.since(day) }
    }

    /// Changes the spendings, which may fail on a full disk, or after the change, and takes some time.
    private func account<Result: Sendable>(
        _ what: @autoclosure () -> String,
        _ rule: (inout SpendingLedger, (AttemptID) -> Bool) throws(SpendingError) -> Result
    ) async throws -> Result {
        try await begin(what())
        let result = try disk.changeAccount(rule)
        await pause()
        await process.awake()
        guard process.passes("has stored") else { throw SimulatedDiskError.gone }
        if process.world.happens(process.world.faults.diskLate) { throw SimulatedDiskError.late }
        return result
    }
}

// MARK: - A journal on a server

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
