import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A durable store of records: the one thing that a database has to offer to keep what is paid once.
///
/// A record has a key, a value that only its owner can read, and marks by which it is found. Keys lie in rooms. A change
/// reads records, decides, and writes all or nothing, while no other change is made in the rooms that it reads:
///
/// ```swift
/// let key = RecordKey("receipt", room: payer, name: id)
/// let isNew = try await store.change([.record(key)]) { found in
///     found[0].isEmpty ? RecordChange([.put(key, value)], true) : RecordChange(false)
/// }
/// ```
///
/// `RecordConformance` in `PaymentTesting` checks any store against these rules:
/// - Several changes in one room are made one after the other, whatever task, process or machine makes them.
/// - What a change wrote is on the disk when it returns. A change that throws wrote nothing, unless the storage failed
///   while it was written. Then it wrote all of it or nothing.
/// - Reads return what was written, to the byte, as it was at one moment.
/// - Texts are compared and ordered by their UTF-8, not as Swift compares them.
public protocol RecordStore: Sendable {
    /// Makes one change. ``change(_:_:)`` and ``change(_:under:at:_:)`` are the ways to call this.
    ///
    /// - Parameters:
    ///   - ranges: the records to read. Nothing else changes in their rooms meanwhile.
    ///   - lease: a lease that has to be held, and is renewed, or need not be if the change is refused; nil if none is
    ///     needed.
    ///   - now: the time by the holder's clock.
    ///   - decide: returns what to write, from the records of each range, each in the order of their names. It may be
    ///     called again, with other records, after a call whose writes were certainly lost: the last call is the one
    ///     that counts. If only the answer to a commit was lost, the store finds out first.
    ///     What it throws ends the change, and nothing is written.
    /// - Throws: ``RecordError/leaseLost(_:)``, what `decide` throws, or the storage's failure.
    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws

    /// Returns the records of each range in the order of their names, all as they were at one moment.
    ///
    /// - Throws: the storage's failure. It does not mean that there is no record.
    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]]

    /// Returns the records of a kind that have a mark, in the order of its value. Records of one value are in the order
    /// in which they were first stored.
    ///
    /// - Throws: the storage's failure.
    func records(_ query: RecordQuery) async throws -> [StoredRecord]

    /// Takes the lease of a room, unless another living holder has renewed it within its duration. The holder may ask
    /// again, which counts as a renewal. A store that can tell that a holder's process has ended need not wait for it.
    ///
    /// - Returns: true if the lease was taken. Otherwise nothing changes.
    /// - Throws: the storage's failure.
    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool

    /// Makes a held lease count from `now` on. As long as no other holder took over, it can be renewed after its end.
    ///
    /// - Throws: ``RecordError/leaseLost(_:)`` when another holder took over, or the lease was released.
    func renew(_ lease: RecordLease, at now: Date) async throws

    /// Releases a lease. Does nothing when it is no longer held.
    ///
    /// - Throws: the storage's failure. The lease then ends by itself.
    func release(_ lease: RecordLease) async throws
}

extension RecordStore {
    /// Reads records, lets `decide` choose, and writes all of it or nothing. Nothing else changes meanwhile in the rooms
    /// of the records that are read, and only in these rooms it may write.
    ///
    /// - Parameters:
    ///   - ranges: the records to read.
    ///   - decide: returns the writes and the answer, from the records of each range. It may be called several times,
    ///     and has no other effect.
    /// - Returns: the answer of the change that was made.
    /// - Throws: ``RecordError``, what `decide` throws, or the storage's failure.
    public func change<Answer: Sendable>(
        _ ranges: [RecordRange], _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> RecordChange<Answer>
    ) async throws -> Answer { try await change(ranges, optionally: nil, at: .distantPast, decide) }

