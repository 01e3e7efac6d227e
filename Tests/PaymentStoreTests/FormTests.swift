import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PaymentRouting
@testable import PaymentStore

/// Journals of every released form, kept as SQL text under `Tests/Vectors/journals`. They are never changed: a new form
/// gets a new file.
@Suite("What is stored")
struct FormTests {
    private let folder = ScratchFolder()
    private var path: String { folder.file("journal") }

    @Test("What is written today is what the fixture of the current form says, byte for byte")
    func currentForm() async throws {
        for history in try FormSamples.sealed() { try await Self.write(history, to: SQLiteJournal(path: path)) }
        try await Self.writeSpendings(to: SQLiteJournal(path: path))
        let text = try Self.dump(Database(path: path))
        let fixture = try Self.fixture(Schema.current.version)
        #expect(text == fixture, "another form needs another number, and a fixture of its own")
    }

    @Test("Journals of every released form are read, and their seals are right", arguments: 1...Schema.current.version)
    func everyForm(version: Int) async throws {
        try Data().write(to: URL(filePath: path))
        do { try Database(path: path).execute(try Self.fixture(version)) }
        // The first version knew no refunds, and seals came with the third.
        var expected = try version < 3 ? FormSamples.all() : FormSamples.sealed()
        if version < 2 { expected.removeAll { $0.attempt.refund != nil } }
        let journal = try SQLiteJournal(path: path)
        let found = try await journal.attempts(AttemptQuery(order: .oldestFirst)).histories
        #expect(found.map(\.attempt) == expected.map(\.attempt))
        for (found, expected) in zip(found, expected) {
            #expect(found.outcome == expected.outcome, "\(expected.attempt.id)")
            // Receipts of the refunds of the second version name a payment, as there was nothing else.
            if version == 2, found.attempt.refund != nil { continue }
            #expect(found.entries == expected.entries, "\(expected.attempt.id)")
        }
        #expect(try await journal.unfinished().map(\.attempt) == expected.filter { !$0.isFinished }.map(\.attempt))
        #expect(
            try await journal.spendings(since: SpendingDay(number: .min))
                == (version < 5 ? [] : FormSamples.spendings()))
        if version >= 3 {
            let key = try FormSamples.key()
            for history in found { #expect(key.isSound(history), "\(history.attempt.id)") }
        }
    }

    @Test("A journal of an older form goes on in the current one", arguments: 1..<Schema.current.version)
    func goesOn(version: Int) async throws {
        try Data().write(to: URL(filePath: path))
        do { try Database(path: path).execute(try Self.fixture(version)) }
        let journal = try SQLiteJournal(path: path)
        let open = try #require(try await journal.unfinished().last)
        let lease = PaymentLease(payment: open.attempt.reference, holder: "h", duration: .seconds(60))
        #expect(try await journal.acquire(lease, at: FormSamples.start))
        let entry = JournalEntry(date: FormSamples.start, event: .outcome(.declined(DeclineReason(.refused, "no"))))
        try await journal.append(entry, to: open.attempt.id, under: lease)
        #expect(try await journal.history(of: open.attempt.id)?.entries == open.entries + [entry])
    }

    @Test(
        "What has no form that is known is damage, never something else",
        arguments: [
            #"{"form":3,"outcome":"cancelled"}"#, #"{"form":2,"cancelled":{}}"#, #"{"form":2,"outcome":"paid"}"#,
            #"{"outcome":"cancelled"}"#, #"{"form":"2","outcome":"cancelled"}"#, #"{"form":2.5,"outcome":"cancelled"}"#,
            #"{"form":2,"outcome":"succeeded"}"#, #"{"cancelled":{},"expired":{}}"#, #"{"cancelled":1}"#,
            #"{"form":2,"outcome":"pending","retryAfter":"1"}"#, #"{"unknown":{"message":"?"}}"#, "null", "[]", "",
            #"{"form":2,"outcome":"succeeded","receipt":{"reference":{"id":"p","provider":"a","subject":"gift"}}}"#,
        ])
    func unknownForms(detail: String) async throws {
        #expect(throws: Unreadable.self) { try StoredOutcome.read(detail) }
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

    private static func fixture(_ version: Int) throws -> String {
        String(decoding: try Vectors.file("journals/version-\(version).sql"), as: UTF8.self)
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
        lines += try database.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid") {
            $0.text(0) + ";"
        }
        for (table, order) in [("attempt", "number"), ("entry", "attempt, position"), ("spending", "number")] {
            let columns = try database.query("SELECT name FROM pragma_table_info('\(table)')") { $0.text(0) }
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ', ' || ")
            lines += try database.query("SELECT \(values) FROM \(table) ORDER BY \(order)") {
                "INSERT INTO \(table) VALUES (\($0.text(0)));"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
