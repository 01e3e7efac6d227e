public import PaymentCore
public import PaymentRouting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A disk that holds one journal, shared by all processes of a ``SimulatedWorld``.
///
/// Records are first only in the system's memory, visible to every process, then durable. The death of a process loses
/// nothing; when the power fails, the fate decides about the bytes in between.
public final class SimulatedDisk: Sendable {
    /// The bytes that a loss of power leaves of those that are not durable. A partial record is discarded when the
    /// journal is read again, and so is everything behind it.
    @nonexhaustive
    public enum Fate: Sendable, Hashable {
        /// All of them.
        case clean
        /// Those before some byte, by chance, and sometimes garbage behind it.
        case torn
        /// The first bytes, this many.
        case cut(Int)
        /// None.
        case lostTail
        /// Any of clean, torn and lost, by chance.
        case drawn
    }

    private struct Holding {
        let holder: String
        /// The number of the process.
        let process: Int
        var end: Date

        func isHeld(by lease: PaymentLease) -> Bool { holder.isExactly(lease.holder) }
    }

    private struct State {
        /// The records that the processes see.
        var seen = RecordLog()
        /// The records that would remain after the loss of everything that is not durable.
        var durable = RecordLog()
        /// The records that are seen but not durable, oldest first.
        var tail: [DiskRecord] = []
        var synced = 0
        /// The leases. A process that dies frees its own at once.
        var holdings: [PaymentReference: Holding] = [:]
        /// The spendings without a question: on the disk as soon as they are seen.
        var spendings = SpendingLedger()
    }

    private let random: SeededRandomSource
    private let state = Mutex(State())

    init(random: SeededRandomSource) { self.random = random }

    /// The attempts as processes see them, oldest first.
    public var histories: [AttemptHistory] { state.withLock { $0.seen.histories } }

    /// The attempts as far as they are durable, oldest first.
    public var durableHistories: [AttemptHistory] { state.withLock { $0.durable.histories } }

    /// The spendings without a question, oldest first.
    public var spendings: [SpendingRecord] { state.withLock { $0.spendings.records } }

    /// Reads the spendings without a question.
    func account<Result: Sendable>(_ read: (SpendingLedger) -> Result) -> Result {
        state.withLock { read($0.spendings) }
    }

    /// Changes the spendings without a question by a rule, which may ask whether an attempt is open. What was written
    /// before the change is as durable as the change.
    func changeAccount<Result: Sendable>(
        _ rule: (inout SpendingLedger, (AttemptID) -> Bool) throws(SpendingError) -> Result
    ) throws(SpendingError) -> Result {
        let result: Swift.Result<Result, SpendingError> = state.withLock { state in
            let seen = state.seen
            let result: Result
            do throws(SpendingError) {
                result = try rule(&state.spendings) { seen.history(of: $0)?.isFinished == false }
            } catch {
                return .failure(error)
            }
            Self.sync(state.tail.count, in: &state)
            return .success(result)
        }
        return try result.get()
    }

    /// The number of bytes that are not durable.
    public var bytesAtRisk: Int { state.withLock { $0.tail.reduce(0) { $0 + $1.frame.count } } }

    func history(of attempt: AttemptID) -> AttemptHistory? { state.withLock { $0.seen.history(of: attempt) } }

    func histories(where isWanted: (AttemptHistory) -> Bool) -> [AttemptHistory] {
        state.withLock { $0.seen.histories.filter(isWanted) }
    }

    // MARK: A server's content

    /// Shows a record that a server has stored.
    func show(_ record: DiskRecord) {
        state.withLock { state in
            state.seen.add(record)
            state.durable.add(record)
        }
    }

    /// Shows the spendings that a server has stored.
    func show(_ spendings: [SpendingRecord]) { state.withLock { $0.spendings = SpendingLedger(spendings) } }

    // MARK: Leases