    /// Makes a change as ``change(_:_:)`` does, if a lease is held.
    ///
    /// - Parameters:
    ///   - ranges: the records to read.
    ///   - lease: the lease, which is renewed as of `now`, also by a change that is then refused.
    ///   - now: the time by the holder's clock.
    ///   - decide: returns the writes and the answer.
    /// - Returns: the answer of the change that was made.
    /// - Throws: ``RecordError/leaseLost(_:)``, and what ``change(_:_:)`` throws.
    public func change<Answer: Sendable>(
        _ ranges: [RecordRange], under lease: RecordLease, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> RecordChange<Answer>
    ) async throws -> Answer { try await change(ranges, optionally: lease, at: now, decide) }

    private func change<Answer: Sendable>(
        _ ranges: [RecordRange], optionally lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> RecordChange<Answer>
    ) async throws -> Answer {
        let answer = LastAnswer<Answer>()
        let rooms = Set(ranges.map(\.room))
        for range in ranges { try RecordError.check(range) }
        try await transact(ranges, under: lease, at: now) { found in
            guard found.count == ranges.count else { throw RecordError.undecided }
            let change = try decide(found)
            for write in change.writes { try RecordError.check(write, in: rooms) }
            answer.value.withLock { $0 = change.answer }
            return change.writes
        }
        guard let last = answer.value.withLock({ $0 }) else { throw RecordError.undecided }
        return last
    }

    /// Returns the record of a key; nil if there is none.
    ///
    /// - Throws: the storage's failure. It does not mean that there is no record.
    public func record(_ key: RecordKey) async throws -> StoredRecord? {
        guard let found = try await records([.record(key)]).first else { throw RecordError.undecided }
        return found.first
    }
}

/// The answer of the last decision.
private final class LastAnswer<Answer: Sendable>: Sendable {
    let value = Mutex<Answer?>(nil)
}

// MARK: - Keys

/// A group of records that change together.
public struct RecordRoom: Sendable, Hashable, Comparable {
    /// The kind of its records, such as `receipt`: a text of the program, at most 40 bytes.
    public let kind: String
    /// The name among those of its kind, at most ``RecordKey/longest`` bytes.
    public let name: String

    /// Creates a room's name.
    public init(_ kind: String, _ name: String = "") {
        self.kind = kind
        self.name = name
    }

    /// Returns true if both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.isExactly(right.name) && left.kind.isExactly(right.kind)
    }

    /// Returns true if `left` comes before `right`, by its bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.kind.isExactly(right.kind) ? left.name.precedes(right.name) : left.kind.precedes(right.kind)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(exactly: kind)
        hasher.combine(exactly: name)
    }
}

/// The name of a record.
public struct RecordKey: Sendable, Hashable {
    /// The most bytes of a name, and of a room's name.
    public static let longest = 1024

    /// The room that it lies in.
    public let room: RecordRoom
    /// The name in its room, at most ``longest`` bytes.
    public let name: String

    /// Creates a key.
    public init(_ room: RecordRoom, _ name: String = "") {
        self.room = room
        self.name = name
    }

    /// Creates a key in a room of a kind.
    public init(_ kind: String, room: String = "", name: String = "") {
        self.init(RecordRoom(kind, room), name)
    }

    /// Returns true if both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.room == right.room && left.name.isExactly(right.name)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(room)
        hasher.combine(exactly: name)
    }
}

/// Records of one room: all of them, one, or those between two names.
public struct RecordRange: Sendable, Hashable {
    /// The room.
    public let room: RecordRoom
    /// The first name.
    public let first: String
    /// The name behind the last one; nil if all names from the first on belong to the range.
    public let end: String?

    /// Creates a range of the names from `first` on, up to `end` but without it.
    public init(_ room: RecordRoom, from first: String = "", upTo end: String? = nil) {
        self.room = room
        self.first = first
        self.end = end
    }

    /// All records of a room.
    public static func room(_ room: RecordRoom) -> RecordRange { RecordRange(room) }

    /// The record of a key, whether it is there or not.
    public static func record(_ key: RecordKey) -> RecordRange {
        // No text lies between a text and the same with a zero behind it.
        RecordRange(key.room, from: key.name, upTo: key.name + "\u{0}")
    }

    /// Returns true if the range has a name.
    public func contains(_ name: String) -> Bool {
        !name.precedes(first) && end.map { name.precedes($0) } ?? true
    }
}

