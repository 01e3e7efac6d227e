import Foundation
import PaymentCore
import PaymentRouting
import PaymentTesting
import TestSupport
import Testing

@testable import PaymentStore

@Suite("The journal's file")
struct FileTests {
    /// The version after the current one.
    private static let next = Schema.current.version + 1

    private let folder = ScratchFolder()
    private var path: String { folder.file("journal ?#%'ä") }

    /// Writes one unfinished attempt and leaves without closing it.
    private func leaveOne() async throws {
        let journal = try SQLiteJournal(path: path)
        #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
        try await journal.open(try Samples.attempt(), under: Samples.lease())
        try await journal.append(
            Samples.entry(.stepStarted(name: "s", kind: .interaction)), to: try Samples.attempt().id,
            under: Samples.lease())
    }

    private func content() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test("What was written is there when the file is opened again, and only the user may read it")
    func reopened() async throws {
        try await leaveOne()
        let journal = try SQLiteJournal(path: path, creating: false)
        #expect(try await journal.unfinished().map(\.entries.count) == [1])
        #expect(try await journal.attempts(AttemptQuery(limit: 1)).histories.count == 1)
        for name in try folder.names {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        #expect(try folder.names.allSatisfy { !$0.contains(".new-") })
    }

    @Test("A lease of a holder that is gone can be taken at once; one of a living holder cannot")
    func crashedHolder() async throws {
        let living = try SQLiteJournal(path: path)
        #expect(try await living.acquire(Samples.lease("p2", "living"), at: Samples.now))
        try await leaveOne()
        let next = try SQLiteJournal(path: path)
        #expect(try await next.acquire(Samples.lease("p1", "next"), at: Samples.now))
        #expect(try await next.acquire(Samples.lease("p2", "next"), at: Samples.now) == false)
        #expect(try await next.acquire(Samples.lease("p2", "next"), at: Samples.now.addingTimeInterval(60)))
        await #expect(throws: JournalError.self) {
            try await living.renew(Samples.lease("p2", "living"), at: Samples.now)
        }
    }

    @Test("Answers of wallets are gone from the file when the attempt has ended")
    func erased() async throws {
        try await leaveOne()
        do {
            let journal = try SQLiteJournal(path: path)
            _ = try await journal.acquire(Samples.lease(), at: Samples.now)
            let id = try Samples.attempt().id
            let signed = JournalEntry.Event.stepFinished(name: "s", result: "0xc0ffeec0ffee")
            try await journal.append(Samples.entry(signed), to: id, under: Samples.lease())
            #expect(try await journal.history(of: id)?.entries.last?.event == signed)
            try await journal.append(Samples.entry(.outcome(.expired)), to: id, under: Samples.lease())
        }
        #expect(try folder.names.count == 2, "the last one to close tidies up")
        #expect(try content().range(of: Data("0xc0ffeec0ffee".utf8)) == nil)
        #expect(try content().range(of: Data("expired".utf8)) != nil)
    }

    // MARK: Refusals

    @Test("What is not a journal is refused and left as it is", arguments: ["text", "short", "database", "truncated"])
    func foreign(kind: String) async throws {
        switch kind {
        case "text": try Data(String(repeating: "my diary ", count: 1000).utf8).write(to: URL(filePath: path))
        case "short": try Data("x".utf8).write(to: URL(filePath: path))
        case "truncated":
            try await leaveOne()
            try content().prefix(6000).write(to: URL(filePath: path))
        default:
            try Data().write(to: URL(filePath: path))
            let database = try Database(path: path)
            try database.execute("CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday')")
        }
        let before = try content()
        let names = try folder.names
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        switch error {
        case .notAJournal?: #expect(kind != "truncated")
        case .damaged?: #expect(kind == "truncated")
        default: Issue.record("\(String(describing: error))")
        }
        #expect(try content() == before)
        #expect(try folder.names == names)
    }

    @Test("A damaged journal is refused and left as it is")
    func damaged() async throws {
        try await leaveOne()
        var bytes = try content()
        for offset in stride(from: 4096, to: bytes.count, by: 1) { bytes[offset] = 0xA5 }
        try bytes.write(to: URL(filePath: path))
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        guard case .damaged? = error else { throw try #require(error) }
        #expect(try content() == bytes)
    }

    @Test("A journal of a newer version is refused and left as it is")
    func newer() async throws {
        let next = Schema(kind: .journal, steps: Schema.current.steps + ["CREATE TABLE later (x TEXT)"])
        _ = try SQLiteJournal(JournalFile(path: path, schema: next))
        let before = try content()
        #expect(throws: JournalError.newerVersion(path: path, found: Self.next, supported: Self.next - 1)) {
            try SQLiteJournal(path: path)
        }
        #expect(try content() == before)
    }