    /// Grants `lease` to a process, unless another holder gave a sign of life within its duration.
    func acquire(_ lease: PaymentLease, for process: Int, at now: Date) -> Bool {
        state.withLock { state in
            if let holding = state.holdings[lease.payment], !holding.isHeld(by: lease), holding.end > now {
                return false
            }
            state.holdings[lease.payment] = Holding(holder: lease.holder, process: process, end: lease.end(from: now))
            return true
        }
    }

    /// Makes a held lease count from `now` on.
    func renew(_ lease: PaymentLease, at now: Date) throws(JournalError) {
        let isHeld = state.withLock { Self.renew(lease, at: now, in: &$0) }
        guard isHeld else { throw .leaseLost(lease.payment) }
    }

    /// Ends a lease, when it is held.
    func release(_ lease: PaymentLease) {
        state.withLock { state in
            if state.holdings[lease.payment]?.isHeld(by: lease) == true { state.holdings[lease.payment] = nil }
        }
    }

    /// Frees the leases of a process that has ended.
    func forget(process: Int) {
        state.withLock { state in state.holdings = state.holdings.filter { $0.value.process != process } }
    }

    private static func renew(_ lease: PaymentLease, at now: Date, in state: inout State) -> Bool {
        guard state.holdings[lease.payment]?.isHeld(by: lease) == true else { return false }
        state.holdings[lease.payment]?.end = lease.end(from: now)
        return true
    }

    // MARK: Writing

    /// Puts a record into the system's memory.
    ///
    /// - Returns: Its place, when it has to be made durable before its writer continues, or nil.
    /// - Throws: The error with which a journal must refuse it.
    func write(_ record: DiskRecord, under lease: PaymentLease) throws(JournalError) -> Int? {
        let result: Result<Int?, JournalError> = state.withLock { state in
            if let refusal = Self.refusal(of: record, under: lease, in: &state) { return .failure(refusal) }
            let mayBeLost = state.seen.mayLose(record)
            state.seen.add(record)
            state.tail.append(record)
            return .success(mayBeLost ? nil : state.synced + state.tail.count)
        }
        return try result.get()
    }

    /// Makes everything up to `place` durable.
    func sync(upTo place: Int) {
        state.withLock { state in
            let count = place - state.synced
            // A later sync of another process has done it, or a loss of power came in between.
            guard count > 0, count <= state.tail.count else { return }
            Self.sync(count, in: &state)
        }
    }

    /// Makes the first records that are not durable so, this many.
    private static func sync(_ count: Int, in state: inout State) {
        for record in state.tail[..<count] { state.durable.add(record) }
        state.tail.removeFirst(count)
        state.synced += count
    }

    /// The machine goes down: all leases end, and the bytes at risk meet their fate.
    ///
    /// - Returns: The number of records that are lost.
    func losePower(_ fate: Fate) -> Int {
        let drawn: Fate = fate == .drawn ? [.clean, .torn, .lostTail][Int(random.next() % 3)] : fate
        return state.withLock { state in
            state.holdings = [:]
            guard !state.tail.isEmpty else { return 0 }
            let left: [DiskRecord]
            switch drawn {
            case .clean, .drawn: left = state.tail
            case .lostTail: left = []
            case .torn: left = DiskRecord.read(torn(state.tail.flatMap(\.frame)))
            case .cut(let count): left = DiskRecord.read(Array(state.tail.flatMap(\.frame).prefix(count)))
            }
            let lost = state.tail.count - left.count
            for record in left { state.durable.add(record) }
            state.seen = state.durable
            state.synced += left.count
            state.tail = []
            return lost
        }
    }

    /// A copy of the journal, as a backup keeps it.
    package struct Copy: Sendable {
        fileprivate let records: RecordLog
        fileprivate let spendings: SpendingLedger
    }

    /// Returns a copy of what is durable.
    package func copy() -> Copy {
        state.withLock { Copy(records: $0.durable, spendings: $0.spendings) }
    }

