import Foundation
import PaymentPostgres
import PaymentRecurring
import PaymentRecurringTesting
import PaymentTesting
import PostgresServing
import Testing

@Suite(
    "The journals in PostgreSQL keep the contract",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct ConformanceTests {
    /// A store in a new schema. The conformance plays hours in a moment: the callers' clock counts.
    private static func store(
        _ server: PostgresServer, _ schema: String = PostgresServer.newSchema(), reusesStatements: Bool = true
    ) async throws -> PostgresStore {
        var configuration = server.configuration(schema)
        configuration.reusesStatements = reusesStatements
        return try await PostgresStore(configuration, clock: .caller)
    }

    private static func journals(_ server: PostgresServer, reusesStatements: Bool = true) -> JournalSubject {
        JournalSubject("PostgresJournal") {
            let store = try await store(server, reusesStatements: reusesStatements)
            return JournalSubject.Storage(
                PostgresJournal(store),
                reopen: { PostgresJournal(try await Self.store(server, store.schema)) },
                losePower: {
                    server.stop()
                    try server.start()
                    return PostgresJournal(try await Self.store(server, store.schema))
                })
        }
    }

    @Test("A journal, with a server that loses power")
    func journal() async throws {
        let server = try PostgresServer()
        let report = await JournalConformance.check(Self.journals(server))
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test(
        "A journal behind a pooler that keeps no prepared statements",
        .enabled(if: PostgresServer.isLong, Comment(rawValue: PostgresServer.long)))
    func unprepared() async throws {
        let server = try await PostgresServer.shared()
        let report = await JournalConformance.check(
            JournalSubject("unprepared") {
                JournalSubject.Storage(PostgresJournal(try await Self.store(server, reusesStatements: false)))
            })
        #expect(report.isPassed, "\(report)")
    }

    @Test("What is spent without a question, with a server that loses power")
    func spendings() async throws {
        let server = try PostgresServer()
        let report = await SpendingConformance.check(
            SpendingSubject("PostgresJournal") {
                let store = try await Self.store(server)
                return SpendingSubject.Storage(
                    PostgresJournal(store), reopen: { PostgresJournal(try await Self.store(server, store.schema)) },
                    losePower: {
                        server.stop()
                        try server.start()
                        return PostgresJournal(try await Self.store(server, store.schema))
                    })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }

    @Test("A journal of plans")
    func plans() async throws {
        let server = try await PostgresServer.shared()
        let report = await RecurringConformance.check(
            RecurringSubject("PostgresRecurringJournal") {
                let store = try await Self.store(server)
                return RecurringSubject.Storage(
                    PostgresRecurringJournal(store),
                    reopen: { PostgresRecurringJournal(try await Self.store(server, store.schema)) })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
    }
}
