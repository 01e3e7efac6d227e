import PaymentCore
import PaymentPostgres
import PaymentRecurring
import PaymentRouting
import PostgresServing
import Testing

@Suite("The article's code", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct ArticleTests {
    @Test("Opens a database by its address")
    func opening() async throws {
        let server = try PostgresServer()
        let address = Redacted("postgresql:///postgres?host=\(server.folder)&user=payer")
        let store = try await PostgresStore(PostgresConfiguration(url: address))
        let journal = PostgresJournal(store)
        let plans = PostgresRecurringJournal(store)
        #expect(try await journal.attempts(AttemptQuery()).histories.isEmpty)
        #expect(try await plans.plans().isEmpty)
        store.close()
        await #expect(throws: JournalError.self) { try await journal.unfinished() }
    }
}