    /// Puts a copy in the journal's place, while no process has it open: later records are lost.
    package func restore(_ copy: Copy) {
        state.withLock { state in
            state.holdings = [:]
            (state.seen, state.durable, state.spendings) = (copy.records, copy.records, copy.spendings)
            // What was on its way to the disk stays lost.
            state.synced += state.tail.count
            state.tail = []
        }
    }

    /// The bytes before a place by chance; in every second case followed by garbage, as when sectors arrived out of
    /// order.
    private func torn(_ bytes: [UInt8]) -> [UInt8] {
        let place = Int(random.next() % UInt64(bytes.count))
        guard random.next() % 2 == 0 else { return Array(bytes[..<place]) }
        return bytes[..<place] + bytes[place...].map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Returns the reason why `record` may not be written; nil when it may.
    private static func refusal(
        of record: DiskRecord, under lease: PaymentLease, in state: inout State
    ) -> JournalError? {
        switch record {
        case .opened(let attempt):
            guard attempt.reference == lease.payment, renew(lease, at: attempt.startedAt, in: &state) else {
                return .leaseLost(attempt.reference)
            }
            if state.seen.history(of: attempt.id) != nil { return .duplicateAttempt(attempt.id) }
            let open = state.seen.histories.first { $0.attempt.reference == attempt.reference && !$0.isFinished }
            if let open { return .unfinishedAttempt(open.attempt.id) }
            do throws(JournalError) { try state.spendings.checkOpening(of: attempt) } catch { return error }
            return nil
        case .added(let entry, let id):
            guard let history = state.seen.history(of: id) else { return .unknownAttempt(id) }
            let payment = history.attempt.reference
            guard payment == lease.payment, renew(lease, at: entry.date, in: &state) else { return .leaseLost(payment) }
            return history.takes(entry) ? nil : .finishedAttempt(id)
        }
    }
}

// MARK: - Records

/// One record of a journal on a ``SimulatedDisk``.
enum DiskRecord: Sendable, Hashable, Codable {
    case opened(PaymentAttempt)
    case added(JournalEntry, AttemptID)

    /// The record as bytes: length and checksum of the content, eight bytes each, then the content.
    var frame: [UInt8] {
        guard let content = try? JSONValue.encode(self).serialized() else { return [] }
        return Self.bytes(UInt64(content.count)) + Self.bytes(Self.checksum(content)) + content
    }

    /// Returns the whole records at the beginning of `bytes`: those behind the first partial one do not count.
    static func read(_ bytes: [UInt8]) -> [DiskRecord] {
        var records: [DiskRecord] = []
        var rest = bytes[...]
        while rest.count >= 16 {
            let (length, sum) = (number(rest.prefix(8)), number(rest.dropFirst(8).prefix(8)))
            guard length <= UInt64(rest.count - 16) else { break }
            let content = Array(rest.dropFirst(16).prefix(Int(length)))
            guard checksum(content) == sum, let record = try? JSONValue(parsing: content).decode(DiskRecord.self) else {
                break
            }
            records.append(record)
            rest = rest.dropFirst(16 + content.count)
        }
        return records
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// FNV-1a with 64 bits: torn content has another checksum, except for one case in 2^64.
    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The attempts that a list of records describes.
struct RecordLog: Sendable {
    /// Oldest first.
    private(set) var histories: [AttemptHistory] = []
    private var places: [AttemptID: Int] = [:]

    func history(of attempt: AttemptID) -> AttemptHistory? { places[attempt].map { histories[$0] } }

    /// True if a loss of power may remove `record` when it is the next one.
    func mayLose(_ record: DiskRecord) -> Bool {
        guard case .added(let entry, let id) = record else { return false }
        return entry.mayBeLost(afterMutation: history(of: id)?.hasBegunMutation ?? false)
    }

    mutating func add(_ record: DiskRecord) {
        switch record {
        case .opened(let attempt):
            places[attempt.id] = histories.count
            histories.append(AttemptHistory(attempt: attempt))
        case .added(let entry, let id):
            guard let place = places[id] else { return }
            histories[place].entries.append(entry)
            if entry.isEnding { histories[place].eraseInteractions() }
        }
    }
}
