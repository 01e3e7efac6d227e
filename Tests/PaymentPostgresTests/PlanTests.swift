import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// The ways in which the server finds rows. `PAYROUTE_POSTGRES_ATTEMPTS` is the number of ended attempts; a tenth as
/// many are open.
@Suite("The plans of queries", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct PlanTests {
    private static let attempts =
        ProcessInfo.processInfo.environment["PAYROUTE_POSTGRES_ATTEMPTS"].flatMap { Int($0) } ?? 20_000

    @Test("Every query of journal and workers finds its rows by an index")
    func plans() async throws {
        let server = try PostgresServer(options: ["session_preload_libraries = 'auto_explain'", "max_wal_size = '4GB'"])
        let site = WorkSite(server)
        try await pay(["paid"], at: site)
        try await site.leaveOpen(["left"])
        try server.fill(site.schema, from: 0, to: Self.attempts)
        try fillDeliveries(server, site.schema)
        // Some are due now, and the others later.
        let first = "SELECT payment FROM \(site.schema).attempt WHERE NOT finished ORDER BY number LIMIT 17"
        try server.run(sql: "UPDATE \(site.schema).due SET look = 1e10 WHERE payment NOT IN (\(first))")
        try server.run(sql: "ALTER SYSTEM SET auto_explain.log_min_duration = 0")
        try server.run(sql: "SELECT pg_reload_conf()")

        // Plans of a statement become general when it was used some times.
        try await pay((0..<8).map { "plan\($0)" }, at: site)
        try await read(site)
        let some = PostgresServer.openPayments(16)
        for id in some { await site.shop.createPayment(id, .paidAtOnce, cents: 1000) }
        let (reports, work) = try await site.work(PostgresWorker.Rhythm(longest: .milliseconds(200)))
        try await eventually { Set(reports.all).isSuperset(of: some) }
        try await site.leaveOpen(["planned"])
        await site.end(work)
        try await deliver(site)

        let log = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
        let plans = log.components(separatedBy: "Query Text: ").dropFirst()
        let texts = [
            "FOR UPDATE OF due SKIP LOCKED", "SELECT min(look)", "AS open WHERE NOT finished", "pg_notify",
            "AND attempt IS NULL\n", "AND attempt IS NOT NULL\n", ") AS waiting", "AS waiting WHERE", "AS page",
            "WITH removed",
        ]
        for text in texts { #expect(plans.contains { $0.contains(text) }, "\(text) was used") }
        let tables = ["attempt", "entry", "due", "lease", "delivery"]
        for plan in plans where tables.contains(where: { plan.contains("Seq Scan on \($0)") }) {
            // All open attempts are compared with their rows once a minute.
            let isOfAll = plan.contains("AS open WHERE NOT finished")
            #expect(isOfAll, "\(plan.prefix(2000))")
            #expect(!plan.contains("Seq Scan on attempt"), "ended attempts are not read: \(plan.prefix(2000))")
            #expect(!plan.contains("SubPlan"), "each is compared once: \(plan.prefix(2000))")
        }
        print("\(plans.count) plans over \(Self.attempts) ended attempts")
    }

    /// Adds ends and notifications that are due later.
    private func fillDeliveries(_ server: PostgresServer, _ schema: String) throws {
        try server.run(
            sql: """
                INSERT INTO \(schema).delivery (attempt, look) SELECT number, 1e10 FROM \(schema).attempt
                    WHERE finished AND number % 2 = 0;
                INSERT INTO \(schema).delivery (digest, payment, about, provider, headers, body, look)
                    SELECT n, n, '["shop","payment","p"]', ('p' || n % 100)::bytea, 'h', repeat(n::text, 100)::bytea, 1e10
                    FROM generate_series(1, \(Self.attempts)) n;
                """)
        try server.run(sql: "VACUUM ANALYZE \(schema).delivery")
    }

    /// Passes on ends and notifications, and refuses some.
    private func deliver(_ site: WorkSite) async throws {
        let machine = try await site.machine(
            DirectTransport(service: site.shop), providers: [ShopProvider(clock: WrongClock(ahead: 1e6))])
        let door = try await site.machine(DirectTransport(service: site.shop))
        for number in 0..<8 {
            let body: JSONValue = ["id": .string("n\(number)"), "status": "paid"]
            try await door.journal.keep(
                ShopSignature.notification(body, at: Date()), from: ShopProvider.id, checkedBy: door.router)
        }
        let (ends, failures) = (Counter(), Counter())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(200), width: 1)
        let worker = PostgresWorker(machine.router, machine.journal, rhythm: rhythm) { _ in
        } failed: { _ in
            _ = failures.next()
        } ended: { _ in
            _ = ends.next()
        } notified: { _ in
        }
        let work = Task { await worker.run() }
        try await eventually { failures.count == 8 && ends.count >= 8 }
        await site.end(work)
    }

    private func pay(_ ids: [String], at site: WorkSite) async throws {
        let transport = DirectTransport(service: site.shop)
        let router = try await site.machine(transport, reportsEnds: true).router
        for id in ids {
            await site.shop.createPayment(id, .paidAtOnce, cents: 1000)
            _ = try await router.pay(WorkSite.link(id), as: .careless, acceptingUnverified: true)
        }
    }

    private func read(_ site: WorkSite) async throws {
        let journal = try await site.machine(DirectTransport(service: site.shop)).journal
        let some = try await journal.attempts(AttemptQuery(limit: 20))
        for history in some.histories {
            _ = try await journal.history(of: history.attempt.id)
            _ = try await journal.histories(of: history.attempt.reference)
        }
        _ = try await journal.refunds(
            relatedTo: PaymentReference(provider: ShopProvider.id, id: "r", subject: .refund(of: "p")))
        for state in [nil, AttemptQuery.State.unfinished, .paid, .unpaid] {
            _ = try await journal.attempts(
                AttemptQuery(provider: ShopProvider.id, state: state, order: .oldestFirst, limit: 20))
        }
        _ = try await journal.attempts(AttemptQuery(limit: 20, after: some.next))
        let open = try await journal.unfinished()
        #expect(open.count == Self.attempts / 10 + 1)
        #expect(Set(open.map(\.attempt.id)).count == open.count)
        #expect(open.first?.attempt.reference.id == "left")
        _ = try await journal.reservedSpendings()
        _ = try await journal.spendings(since: SpendingDay(Date(), in: .gmt))
        _ = try await journal.prune(endedBefore: .distantPast, keepingProofsSince: .distantPast)
    }
}
