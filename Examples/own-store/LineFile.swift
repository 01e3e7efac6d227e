import Foundation
import PaymentCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A record store over an engine of your own: here a file to which each change adds one line of JSON, shared by the
/// processes of one machine. A process that changes something locks the file, reads the lines that others have added,
/// decides, adds a line and waits for the disk. A line that a crash has cut off was never confirmed, and is removed.
actor LineFile: RecordStore {
    /// One line: what a change wrote, or a lease.
    private struct Line: Codable {
        struct Write: Codable {
            let kind, room, name: String
            /// Nil if the record was removed.
            let value: Data?
            let marks: [String: String]
        }
        struct Lease: Codable {
            let kind, room, holder: String
            let end: Date
        }
        var writes: [Write] = []
        var lease: Lease?
    }

    private struct Entry {
        let value: [UInt8]
        let marks: [String: String]
        let place: Int64
    }

    private let file: Int32
    private var readBytes = 0
    private var entries: [RecordKey: Entry] = [:]
    private var leases: [RecordRoom: Line.Lease] = [:]
    private var lastPlace: Int64 = 0

    struct Failure: Error {
        let call: String
        let reason: String

        init(_ call: String) { (self.call, reason) = (call, String(cString: strerror(errno))) }
    }

    init(path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure("open") }
    }

    deinit { close(file) }

    // MARK: The file

    /// Runs `body` while no other process changes the file, with all that others have written.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        guard flock(file, LOCK_EX) == 0 else { throw Failure("flock") }
        defer { flock(file, LOCK_UN) }
        let size = Int(lseek(file, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size - readBytes)
        guard pread(file, &bytes, bytes.count, off_t(readBytes)) == bytes.count else { throw Failure("pread") }
        let whole = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
        for line in bytes[..<whole].split(separator: UInt8(ascii: "\n")) {
            apply(try JSONDecoder().decode(Line.self, from: Data(line)))
        }
        readBytes += whole
        if readBytes < size, ftruncate(file, off_t(readBytes)) != 0 { throw Failure("ftruncate") }
        return try body()
    }

    private func add(_ line: Line) throws {
        let bytes = Array(try JSONEncoder().encode(line)) + [UInt8(ascii: "\n")]
        guard pwrite(file, bytes, bytes.count, off_t(readBytes)) == bytes.count, fsync(file) == 0 else {
            throw Failure("write")
        }
        readBytes += bytes.count
        apply(line)
    }

    private func apply(_ line: Line) {
        for write in line.writes {
            let key = RecordKey(write.kind, room: write.room, name: write.name)
            let known = entries[key]?.place
            if known == nil, write.value != nil { lastPlace += 1 }
            entries[key] = write.value.map { Entry(value: Array($0), marks: write.marks, place: known ?? lastPlace) }
        }
        if let lease = line.lease { leases[RecordRoom(lease.kind, lease.room)] = lease }
    }

    // MARK: Records

    func transact(
        _ ranges: [RecordRange], under lease: RecordLease?, at now: Date,
        _ decide: @escaping @Sendable ([[StoredRecord]]) throws -> [RecordWrite]
    ) async throws {
        try locked {
            var line = Line()
            if let lease { line.lease = try renewed(lease, at: now) }
            line.writes = try decide(ranges.map(read)).map { write in
                let (room, name) = (write.key.room, write.key.name)
                guard case .put(_, let value, let marks) = write else {
                    return Line.Write(kind: room.kind, room: room.name, name: name, value: nil, marks: [:])
                }
                return Line.Write(
                    kind: room.kind, room: room.name, name: name, value: Data(value), marks: marks.mapValues(\.text))
            }
            if !line.writes.isEmpty || line.lease != nil { try add(line) }
        }
    }

    private func read(_ range: RecordRange) -> [StoredRecord] {
        entries.filter { $0.key.room == range.room && range.contains($0.key.name) }.map(Self.record)
            .sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }
    }

    private static func record(_ key: RecordKey, _ entry: Entry) -> StoredRecord {
        StoredRecord(key: key, value: entry.value, place: entry.place)
    }

    func records(_ ranges: [RecordRange]) async throws -> [[StoredRecord]] { try locked { ranges.map(read) } }

    func records(_ query: RecordQuery) async throws -> [StoredRecord] {
        try locked {
            query.found(
                among: entries.filter { $0.key.room.kind == query.kind }.compactMap { key, entry in
                    entry.marks[query.mark].map { (RecordMark($0), Self.record(key, entry)) }
                })
        }
    }

    // MARK: Leases

    func acquire(_ lease: RecordLease, at now: Date) async throws -> Bool {
        try locked {
            if let held = leases[lease.room], !Self.isSame(held.holder, lease.holder), held.end > now { return false }
            try add(Line(lease: Self.line(lease, until: lease.end(from: now))))
            return true
        }
    }

    func renew(_ lease: RecordLease, at now: Date) async throws {
        try locked { try add(Line(lease: try renewed(lease, at: now))) }
    }

    func release(_ lease: RecordLease) async throws {
        try locked {
            guard let held = leases[lease.room], Self.isSame(held.holder, lease.holder) else { return }
            // A lease without a holder has ended.
            let room = lease.room
            try add(Line(lease: Line.Lease(kind: room.kind, room: room.name, holder: "", end: .distantPast)))
        }
    }

    private func renewed(_ lease: RecordLease, at now: Date) throws -> Line.Lease {
        guard let held = leases[lease.room], Self.isSame(held.holder, lease.holder) else {
            throw RecordError.leaseLost(lease.room)
        }
        return Self.line(lease, until: lease.end(from: now))
    }

    private static func line(_ lease: RecordLease, until end: Date) -> Line.Lease {
        Line.Lease(kind: lease.room.kind, room: lease.room.name, holder: lease.holder, end: end)
    }

    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
