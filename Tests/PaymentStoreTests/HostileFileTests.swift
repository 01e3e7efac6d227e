import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PaymentStore

/// Journal files that another program has changed.
@Suite("Journal files that another program changed")
struct HostileFileTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }

    private func leaveOne() async throws {
        let journal = try SQLiteJournal(path: path)
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        try await journal.open(try Samples.attempt(), under: Samples.lease())
    }

    private func change(_ sql: String) throws {
        let database = try Database(path: path)
        try database.execute(sql)
    }

    static let changes: [(sql: String, object: String)] = [
        ("CREATE VIEW evil AS SELECT * FROM attempt", "view 'evil'"),
        ("CREATE TRIGGER evil AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "trigger 'evil'"),
        // Triggers have a separate namespace: one may have its table's name.
        ("CREATE TRIGGER entry AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "trigger 'entry'"),
        ("CREATE TRIGGER attempt AFTER INSERT ON attempt BEGIN DELETE FROM entry; END", "trigger 'attempt'"),
        ("CREATE TRIGGER lease AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "trigger 'lease'"),
        ("CREATE TABLE diary (day TEXT)", "table 'diary'"),
        ("CREATE UNIQUE INDEX evil ON attempt (provider)", "index 'evil'"),
        ("CREATE VIRTUAL TABLE evil USING fts5(x)", "table 'evil'"),
        ("DROP INDEX attempt_unfinished", "index 'attempt_unfinished'"),
        ("ALTER TABLE attempt ADD COLUMN note TEXT", "table 'attempt'"),
        ("ALTER TABLE entry RENAME COLUMN detail TO details", "table 'entry'"),
        ("DROP TABLE lease", "table 'lease'"),
        (
            "DROP TABLE lease; CREATE VIEW lease AS SELECT provider, subject, reference, 'me' AS holder, 0 AS owner, 9e9 AS ends FROM attempt",
            "view 'lease'"
        ),
        (
            "DROP INDEX attempt_reference; CREATE INDEX attempt_reference ON attempt (reference, subject, provider)",
            "index 'attempt_reference'"
        ),
    ]

    @Test(
        "A file with other tables, columns, views or triggers is refused by name and left as it is", arguments: changes)
    func changed(sql: String, object: String) async throws {
        try await leaveOne()
        try change(sql)
        let before = try Data(contentsOf: URL(filePath: path))
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        guard case .unexpectedSchema(path, let detail)? = error else { throw try #require(error) }
        #expect(detail.contains(object), "\(detail)")
        #expect(error?.description.contains(path) == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test("It is refused, too, while the change is in the write-ahead log only", arguments: changes.prefix(5))
    func changedInLog(sql: String, object: String) async throws {
        let journal = try SQLiteJournal(path: path)
        try change(sql)
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        guard case .unexpectedSchema(path, let detail)? = error else { throw try #require(error) }
        #expect(detail.contains(object))
        _ = try await journal.unfinished()
    }

    @Test("A journal of an older version is held against that version")
    func older() throws {
        do {
            let database = try JournalFile(path: path).open("x")
            try database.execute("CREATE VIEW evil AS SELECT 1")
        }
        let next = Schema(kind: .journal, steps: Schema.current.steps + ["CREATE TABLE later (x TEXT)"])
        #expect(throws: JournalError.unexpectedSchema(path: path, detail: "it holds the view 'evil'")) {
            try SQLiteJournal(JournalFile(path: path, schema: next))
        }
    }

    @Test("SQLite's own statistics are no change")
    func statistics() async throws {
        try await leaveOne()
        try change("ANALYZE")
        #expect(try await SQLiteJournal(path: path).unfinished().count == 1)
    }

    @Test("What a file's own definitions call is not trusted, and they cannot be written around")
    func defensive() async throws {
        try await leaveOne()
        let database = try JournalFile(path: path).open("x")
        #expect(try database.number("PRAGMA trusted_schema") == 0)
        #if !canImport(SQLite3)
            #expect(throws: JournalError.self) {
                try database.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'x'")
            }
        #endif
    }

    @Test("A trigger or view that comes while the file is in use is not run", .enabled(if: isRestrictable))
    func disabled() async throws {
        let journal = try SQLiteJournal(path: path)
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        try change("CREATE TRIGGER attempt AFTER INSERT ON attempt BEGIN UPDATE attempt SET finished = 1; END")
        try await journal.open(try Samples.attempt(), under: Samples.lease())
        #expect(try await journal.unfinished().count == 1)
        let database = try Database(path: path)
        try database.execute("CREATE VIEW evil AS SELECT 1")
        #expect(throws: JournalError.self) { try database.numbers("SELECT * FROM evil") }
    }

    /// True if a connection can be set to run no triggers: not from Swift alone, as on Apple's systems.
    private static var isRestrictable: Bool {
        #if canImport(SQLite3)
            false
        #else
            true
        #endif
    }

    // MARK: Time

    private static let endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT sum(x) FROM n"
    private static let tookTooLong = "reading or writing it took too long, or was cancelled"

    @Test("A file that takes too long to read ends the statement, not the program")
    func endlessFile() async throws {
        try await leaveOne()
        try change(
            """
            WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60000)
            INSERT INTO entry (attempt, position, date, event, detail) SELECT 1, x, 0, 'abandoned', '' FROM n
            """)
        let journal = try SQLiteJournal(JournalFile(path: path, limit: .zero))
        let id = try Samples.attempt().id
        await #expect(throws: JournalError.inaccessible(path: path, detail: Self.tookTooLong)) {
            try await journal.history(of: id)
        }
        #expect(try await journal.histories(of: Samples.reference("p2")).isEmpty, "the next statement is not affected")
        #expect(try await SQLiteJournal(path: path).history(of: id)?.entries.count == 60000)
    }

    @Test("A statement of a task that is cancelled ends, and a short one is not disturbed")
    func cancelled() async throws {
        try await leaveOne()
        let path = path
        let work = Task {
            while !Task.isCancelled { await Task.yield() }
            let database = try Database(path: path)
            try database.execute("UPDATE attempt SET key = 'written'")
            return #expect(throws: JournalError.inaccessible(path: path, detail: Self.tookTooLong)) {
                try database.run(Self.endless)
            }
        }
        work.cancel()
        #expect(try await work.value != nil)
        #expect(try await SQLiteJournal(path: path).unfinished().map(\.attempt.idempotencyKey) == ["written"])
    }

    // MARK: Size

    @Test("A value beyond all measure is refused before anything is written")
    func large() async throws {
        let journal = try SQLiteJournal(path: path)
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        let sample = try Samples.attempt()
        let endless = String(repeating: "x", count: Database.valueLimit)
        let option = PaymentMethodOption(
            id: "o", title: "t", amount: sample.option.amount, providerData: .string(endless))
        let attempt = PaymentAttempt(
            id: sample.id, reference: sample.reference, option: option, idempotencyKey: "k", startedAt: Samples.now,
            expiresAt: nil)
        let error = await #expect(throws: JournalError.self) { try await journal.open(attempt, under: Samples.lease()) }
        guard case .tooLarge(path, let bytes, Database.valueLimit)? = error else { throw try #require(error) }
        #expect(bytes > Database.valueLimit)
        #expect(try await journal.unfinished().isEmpty)

        try await journal.open(sample, under: Samples.lease())
        for event in [
            JournalEntry.Event.stepFailed(name: endless + "x", reason: ""),
            .stepFinished(name: "s", result: .string(endless)),
            .abandoned(reason: endless + "x"),
        ] {
            await #expect(throws: JournalError.self) {
                try await journal.append(Samples.entry(event), to: sample.id, under: Samples.lease())
            }
        }
        #expect(try await journal.unfinished().map(\.entries) == [[]])
        let fits = Samples.entry(.stepFailed(name: "s", reason: String(endless.dropLast(100))))
        try await journal.append(fits, to: sample.id, under: Samples.lease())
        #expect(try await journal.unfinished().map(\.entries) == [[fits]])
    }

    @Test("A value that another program made larger is not read")
    func largeInFile() async throws {
        try await leaveOne()
        do {
            let database = try Database(path: path, longest: 1 << 30)
            try database.execute("UPDATE attempt SET option = '\"' || printf('%.*c', 4000000, 'x') || '\"'")
        }
        let error = await #expect(throws: JournalError.self) { try await SQLiteJournal(path: path).unfinished() }
        guard case .tooLarge(path, _, _)? = error else { throw try #require(error) }
    }

    // MARK: Waiting

    @Test("A file that another process keeps locked is named, with how long it was waited for")
    func locked() async throws {
        let journal = try SQLiteJournal(JournalFile(path: path, timeout: .milliseconds(20)))
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        let other = try Database(path: path)
        try other.execute("BEGIN IMMEDIATE")
        let error = await #expect(throws: JournalError.self) {
            try await journal.open(try Samples.attempt(), under: Samples.lease())
        }
        #expect(error == .locked(path: path, waited: .milliseconds(20)))
        #expect(error?.description.contains("0.02 s") == true)
        #expect(JournalError.locked(path: path, waited: .seconds(5)).description.contains("for 5 s"))
        try other.execute("ROLLBACK")
        try await journal.open(try Samples.attempt(), under: Samples.lease())
    }
}
