import Foundation
import PaymentPostgres
import PaymentTesting
import PostgresServing
import Testing

@Suite(
    "The journals in PostgreSQL keep the contract",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct ConformanceTests {
    /// A store in a new schema. The conformance plays hours in a moment: the callers' clock counts.
    private static func store(
        _ server: PostgresServer, _ schema: String = PostgresServer.newSchema()
    ) async throws -> PostgresStore {
        try await PostgresStore(server.configuration(schema), clock: .caller)
    }

    private static func journals(_ server: PostgresServer) -> JournalSubject {
        JournalSubject("PostgresJournal") {
            let store = try await store(server)
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
        "A journal of three machines behind PgBouncer in transaction mode, which shares sessions among them",
        .enabled(if: PgBouncer.isThere, Comment(rawValue: PgBouncer.need)))
    func pooled() async throws {
        let pooler = try await PgBouncer(before: PostgresServer.shared())
        defer { pooler.stop() }
        let report = await JournalConformance.check(
            JournalSubject("pooled") {
                let schema = PostgresServer.newSchema()
                // Each of them prepares its statements in sessions that the others are given next.
                var stores: [PostgresStore] = []
                for _ in 0..<3 { stores.append(try await PostgresStore(pooler.configuration(schema), clock: .caller)) }
                let journals = stores.map { PostgresJournal($0) }
                return JournalSubject.Storage(
                    journals[0], reopen: { journals[1] }, losePower: { journals[2] })
            })
        #expect(report.isPassed && report.skipped.isEmpty, "\(report)")
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
}