// MARK: - Records

/// A record as a store has it.
public struct StoredRecord: Sendable, Hashable {
    /// The key.
    public let key: RecordKey
    /// The value.
    public let value: [UInt8]
    /// The place in the order in which records of its kind were first stored: 1 or greater. It stays when the record
    /// changes.
    public let place: Int64

    /// Creates a record.
    public init(key: RecordKey, value: [UInt8], place: Int64) {
        self.key = key
        self.value = value
        self.place = place
    }
}

/// The value of a mark. Values are ordered by their bytes.
public struct RecordMark: Sendable, Hashable, Comparable {
    /// The text, at most ``RecordKey/longest`` bytes.
    public let text: String

    /// Creates a value from a text.
    public init(_ text: String) { self.text = text }

    /// Creates a value from a number. Values of numbers are ordered as the numbers are.
    public init(_ number: Int64) {
        let digits = String(UInt64(bitPattern: number) ^ 1 << 63, radix: 16)
        text = String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Creates a value from a date. Values of dates are ordered as the dates are.
    public init(_ date: Date) {
        // The bits of a positive number, read as an integer, are ordered as the numbers are; of a negative one, reversed.
        let bits = Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)
        self.init(bits < 0 ? Int64.min - bits - 1 : bits)
    }

    /// Returns true if both have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    /// Returns true if `left` comes before `right`, by its bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text.precedes(right.text) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(exactly: text) }
}

/// The records of a kind that have a mark.
public struct RecordQuery: Sendable, Hashable {
    /// The place in the order of a query's records.
    public struct Position: Sendable, Hashable {
        /// The value of the mark.
        public let mark: RecordMark
        /// The record's ``StoredRecord/place``.
        public let place: Int64

        /// Creates a position.
        public init(_ mark: RecordMark, _ place: Int64) {
            self.mark = mark
            self.place = place
        }
    }

    /// The kind of the records.
    public let kind: String
    /// The name of the mark.
    public let mark: String
    /// The least and greatest values; nil where any value is in order.
    public let (least, greatest): (RecordMark?, RecordMark?)
    /// True if the last record comes first.
    public let isReversed: Bool
    /// The position behind which the records begin, in the order of the query; nil for the beginning.
    public let position: Position?
    /// The greatest number of records.
    public let limit: Int

    /// Creates a query.
    public init(
        _ kind: String, by mark: String, from least: RecordMark? = nil, through greatest: RecordMark? = nil,
        isReversed: Bool = false, after position: Position? = nil, limit: Int
    ) {
        self.kind = kind
        self.mark = mark
        (self.least, self.greatest) = (least, greatest)
        self.isReversed = isReversed
        self.position = position
        self.limit = limit
    }

    /// Creates a query for the records whose mark has one value.
    public init(
        _ kind: String, by mark: String, of value: RecordMark, isReversed: Bool = false, after place: Int64? = nil,
        limit: Int
    ) {
        self.init(
            kind, by: mark, from: value, through: value, isReversed: isReversed,
            after: place.map { Position(value, $0) }, limit: limit)
    }

    /// Returns the records that a query finds, in its order, among all records of its kind that have its mark: for
    /// stores that have no index of their own.
    public func found(among marked: [(mark: RecordMark, record: StoredRecord)]) -> [StoredRecord] {
        func comesBefore(_ left: (mark: RecordMark, place: Int64), _ right: (mark: RecordMark, place: Int64)) -> Bool {
            let (first, second) = isReversed ? (right, left) : (left, right)
            return first.mark == second.mark ? first.place < second.place : first.mark < second.mark
        }
        return
            marked.filter { mark, record in
                least.map { $0 <= mark } ?? true && greatest.map { mark <= $0 } ?? true
                    && position.map { comesBefore(($0.mark, $0.place), (mark, record.place)) } ?? true
            }
            .sorted { comesBefore(($0.mark, $0.record.place), ($1.mark, $1.record.place)) }
            .prefix(max(0, limit)).map(\.record)
    }
}

// MARK: - Changes

