import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PaymentStore

@Suite("Writes that wait for the disk together")
struct GroupCommitTests {
    private let folder = ScratchFolder()

    private struct Refused: Error {}

    /// A table of numbers on a disk that records syncs.
    private func database() throws -> Database {
        try #require(FailingDisk.watch(folder))
        let database = try JournalFile(path: folder.file("journal")).open("x")
        try database.execute("PRAGMA synchronous = FULL; CREATE TABLE note (number INTEGER, text TEXT)")
        return database
    }

    private func syncs() -> Int {
        FailingDisk.log(of: folder).events.count { if case .sync = $0 { true } else { false } }
    }

    /// Writes these numbers concurrently; the write of a negative one is refused after it was made.
    private func write(_ numbers: [Int64], length: Int = 10, _ database: Database) -> [GroupCommit.Answer] {
        let group = GroupCommit(database)
        var answers: [GroupCommit.Answer] = []
        for (index, number) in numbers.enumerated() {
            let isFirst = group.add(
                { () throws(JournalError) in
                    try database.run(
                        "INSERT INTO note VALUES (?1, ?2)",
                        [.integer(number), .text(String(repeating: "x", count: length))])
                    if number < 0 { throw .unknownAttempt(AttemptID(rawValue: "\(number)")) }
                }, { answers.append($0) })
            #expect(isFirst == (index == 0))
        }
        group.commit()
        group.commit()
        return answers
    }

    private func stored(_ database: Database) throws -> [Int64] {
        try database.numbers("SELECT number FROM note ORDER BY number")
    }

    private func isStored(_ answer: GroupCommit.Answer) -> Bool { if case .success = answer { true } else { false } }

    @Test("Many writes are synced once, and all of them are on the disk then")
    func once() throws {
        let database = try database()
        let before = syncs()
        let answers = write(Array(0..<64), database)
        #expect(answers.count == 64 && answers.allSatisfy(isStored))
        #expect(syncs() - before == 1)
        let rest = try FailingDisk.afterPowerFailure(of: folder)
        #expect(try stored(Database(path: rest.file("journal"))) == Array(0..<64))
    }

    @Test("A write that is refused leaves nothing, and the others take effect")
    func refusal() throws {
        let database = try database()
        let answers = write([1, -2, 3, -4], database)
        #expect(answers.map(isStored) == [true, false, true, false])
        guard case .failure(.unknownAttempt(AttemptID(rawValue: "-4"))) = answers[3] else { throw Refused() }
        #expect(try stored(database) == [1, 3])
    }

    @Test("Where there is no room for all, each has its own answer, and it is true", arguments: 1..<24)
    func noRoom(room: Int) throws {
        let database = try database()
        FailingDisk.leaveRoom(room, in: folder)
        let answers = write(Array(0..<6), length: 9000, database)
        FailingDisk.leaveRoom(nil, in: folder)
        #expect(answers.count == 6)
        let kept = (0..<6).filter { isStored(answers[$0]) }
        #expect(try stored(database) == kept.map(Int64.init))
        #expect(room > 2 || kept.isEmpty)
    }

    @Test("While another program writes for too long, all callers get an error after one wait")
    func locked() throws {
        let database = try database()
        let other = try Database(path: folder.file("journal"))
        let impatient = try Database(path: folder.file("journal"), timeout: .milliseconds(20))
        try other.execute("BEGIN IMMEDIATE")
        let answers = write(Array(0..<200), impatient)
        for answer in answers {
            guard case .failure(.locked) = answer else { throw Refused() }
        }
        try other.execute("ROLLBACK")
        #expect(try stored(database).isEmpty)
    }

    @Test("An entry that was written at the same time as others is on the disk when its writer continues")
    func promises() async throws {
        try #require(FailingDisk.watch(folder))
        let journal = try SQLiteJournal(path: folder.file("journal"))
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let (lease, attempt) = (
                        Samples.lease("p\(number)"), try Samples.attempt("a\(number)", "p\(number)")
                    )
                    #expect(try await journal.acquire(lease, at: Samples.now))
                    try await journal.open(attempt, under: lease)
                    let start = Samples.entry(.stepStarted(name: "pay", kind: .mutation(replay: .never)))
                    try await journal.append(start, to: attempt.id, under: lease)
                    guard number % 8 == 0 else { return }
                    let rest = try FailingDisk.afterPowerFailure(of: folder)
                    let left = try SQLiteJournal(path: rest.file("journal"), creating: false)
                    #expect(try await left.history(of: attempt.id)?.entries == [start])
                }
            }
        }
        #expect(try await journal.unfinished().count == 40)
    }
}
