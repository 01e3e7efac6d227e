public import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A disk that holds one journal. Records are first only in the system's memory, then durable; a crash decides what
/// becomes of those in between.
public final class SimulatedDisk: Sendable {
    /// What a crash leaves of the records that are not durable.
    public enum Fate: Sendable, Hashable, CaseIterable {
        /// All of them.
        case clean
        /// All but the last, of which only a part is there: it is discarded when the journal is opened.
        case torn
        /// None.
        case lostTail
        /// Any of these, by chance.
        case drawn
    }

    enum Record: Sendable {
        case opened(PaymentAttempt)
        case added(JournalEntry, AttemptID)
    }

    fileprivate struct Holding {
        let holder: String
        /// The number of the process.
        let process: Int
        var end: Date
    }

    fileprivate struct State {
        var records: [Record] = []
        var durable = 0
        /// No crash needs to decide about leases: nobody waits for a dead process.
        var holdings: [PaymentReference: Holding] = [:]
    }

    private let random: SeededRandomSource
    private let state = Mutex(State())

    init(random: SeededRandomSource) { self.random = random }

    /// The attempts as a process that starts now would find them, oldest first.
    public var histories: [AttemptHistory] { histories(durableOnly: false) }

    /// The attempts as far as they are durable, oldest first.
    public var durableHistories: [AttemptHistory] { histories(durableOnly: true) }

    private func histories(durableOnly: Bool) -> [AttemptHistory] {
        let records = state.withLock { state in
            Array(state.records.prefix(durableOnly ? state.durable : state.records.count))
        }
        return Self.histories(records)
    }

    fileprivate static func histories(_ records: [Record]) -> [AttemptHistory] {
        var histories: [AttemptHistory] = []
        var places: [AttemptID: Int] = [:]
        for record in records {
            switch record {
            case .opened(let attempt):
                places[attempt.id] = histories.count
                histories.append(AttemptHistory(attempt: attempt))
            case .added(let entry, let id):
                guard let place = places[id] else { continue }
                histories[place].entries.append(entry)
                if entry.isEnding { histories[place].eraseInteractions() }
            }
        }
        return histories
    }

    // MARK: Leases

    /// Gives `lease` to a process, unless another holder was heard of within its duration.
    func acquire(_ lease: PaymentLease, for process: Int, at now: Date) -> Bool {
        state.withLock { state in
            if let holding = state.holdings[lease.payment], holding.holder != lease.holder, holding.end > now {
                return false
            }
            state.holdings[lease.payment] = Holding(holder: lease.holder, process: process, end: lease.end(from: now))
            return true
        }
    }

    /// Makes a held lease count from `now` on.
    func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        let isHeld = state.withLock { $0.renew(lease, at: now) }
        guard isHeld else { throw .leaseLost(lease.payment) }
    }

    /// Takes a lease back, when it is held.
    func release(_ lease: PaymentLease) {
        state.withLock { state in
            if state.holdings[lease.payment]?.holder == lease.holder { state.holdings[lease.payment] = nil }
        }
    }

    // MARK: Writing

    /// Puts a record into the system's memory.
    ///
    /// - Returns: its place.
    /// - Throws: what a journal must refuse.
    func write(_ record: Record, under lease: PaymentLease) throws(JournalError) -> Int {
        let result: Result<Int, JournalError> = state.withLock { state in
            if let refusal = state.refusal(of: record, under: lease) { return .failure(refusal) }
            state.records.append(record)
            return .success(state.records.count)
        }
        return try result.get()
    }

    /// Makes everything up to `place` durable.
    func sync(upTo place: Int) {
        state.withLock { $0.durable = max($0.durable, min(place, $0.records.count)) }
    }

    /// The machine goes down with the process; its leases end.
    func crash(_ fate: Fate, of process: Int) {
        let drawn: Fate = fate == .drawn ? [.clean, .torn, .lostTail][Int(random.next() % 3)] : fate
        state.withLock { state in
            let atRisk = state.records.count - state.durable
            switch drawn {
            case .clean, .drawn: break
            case .torn: if atRisk > 0 { state.records.removeLast() }
            case .lostTail: state.records.removeLast(atRisk)
            }
            state.durable = state.records.count
            state.holdings = state.holdings.filter { $0.value.process != process }
        }
    }
}

extension SimulatedDisk.State {
    fileprivate mutating func renew(_ lease: PaymentLease, at now: Date) -> Bool {
        guard holdings[lease.payment]?.holder == lease.holder else { return false }
        holdings[lease.payment]?.end = lease.end(from: now)
        return true
    }

    /// Why `record` may not be written; nil when it may.
    fileprivate mutating func refusal(of record: SimulatedDisk.Record, under lease: PaymentLease) -> JournalError? {
        let histories = SimulatedDisk.histories(records)
        switch record {
        case .opened(let attempt):
            guard attempt.reference == lease.payment, renew(lease, at: attempt.startedAt) else {
                return .leaseLost(attempt.reference)
            }
            if histories.contains(where: { $0.attempt.id == attempt.id }) { return .duplicateAttempt(attempt.id) }
            let open = histories.first { $0.attempt.reference == attempt.reference && !$0.isFinished }
            return open.map { .unfinishedAttempt($0.attempt.id) }
        case .added(let entry, let id):
            guard let history = histories.first(where: { $0.attempt.id == id }) else { return .unknownAttempt(id) }
            let payment = history.attempt.reference
            guard payment == lease.payment, renew(lease, at: entry.date) else { return .leaseLost(payment) }
            return history.isFinished ? .finishedAttempt(id) : nil
        }
    }
}
