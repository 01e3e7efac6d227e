import Foundation
import PaymentCore
import PaymentRecurring
import Synchronization
import TestSupport

/// A scheduler in a separate process, which may end or stall at each access.
struct RecurringWorker: Sendable {
    struct Crash: Error {}

    /// The state of the process, and its faults.
    final class Life: Sendable {
        private let history: RecurringHistory
        private let isReliable: Bool
        private let dead = Mutex(false)

        init(_ history: RecurringHistory, isReliable: Bool) {
            self.history = history
            self.isReliable = isReliable
        }

        var isDead: Bool { dead.withLock { $0 } }

        /// A moment at which any fault can happen.
        func point() async throws {
            if isDead { throw Crash() }
            guard !isReliable else { return }
            if history.chance(history.trouble) {
                dead.withLock { $0 = true }
                history.state.withLock { $0.verdict.crashes += 1 }
                throw Crash()
            }
            if history.chance(history.trouble) { await history.stall() }
        }
    }

    /// A clock that may be wrong; its uptime never is.
    private struct Clock: PaymentClock {
        let history: RecurringHistory
        let start: Date

        var now: Date { history.state.withLock { $0.now.addingTimeInterval($0.offset) } }
        var uptime: Duration { .seconds(history.now.timeIntervalSince(start)) }
        func sleep(for duration: Duration) async throws { history.advance(duration / .seconds(1)) }
    }

    let life: Life
    let scheduler: RecurringScheduler

    init(_ history: RecurringHistory, isReliable: Bool = false) {
        life = Life(history, isReliable: isReliable)
        let trust =
            history.mistake == .anyClock
            ? RecurringTrust(longestAbsence: .seconds(1 << 40), longestDrift: .seconds(1 << 40)) : RecurringTrust()
        scheduler = RecurringScheduler(
            store: CrashingRecords(history: history, life: life), payer: RecurringBankPayer(history, life),
            clock: Clock(history: history, start: history.now), random: history.random, trust: trust,
            lease: .seconds(600), width: 1,
            listener: { [answering] event in
                history.hear(event)
                if let scheduler = answering.scheduler { await history.answer(event, to: scheduler) }
            })
        answering.scheduler = scheduler
    }

    /// The scheduler, for its listener, which answers from inside.
    private final class Answering: Sendable {
        private let state = Mutex<RecurringScheduler?>(nil)

        var scheduler: RecurringScheduler? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private let answering = Answering()

    var isDead: Bool { life.isDead }
}

/// A worker's view of the store: the worker may crash before and after each access.
private struct CrashingRecords: ForwardingRecords {
    let history: RecurringHistory
    let life: RecurringWorker.Life
    var base: any RecordStore { history.store }

    private func wrote<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await life.point()
        let result = try await work()
        try await life.point()
        return result
    }

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        let (history, forgotten) = (history, Forgotten())
        try await wrote {
            try await base.transact(ranges, under: lease, at: now) { found in
                let writes = try decide(found)
                guard let mistake = history.mistake else { return writes }
                let charges = writes.compactMap(Self.charge)
                if mistake == .silentMisses, charges.count < writes.count {
                    forgotten.charges.withLock { $0 = charges }
                }
                return mistake.spoils(charges, over: found) ? [] : writes
            }
            history.forgetMisses(forgotten.charges.withLock { $0 })
        }
    }

    /// The periods that were opened by a change with the mistake that forgets some.
    private final class Forgotten: Sendable {
        let charges = Mutex<[RecurringCharge]>([])
    }

    private static func charge(_ write: RecordWrite) -> RecurringCharge? {
        guard case .put(let key, let value, _) = write else { return nil }
        return try? StoredCharge.read(StoredRecord(key: key, value: value, place: 1))
    }

    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] {
        try await life.point()
        return try await base.records(ranges)
    }

    func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        try await life.point()
        return try await base.records(query)
    }

    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try await wrote { try await base.acquire(lease, at: now) }
    }

    func renew(_ lease: RecordLease, at now: Date) async throws {
        try await wrote { try await base.renew(lease, at: now) }
    }

    func release(_ lease: RecordLease) async throws { try await wrote { try await base.release(lease) } }
}

extension RecurringHistory.Mistake {
    /// Returns true if a write of periods is lost: the end of a paid one, or the reopening of a missed one.
    fileprivate func spoils(_ charges: [RecurringCharge], over found: [[StoredRecord]]) -> Bool {
        switch self {
        case .lostEnding:
            charges.contains { charge in
                if case .paid = charge.state { true } else { false }
            }
        case .keptMisses:
            found.joined().contains { (try? StoredCharge.read($0))?.state.isFinal == true }
        default: false
        }
    }
}
