import PaymentCore
import PaymentRouting

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