/// One write of a change.
public enum RecordWrite: Sendable, Hashable {
    /// Stores a record under a key, with its marks by their names. It replaces the record that is there, and its marks.
    case put(RecordKey, [UInt8], marks: [String: RecordMark] = [:])
    /// Removes the record of a key, if there is one.
    case remove(RecordKey)

    /// The key.
    public var key: RecordKey {
        switch self {
        case .put(let key, _, _), .remove(let key): key
        }
    }
}

/// The decision of a change: its writes, and the answer to the caller.
public struct RecordChange<Answer: Sendable>: Sendable {
    /// The writes, in their order. Without any, nothing changes.
    public let writes: [RecordWrite]
    /// The answer.
    public let answer: Answer

    /// Creates a decision.
    public init(_ writes: [RecordWrite], _ answer: Answer) {
        self.writes = writes
        self.answer = answer
    }

    /// Creates a decision that changes nothing.
    public init(_ answer: Answer) { self.init([], answer) }
}

/// The right of one holder at a time to work in a room, for as long as it renews it.
public struct RecordLease: Sendable, Hashable {
    /// The room.
    public let room: RecordRoom
    /// The holder's id: random, and new for each holding.
    public let holder: String
    /// The time that the holder may be silent before others may take over.
    public let duration: Duration

    /// Creates a lease.
    public init(_ room: RecordRoom, holder: String, duration: Duration) {
        self.room = room
        self.holder = holder
        self.duration = duration
    }

    /// Returns the moment from which others may take over if the holder does not renew the lease.
    ///
    /// - Parameter now: the moment of the last renewal.
    public func end(from now: Date) -> Date { now.addingTimeInterval(duration / .seconds(1)) }
}

/// A change that a store refuses.
@nonexhaustive
public enum RecordError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another holder took over the lease of the room, or it was released.
    case leaseLost(RecordRoom)
    /// A change would have written a record in a room that it did not read.
    case notRead(RecordKey)
    /// A name of this many bytes is longer than the store takes, or a value is.
    case tooLong(kind: String, bytes: Int, limit: Int)
    /// A store did not ask what to write, or did not read what it was asked for.
    case undecided

    /// The most bytes of a value.
    public static let longestValue = 8 << 20
    /// The most bytes of a kind's name, and of a mark's.
    static let longestKind = 40

    /// The error in words. It names no record, as names are the owners' secrets.
    public var description: String {
        switch self {
        case .leaseLost(let room):
            "the lease of a '\(room.kind)' was released, or another program has taken it; nothing was written"
        case .notRead(let key): "a '\(key.room.kind)' may be written only by a change that has read it"
        case .tooLong(let kind, let bytes, let limit):
            "a name or value of a '\(kind)' has \(bytes) bytes; no more than \(limit) can be stored"
        case .undecided:
            "the store has not read what it was asked for, or not asked what to write; it breaks the rules of a record store"
        }
    }

    fileprivate static func check(_ range: RecordRange) throws(RecordError) {
        try check(range.room.kind, range.room.kind, longestKind)
        try check(range.room.name, range.room.kind, RecordKey.longest)
    }

    fileprivate static func check(_ write: RecordWrite, in rooms: Set<RecordRoom>) throws(RecordError) {
        let (key, kind) = (write.key, write.key.room.kind)
        guard rooms.contains(key.room) else { throw .notRead(key) }
        try check(key.name, kind, RecordKey.longest)
        guard case .put(_, let value, let marks) = write else { return }
        guard value.count <= longestValue else {
            throw .tooLong(kind: kind, bytes: value.count, limit: longestValue)
        }
        for (name, mark) in marks {
            try check(name, kind, longestKind)
            try check(mark.text, kind, RecordKey.longest)
        }
    }

    private static func check(_ text: String, _ kind: String, _ limit: Int) throws(RecordError) {
        guard text.utf8.count <= limit else { throw .tooLong(kind: kind, bytes: text.utf8.count, limit: limit) }
    }
}

extension String {
    /// Returns true if this text comes before another one, by its bytes.
    package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