    @Test("An older journal is brought up to date, with what it holds, or not at all")
    func migration() async throws {
        try await leaveOne()
        let broken = Schema(kind: .journal, steps: Schema.current.steps + ["CREATE TABLE later (x TEXT)", "nonsense"])
        #expect(throws: JournalError.self) { try SQLiteJournal(JournalFile(path: path, schema: broken)) }
        #expect(try await SQLiteJournal(path: path).unfinished().count == 1, "a failed migration changes nothing")
        let next = Schema(kind: .journal, steps: Schema.current.steps + ["ALTER TABLE attempt ADD COLUMN note TEXT"])
        #expect(try await SQLiteJournal(JournalFile(path: path, schema: next)).unfinished().count == 1)
        #expect(throws: JournalError.newerVersion(path: path, found: Self.next, supported: Self.next - 1)) {
            try SQLiteJournal(path: path)
        }
    }

    @Test(
        "A row whose subject is none, or a refund of no payment, is damage, and neither a payment nor a refund",
        arguments: [
            "subject = 'gift'", "subject = ''", "subject = 'refund'", "subject = 'Refund of p'",
        ])
    func contradiction(change: String) async throws {
        let request = RefundRequest(
            of: Samples.reference(), amount: try Money(minorUnits: 150, currency: .eur), id: "7")
        let lease = PaymentLease(payment: request.reference, holder: "h", duration: .seconds(60))
        let sample = try Samples.attempt()
        let attempt = PaymentAttempt(
            id: sample.id, reference: request.reference, option: sample.option, idempotencyKey: "k",
            startedAt: Samples.now, expiresAt: nil)
        do {
            let journal = try SQLiteJournal(path: path)
            #expect(try await journal.acquire(lease, at: Samples.now))
            try await journal.open(attempt, under: lease)
            #expect(try await journal.histories(of: request.reference).map(\.attempt) == [attempt])
            for other in [Samples.reference("7"), Samples.reference("refund:7")] {
                #expect(try await journal.histories(of: other).isEmpty)
            }
        }
        do { try Database(path: path).execute("UPDATE attempt SET \(change)") }
        let journal = try SQLiteJournal(path: path)
        await #expect { try await journal.unfinished() } throws: {
            if case JournalError.damaged = $0 { true } else { false }
        }
    }

    @Test("Places where no file can be are refused by name")
    func places() throws {
        try Data().write(to: URL(filePath: folder.file("file")))
        for path in [folder.file("none/journal"), folder.file("file/journal"), folder.path] {
            let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
            guard case .inaccessible(path, _)? = error else { throw try #require(error) }
        }
        #expect(throws: JournalError.self) { try SQLiteJournal(path: path, creating: false) }
        #expect(try folder.names == ["file"])
    }

    @Test("A folder that may not be written is refused", .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnly() async throws {
        try await leaveOne()
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path) }
        #expect(throws: JournalError.self) { try SQLiteJournal(path: folder.file("new")) }
    }

    // MARK: No room

    @Test("When there is no more room, what was written stays, and nothing is half-written")
    func full() async throws {
        var written = 0
        do {
            let journal = try SQLiteJournal(JournalFile(path: path, maximumPages: 20))
            #expect(try await journal.acquire(Samples.lease(), at: Samples.now))
            try await journal.open(try Samples.attempt(), under: Samples.lease())
            let entry = Samples.entry(.stepStarted(name: String(repeating: "x", count: 500), kind: .query))
            let error = await #expect(throws: JournalError.self) {
                for _ in 0..<1000 {
                    try await journal.append(entry, to: try Samples.attempt().id, under: Samples.lease())
                    written += 1
                }
            }
            #expect(error == .full(path: path))
            #expect(try await journal.unfinished().map(\.entries.count) == [written])
        }
        #expect(written > 10)
        #expect(try await SQLiteJournal(path: path).unfinished().map(\.entries.count) == [written])
    }

    @Test("A new file that finds no room is an error, and the next try works")
    func fullAtOnce() throws {
        #expect(throws: JournalError.full(path: path)) { try SQLiteJournal(JournalFile(path: path, maximumPages: 3)) }
        _ = try SQLiteJournal(path: path)
    }

    @Test("Many may make and open the same file at once")
    func together() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<12 {
                group.addTask {
                    let journal = try SQLiteJournal(path: path)
                    let lease = Samples.lease("p\(index)")
                    _ = try await journal.acquire(lease, at: Samples.now)
                    try await journal.open(try Samples.attempt("a\(index)", "p\(index)"), under: lease)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await SQLiteJournal(path: path).unfinished().count == 12)
    }
}
