import Foundation
import PaymentCore
import PaymentTesting
import Synchronization
import TestSupport
import Testing

@Suite("The conformance check of record stores")
struct RecordConformanceTests {
    @Test("A sound store passes every probe")
    func sound() async {
        let report = await RecordConformance.check(FlawedRecords.subject(nil))
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test("Every flaw is found by the probe that is there for it", arguments: FlawedRecords.Flaw.allCases)
    func flaws(flaw: FlawedRecords.Flaw) async {
        let report = await RecordConformance.check(FlawedRecords.subject(flaw))
        #expect(report.failed.contains(flaw.probe), "\(report)")
    }

    @Test("Every probe has a flaw that it finds")
    func probes() {
        #expect(Set(FlawedRecords.Flaw.allCases.map(\.probe)) == Set(RecordConformance.Probe.allCases))
    }

    @Test("What cannot be probed is said to be so, and is no failure")
    func gaps() async {
        let report = await RecordConformance.check(
            RecordSubject("InMemoryRecords") { RecordSubject.Storage(InMemoryRecords()) })
        #expect(report.isPassed && report.skipped == [.sharing, .powerLoss], "\(report)")
    }
}

/// A store of records with one flaw, or with none.
final class FlawedRecords: RecordStore {
    enum Flaw: String, CaseIterable, Sendable {
        case dropsZeros, composesNames, takesTheEnd, ignoresRefusals, losesTheSecondWrite, ignoresTheGreatest
        case ordersByPlace, repeatsTheLast, keepsMarks, movesWhenChanged, looksThenWrites, locksOneRoom
        case seesOnlyItself, grantsTwice, neverEnds, forgetsRenewals, releasesAny, ignoresLeases, losesTheLast

        /// The probe that has to find it.
        var probe: RecordConformance.Probe {
            switch self {
            case .dropsZeros: .fidelity
            case .composesNames: .exactNames
            case .takesTheEnd: .ranges
            case .ignoresRefusals, .losesTheSecondWrite: .wholeChanges
            case .ignoresTheGreatest, .ordersByPlace: .marks
            case .repeatsTheLast: .pages
            case .keepsMarks, .movesWhenChanged: .changedMarks
            case .looksThenWrites: .race
            case .locksOneRoom: .rooms
            case .seesOnlyItself: .sharing
            case .grantsTwice, .neverEnds, .forgetsRenewals, .releasesAny: .leases
            case .ignoresLeases: .lostLeases
            case .losesTheLast: .powerLoss
            }
        }
    }

    private let flaw: Flaw?
    private let base = InMemoryRecords()
    private struct State {
        var before = InMemoryRecords.Content()
        var marks: [RecordKey: [String: RecordMark]] = [:]
        var holder: String?
        var looks = 0
    }
    private let state = Mutex(State())

    init(_ flaw: Flaw?) { self.flaw = flaw }

    static func subject(_ flaw: Flaw?) -> RecordSubject {
        RecordSubject(flaw?.rawValue ?? "sound") {
            let store = FlawedRecords(flaw)
            return RecordSubject.Storage(
                store, reopen: { flaw == .seesOnlyItself ? FlawedRecords(flaw) : store },
                losePower: {
                    let left = FlawedRecords(flaw)
                    left.base.content =
                        flaw == .losesTheLast ? store.state.withLock { $0.before } : store.base.content
                    return left
                })
        }
    }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        let content = base.content
        state.withLock { $0.before = content }
        let (asked, lease) = (ranges.map(distorted), flaw == .ignoresLeases ? nil : lease)
        let flaw = flaw
        // Each change looks before the last one that has looked writes.
        var stale: [[StoredRecord]]?
        if flaw == .looksThenWrites || flaw == .locksOneRoom {
            let seen = state.withLock { state in
                state.looks += 1
                return state.looks
            }
            stale = await base.records(asked)
            for _ in 0..<10_000 where state.withLock({ $0.looks }) == seen { await Task.yield() }
        }
        try await base.transact(asked, under: lease, at: now) { [self, stale] found in
            var found = found
            if let stale { found = flaw == .looksThenWrites ? stale : Array(found.prefix(1) + stale.dropFirst()) }
            do { return try decide(found).enumerated().flatMap(distorted) } catch {
                if flaw == .ignoresRefusals { return [] }
                throw error
            }
        }
    }

    private func distorted(_ range: RecordRange) -> RecordRange {
        guard flaw == .takesTheEnd, let end = range.end, range.first != end else { return range }
        return RecordRange(range.room, from: range.first, upTo: end + "\u{0}")
    }

    private func distorted(_ index: Int, _ write: RecordWrite) -> [RecordWrite] {
        if flaw == .losesTheSecondWrite, index == 1 { return [] }
        guard case .put(var key, var value, var marks) = write else { return [write] }
        switch flaw {
        case .dropsZeros: value = value.last == 0 ? value.dropLast() : value
        case .composesNames: key = RecordKey(key.room, key.name.precomposedStringWithCanonicalMapping)
        case .keepsMarks:
            marks = state.withLock { state in
                state.marks[key, default: [:]].merge(marks) { $1 }
                return state.marks[key] ?? [:]
            }
        case .movesWhenChanged: return [.remove(key), .put(key, value, marks: marks)]
        default: break
        }
        return [.put(key, value, marks: marks)]
    }

    func records(_ ranges: [RecordRange]) async -> [[StoredRecord]] { await base.records(ranges.map(distorted)) }

    func records(_ query: RecordQuery) async -> [StoredRecord] {
        let greatest = flaw == .ignoresTheGreatest ? nil : query.greatest
        var position = query.position
        if flaw == .repeatsTheLast {
            position = position.map { RecordQuery.Position($0.mark, $0.place + (query.isReversed ? 1 : -1)) }
        }
        let found = await base.records(
            RecordQuery(
                query.kind, by: query.mark, from: query.least, through: greatest, isReversed: query.isReversed,
                after: position, limit: query.limit))
        return flaw == .ordersByPlace ? found.sorted { $0.place < $1.place } : found
    }

    func acquire(_ lease: RecordLease, at now: Date) async -> Bool {
        switch flaw {
        case .grantsTwice: return await base.acquire(lease, at: now.addingTimeInterval(1e6))
        case .neverEnds:
            return await base.acquire(RecordLease(lease.room, holder: lease.holder, duration: .seconds(1e6)), at: now)
        default: return await base.acquire(lease, at: now)
        }
    }

    func renew(_ lease: RecordLease, at now: Date) async throws {
        let duration = flaw == .neverEnds ? .seconds(1e6) : lease.duration
        let lease = RecordLease(lease.room, holder: lease.holder, duration: duration)
        try await base.renew(lease, at: flaw == .forgetsRenewals ? now.addingTimeInterval(-20) : now)
    }

    func release(_ lease: RecordLease) async {
        if flaw == .releasesAny {
            // As the one who has it.
            await base.release(RecordLease(lease.room, holder: "two", duration: lease.duration))
        }
        await base.release(lease)
    }
}
