import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PostgresServing
import Testing

/// A server behind a proxy that loses what is said about commits.
@Suite(
    "An answer to a commit that is lost", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct LostAnswerTests {
    /// The place of the loss.
    enum Loss: CaseIterable {
        /// The commit arrives; its answer does not.
        case answer
        /// The commit does not arrive.
        case request
    }

    private let proxy: CuttingProxy
    private let store: PostgresStore
    private let journal: PostgresJournal
    private let deliveries: @Sendable () async throws -> [String]
    private let finished: @Sendable () async throws -> [String]

    private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private static let lease = PaymentLease(
        payment: PaymentReference(provider: "acme", id: "p"), holder: "h", duration: .seconds(60))

    init() async throws {
        let server = try await PostgresServer.shared()
        let configuration: PostgresConfiguration
        (proxy, configuration) = try server.proxied(timeout: .seconds(8))
        store = try await PostgresStore(configuration)
        journal = PostgresJournal(store, reportsEnds: true)
        deliveries = { try await server.rows(sql: "SELECT attempt FROM \(configuration.schema).delivery") }
        finished = { try await server.rows(sql: "SELECT finished FROM \(configuration.schema).attempt") }
    }

    /// Loses the next commit, or its answer, as many times.
    private func losing(_ loss: Loss, _ times: Int = 1, _ body: () async throws -> Void) async throws {
        let counter = Counter()
        proxy.decide { toServer, packet in
            guard toServer, packet.contains("COMMIT\u{0}"), counter.next() <= times else { return .passes }
            return loss == .answer ? .arrivesLast : .isLost
        }
        try await body()
        proxy.decide { _, _ in .passes }
        // What has arrived is found, and not committed again.
        #expect(counter.count == (loss == .answer ? 1 : times + 1), "lost \(counter.count) of \(times)")
    }

    @Test("An attempt and its entries are stored once", arguments: Loss.allCases)
    func attempts(loss: Loss) async throws {
        #expect(try await journal.acquire(Self.lease, at: Self.start))
        let attempt = try PaymentAttempt(at: Self.lease.payment, from: Self.start)
        try await losing(loss) { try await journal.open(attempt, under: Self.lease) }
        #expect(try await journal.history(of: attempt.id) == AttemptHistory(attempt: attempt))
        let events: [JournalEntry.Event] = [
            .stepStarted(name: "move", kind: .mutation(replay: .never)), .stepFinished(name: "move", result: "ok"),
            .outcome(.pending(retryAfter: nil)), .abandoned(reason: "enough"),
        ]
        let entries = events.map { JournalEntry(date: Self.start, event: $0) }
        for entry in entries {
            try await losing(loss, 2) { try await journal.append(entry, to: attempt.id, under: Self.lease) }
        }
        #expect(try await journal.history(of: attempt.id)?.entries == entries)
        #expect(try await deliveries() == ["1"], "one row of its end")
        // Another write of the same content is another entry's, and refused by the rules.
        await #expect(throws: JournalError.duplicateAttempt(attempt.id)) {
            try await journal.open(attempt, under: Self.lease)
        }
        await #expect(throws: JournalError.finishedAttempt(attempt.id)) {
            try await journal.append(entries[3], to: attempt.id, under: Self.lease)
        }
    }

    @Test("An end and its row are written together, or not at all")
    func ends() async throws {
        #expect(try await journal.acquire(Self.lease, at: Self.start))
        let attempt = try PaymentAttempt(at: Self.lease.payment, from: Self.start)
        try await journal.open(attempt, under: Self.lease)
        // As where the machine fails before the commit.
        proxy.decide { toServer, packet in toServer && packet.contains("COMMIT\u{0}") ? .isLost : .passes }
        let end = JournalEntry(date: Self.start, event: .abandoned(reason: "enough"))
        await #expect(throws: JournalError.self) {
            try await journal.append(end, to: attempt.id, under: Self.lease)
        }
        #expect(try await finished() == ["f"])
        #expect(try await deliveries().isEmpty)
        proxy.decide { _, _ in .passes }
        try await journal.append(end, to: attempt.id, under: Self.lease)
        #expect(try await finished() == ["t"])
        #expect(try await deliveries() == ["1"])
    }

    @Test("A spending is reserved, paid and released once", arguments: Loss.allCases)
    func spendings(loss: Loss) async throws {
        let limits = [SpendingLimit(try Money(minorUnits: 100, currency: .eur), per: .day)]
        func spending(_ id: String) throws -> Spending {
            Spending(
                attempt: AttemptID(rawValue: id), payment: PaymentReference(provider: "acme", id: id),
                amounts: [try Money(minorUnits: 60, currency: .eur)], day: SpendingDay(number: 20_520), payee: nil,
                method: nil)
        }
        let (paid, released) = (try spending("paid"), try spending("released"))
        for spending in [released, paid] {
            var verdict: SpendingVerdict?
            try await losing(loss) { verdict = try await journal.reserve(spending, within: limits) }
            #expect(verdict == .granted)
            if spending == released { try await losing(loss) { try await journal.release(released.attempt) } }
        }
        try await losing(loss) { try await journal.commit(paid.attempt) }
        #expect(try await journal.spendings(since: paid.day).map(\.state) == [.released, .paid])
    }
}
