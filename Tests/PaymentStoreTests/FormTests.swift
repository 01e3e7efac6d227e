import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentRouting
@testable import PaymentStore

/// A journal's current form, kept as SQL text under `Tests/Vectors/journals`.
@Suite("What is stored")
struct FormTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }

    @Test("What is written is what the fixture says, byte for byte")
    func written() async throws {
        for history in try FormSamples.sealed() { try await Self.write(history, to: SQLiteJournal(path: path)) }
        try await Self.writeSpendings(to: SQLiteJournal(path: path))
        let text = try Self.dump(Database(path: path))
        if ProcessInfo.processInfo.environment["UPDATE_JOURNAL_FIXTURE"] != nil {
            let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Vectors/journals/version-\(Schema.current.version).sql")
            try text.write(to: url, atomically: true, encoding: .utf8)
        }
        let fixture = try Self.fixture()
        #expect(text == fixture, "another form needs another version once this one is released")
    }

    @Test("The fixture is read, its seals are right, and it is resumed")
    func read() async throws {
        try Data().write(to: URL(filePath: path))
        do { try Database(path: path).execute(try Self.fixture()) }
        let expected = try FormSamples.sealed()
        let journal = try SQLiteJournal(path: path)
        let found = try await journal.attempts(AttemptQuery(order: .oldestFirst)).histories
        #expect(found == expected)
        #expect(try await journal.unfinished() == expected.filter { !$0.isFinished })
        #expect(try await journal.spendings(since: SpendingDay(number: .min)) == FormSamples.spendings())
        let key = try FormSamples.key()
        for history in found { #expect(key.isSound(history), "\(history.attempt.id)") }

        let open = try #require(try await journal.unfinished().last)
        let lease = PaymentLease(payment: open.attempt.reference, holder: "h", duration: .seconds(60))
        #expect(try await journal.acquire(lease, at: FormSamples.start))
        let entry = JournalEntry(date: FormSamples.start, event: .outcome(.declined(DeclineReason(.refused, "no"))))
        try await journal.append(entry, to: open.attempt.id, under: lease)
        #expect(try await journal.history(of: open.attempt.id)?.entries == open.entries + [entry])
    }

    @Test("Every kind of step is in the fixture")
    func kinds() throws {
        let kinds = try FormSamples.all().flatMap(\.entries).compactMap { entry in
            if case .stepStarted(_, let kind) = entry.event { kind } else { nil as StepKind? }
        }
        #expect(Set(kinds) == Set(StepKind.all))
    }

    @Test(
        "What cannot be read is damage, never something else",
        arguments: [
            #"{"cancelled":{}}"#, #"{"outcome":"paid"}"#, #"{"outcome":7}"#, #"{"outcome":"succeeded"}"#,
            #"{"outcome":"pending","retryAfter":"1"}"#, #"{"outcome":"unknown","message":"?"}"#, "null", "[]", "",
            #"{"outcome":"succeeded","receipt":{"reference":["a","gift","p"]}}"#,
            #"{"outcome":"succeeded","receipt":{"reference":["a","payment"]}}"#,
            #"{"outcome":"succeeded","receipt":{"reference":["a","payment","p",7]}}"#,
            #"{"outcome":"succeeded","receipt":{"reference":{"id":"p","provider":"a"}}}"#,
        ])
    func unreadable(detail: String) async throws {
        #expect(throws: StoredFormDefect.self) { try StoredOutcome.read(detail) }
        try Data().write(to: URL(filePath: path))
        let id = try await {
            let journal = try SQLiteJournal(path: path)
            let lease = Samples.lease()
            #expect(try await journal.acquire(lease, at: Samples.now))
            try await journal.open(try Samples.attempt(), under: lease)
            return try Samples.attempt().id
        }()
        do {
            try Database(path: path).run(
                "INSERT INTO entry (attempt, position, date, event, detail) VALUES (1, 1, 0, 'outcome', ?1)",
                [.text(detail)])
        }
        let journal = try SQLiteJournal(path: path)
        await #expect { try await journal.history(of: id) } throws: {
            if case JournalError.damaged = $0 { true } else { false }
        }
    }

    private static func fixture() throws -> String {
        String(decoding: try Vectors.file("journals/version-\(Schema.current.version).sql"), as: UTF8.self)
    }

    private static func write(_ history: AttemptHistory, to journal: SQLiteJournal) async throws {
        let attempt = history.attempt
        let lease = PaymentLease(payment: attempt.reference, holder: "h", duration: .seconds(60))
        #expect(try await journal.acquire(lease, at: attempt.startedAt))
        try await journal.open(attempt, under: lease)
        for entry in history.entries { try await journal.append(entry, to: attempt.id, under: lease) }
        try await journal.release(lease)
    }

    private static func writeSpendings(to journal: SQLiteJournal) async throws {
        for record in try FormSamples.spendings() {
            #expect(try await journal.reserve(record.spending, within: FormSamples.limits()) == .granted)
            switch record.state {
            case .reserved: break
            case .paid: try await journal.commit(record.spending.attempt)
            case .released: try await journal.release(record.spending.attempt)
            }
        }
    }

    /// The tables and all rows as statements that make them again.
    private static func dump(_ database: Database) throws -> String {
        var lines = ["PRAGMA application_id = \(try database.number("PRAGMA application_id") ?? 0);"]
        lines.append("PRAGMA user_version = \(try database.number("PRAGMA user_version") ?? 0);")
        lines += try database.texts("SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        for (table, order) in [("attempt", "number"), ("entry", "attempt, position"), ("spending", "number")] {
            let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)')")
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
            lines += try database.texts("SELECT \(values) FROM \(table) ORDER BY \(order)").map {
                "INSERT INTO \(table) VALUES (\($0));"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
