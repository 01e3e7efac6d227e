import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
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
        try alive()
        try disk.renew(lease, at: now)
    }

    func release(_ lease: PaymentLease) async throws {
        try await touch("gives back \(lease.payment.id)")
        disk.release(lease)
    }

    func open(_ attempt: PaymentAttempt, under lease: PaymentLease) async throws {
        try await store(.opened(attempt), under: lease, "opens \(attempt.id)")
    }

    func append(_ entry: JournalEntry, to attempt: AttemptID, under lease: PaymentLease) async throws {
        try await store(.added(entry, attempt), under: lease, "writes \(Self.words(entry.event)) to \(attempt)")
    }

    func history(of attempt: AttemptID) async throws -> AttemptHistory? {
        try alive()
        return disk.histories.first { $0.attempt.id == attempt }
    }

    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try alive()
        return disk.histories.filter { $0.attempt.reference == payment }
    }

    func unfinished() async throws -> [AttemptHistory] {
        try alive()
        return disk.histories.filter { !$0.isFinished }
    }

    // MARK: Writing

    /// Begins a change of the disk, which may find no room, and takes some time.
    private func touch(_ what: String) async throws {
        try begin(what)
        await pause()
        try alive()
    }

    private func begin(_ what: String) throws {
        let world = process.world
        guard process.passes(what) else { throw SimulatedDiskError.gone }
        let full = world.faults.diskFull
        if full > 0, world.fate.fraction() < full { throw SimulatedDiskError.full }
    }

    private func store(_ record: SimulatedDisk.Record, under lease: PaymentLease, _ what: String) async throws {
        let world = process.world
        try begin(what)
        let faults = world.faults
        let place = try disk.write(record, under: lease)
        await pause()
        guard process.passes("syncs") else { throw SimulatedDiskError.gone }
        disk.sync(upTo: place)
        await pause()
        guard process.passes("has stored") else { throw SimulatedDiskError.gone }
        if faults.diskLate > 0, world.fate.fraction() < faults.diskLate { throw SimulatedDiskError.late }
    }

    /// A disk takes its time, cancelled or not.
    private func pause() async {
        let pending = Pending<Void>()
        process.world.timeline.schedule(after: Int64(process.world.fate.next() % 5_000_000)) { pending.finish(()) }
        await pending.value()
    }

    private func alive() throws {
        guard !process.isDead else { throw SimulatedDiskError.gone }
    }

    private static func words(_ event: JournalEntry.Event) -> String {
        switch event {
        case .stepStarted(let name, _): "start of '\(name)'"
        case .stepFinished(let name, _): "end of '\(name)'"
        case .stepFailed(let name, _): "failure of '\(name)'"
        case .outcome(let outcome): "outcome \(outcome)"
        case .abandoned: "abandonment"
        }
    }
}

/// Why a simulated disk did not do its work.
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
