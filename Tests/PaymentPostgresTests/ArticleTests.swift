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
        let records = try await PostgresRecords(store)
        let router = PaymentRouter(registry: try ProviderRegistry([]), transport: NoTransport(), journal: journal)
        let work = Task {
            let worker = PostgresWorker(router, journal) { report in print(report) }
            await worker.run()
        }
        work.cancel()
        await work.value
        #expect(try await journal.attempts(AttemptQuery()).histories.isEmpty)
        try await passOn(router, store)
        #expect(try await RecurringPlans(records).all().isEmpty)
        store.close()
        await #expect(throws: JournalError.self) { try await journal.unfinished() }
    }

    private func passOn(_ router: PaymentRouter, _ store: PostgresStore) async throws {
        let shop = Orders()
        let journal = PostgresJournal(store, reportsEnds: true)
        let worker = PostgresWorker(router, journal) { report in
            print(report)
        } failed: { error in
            print(error)
        } ended: { history in
            try await shop.release(history)
        } notified: { notification in
            try await shop.note(notification.reference, notification.outcome)
        }
        let work = Task { await worker.run() }
        let notification = IncomingNotification(headers: [:], body: [])
        do {
            try await journal.keep(notification, from: "acme", checkedBy: router)
            Issue.record("no provider is registered")
        } catch let error as PaymentError {
            #expect(error.code == .unroutable)
        }
        work.cancel()
        await work.value
    }

    private struct Orders {
        func release(_ history: AttemptHistory) async throws {}
        func note(_ payment: PaymentReference, _ outcome: PaymentOutcome) async throws {}
    }

    private struct NoTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            throw TransportError(.notSent, .hostNotFound, origin: "none")
        }
    }
}
