import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStore

@Suite("Records in a file")
struct RecordTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("records") }
    private let key = RecordKey("sample", room: "room", name: "name")

    @Test("The store keeps the contract, on a disk that keeps nothing but what was synced")
    func conformance() async {
        let left = Collected<ScratchFolder>()
        let report = await RecordConformance.check(
            RecordSubject("SQLiteRecords") {
                let folder = ScratchFolder()
                try #require(FailingDisk.watch(folder))
                return RecordSubject.Storage(
                    try SQLiteRecords(path: folder.file("records")),
                    reopen: { try SQLiteRecords(path: folder.file("records"), creating: false) },
                    losePower: {
                        let rest = try FailingDisk.afterPowerFailure(of: folder)
                        left.add(rest)
                        return try SQLiteRecords(path: rest.file("records"), creating: false)
                    })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
        #expect(left.all.count == 1)
    }

    @Test("The lease of one who is gone is free at once")
    func goneHolder() async throws {
        let store = try SQLiteRecords(path: path)
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let lease = { RecordLease(RecordRoom("sample"), holder: $0, duration: .seconds(3600)) }
        do {
            let other = try SQLiteRecords(path: path)
            #expect(try await other.acquire(lease("other"), at: start))
            #expect(try await !store.acquire(lease("own"), at: start))
        }
        #expect(try await store.acquire(lease("own"), at: start))
    }

    @Test("A change that finds no room leaves everything as it was, and smaller ones are made")
    func fullDisk() async throws {
        let store = try SQLiteRecords(JournalFile(path: path, schema: .records, maximumPages: 40))
        let key = key
        try await store.change([.record(key)]) { _ in RecordChange([.put(key, [1])], ()) }
        await #expect(throws: JournalError.full(path: path)) {
            try await store.change([.record(key)]) { _ in
                RecordChange([.put(key, [2]), .put(RecordKey(key.room, "b"), Array(repeating: 7, count: 400_000))], ())
            }
        }
        #expect(try await store.records([.room(key.room)])[0].map(\.value) == [[1]])
        try await store.change([.record(key)]) { _ in RecordChange([.put(key, [3])], ()) }
        #expect(try await store.record(key)?.value == [3])
    }

    @Test("Nothing more is written to a file that others do not see")
    func replaced() async throws {
        let (store, key) = (try SQLiteRecords(path: path), key)
        try await store.change([.record(key)]) { _ in RecordChange([.put(key, [0])], ()) }
        for name in try folder.names { try FileManager.default.removeItem(atPath: folder.file(name)) }
        await #expect(throws: JournalError.replaced(path: path)) {
            try await store.change([.record(key)]) { _ in RecordChange([.put(key, [1])], ()) }
        }
    }

    @Test("A journal is no file of records, nor are records a journal; both are left as they are")
    func otherFiles() throws {
        let journal = folder.file("journal")
        do { _ = try SQLiteJournal(path: journal) }
        do { _ = try SQLiteRecords(path: path) }
        let contents = try [journal, path].map { try Data(contentsOf: URL(filePath: $0)) }
        #expect(throws: JournalError.notAJournal(path: journal)) { try SQLiteRecords(path: journal) }
        #expect(throws: JournalError.notAJournal(path: path)) { try SQLiteJournal(path: path) }
        #expect(try [journal, path].map { try Data(contentsOf: URL(filePath: $0)) } == contents)
        #expect(throws: JournalError.self) { try SQLiteRecords(path: folder.file("none"), creating: false) }
    }

    @Test("Only its owner may read the file")
    func mode() throws {
        _ = try SQLiteRecords(path: path)
        for name in try folder.names where !name.hasSuffix("-owners") {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
    }

    @Test("What was removed or replaced is not in the file any more")
    func erased() async throws {
        let secret = Array("a secret that nobody may find again".utf8)
        let key = key
        do {
            let store = try SQLiteRecords(path: path)
            let other = RecordKey(key.room, "other")
            try await store.change([.room(key.room)]) { _ in
                RecordChange([.put(key, secret), .put(other, secret)], ())
            }
            try await store.change([.room(key.room)]) { _ in RecordChange([.put(key, [1]), .remove(other)], ()) }
        }
        // The log is gone with the last one who had the file open.
        #expect(try folder.names.allSatisfy { !$0.hasSuffix("-wal") })
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data(secret)) == nil)
    }

    @Test("Changes that are made at the same time share their syncs")
    func shared() async throws {
        try #require(FailingDisk.watch(folder))
        let store = try SQLiteRecords(path: path)
        func syncs() -> Int {
            FailingDisk.log(of: folder).events.count { if case .sync = $0 { true } else { false } }
        }
        let before = syncs()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                let key = RecordKey("sample", room: "\(number)")
                group.addTask {
                    try await store.change([.record(key)]) { _ in RecordChange([.put(key, [1])], ()) }
                }
            }
            try await group.waitForAll()
        }
        #expect(syncs() - before < 64)
        let rest = try FailingDisk.afterPowerFailure(of: folder)
        let left = try SQLiteRecords(path: rest.file("records"), creating: false)
        let rooms = (0..<64).map { RecordRange.room(RecordRoom("sample", "\($0)")) }
        #expect(try await left.records(rooms).allSatisfy { $0.count == 1 })
    }

    @Test("What is written is what the fixture says, byte for byte")
    func form() async throws {
        let (store, key) = (try SQLiteRecords(path: path), key)
        let date = Date(timeIntervalSinceReferenceDate: 800_000_000.5)
        try await store.change([.room(key.room)]) { _ in
            RecordChange(
                [
                    .put(key, [1], marks: ["old": RecordMark("old")]),
                    .put(key, [0, 255, 1], marks: ["due": RecordMark(date), "state": RecordMark("open")]),
                    .put(RecordKey(key.room, "gone"), [1]), .remove(RecordKey(key.room, "gone")),
                    .put(RecordKey(key.room), Array("{}".utf8), marks: ["number": RecordMark(-1)]),
                ], ())
        }
        #expect(
            try await store.acquire(
                RecordLease(key.room, holder: "holder", duration: .seconds(30)), at: date))
        let text = try Self.dump(Database(path: path))
        if ProcessInfo.processInfo.environment["UPDATE_JOURNAL_FIXTURE"] != nil {
            try text.write(to: Self.fixture, atomically: true, encoding: .utf8)
        }
        #expect(
            text == (try String(contentsOf: Self.fixture, encoding: .utf8)),
            "another form needs another version once this one is released")
    }

    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/records/version-\(Schema.records.version).sql")

    private static func dump(_ database: Database) throws -> String {
        var lines = try ["application_id", "user_version"].map {
            "PRAGMA \($0) = \(try database.number("PRAGMA \($0)") ?? 0);"
        }
        lines += try database.texts(
            "SELECT sql || ';' FROM sqlite_schema WHERE sql NOT LIKE '%sqlite_sequence%' ORDER BY rowid")
        for (table, columns) in [
            ("record", ["number", "kind", "room", "name", "value"]), ("mark", ["kind", "name", "value", "record"]),
            ("lease", ["kind", "room", "holder", "ends"]),
        ] {
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
            lines += try database.texts("SELECT \(values) FROM \(table) ORDER BY 1").map { "-- \(table): \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
