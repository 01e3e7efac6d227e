import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentStore
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// Payments by several workers, and over large tables. `PAYROUTE_POSTGRES_SCALE` is the number of ended attempts; a
/// tenth as many are open. The figures are printed.
@Suite(
    "Large tables", .serialized,
    .enabled(
        if: PostgresServer.isThere && Scale.attempts != nil,
        "PAYROUTE_POSTGRES_SCALE is the number of attempts, such as 1000000"))
struct ScaleTests {
    @Test("Payments by one to eight workers, beside those over a file")
    func workers() async throws {
        let site = WorkSite(try PostgresServer(options: ["max_connections = 120"]))
        for count in [1, 2, 4, 8] {
            var journals: [any PaymentJournal] = []
            for _ in 0..<count { journals.append(try await site.machine(DirectTransport(service: site.shop)).journal) }
            let rate = try await Scale.pay(site.shop, "w\(count)", journals)
            print("PostgreSQL, \(count) workers: \(rate)")
        }
        let folder = ScratchFolder()
        for count in [1, 2, 4, 8] {
            let journals = try (0..<count).map { _ in try SQLiteJournal(path: folder.file("journal\(count)")) }
            let rate = try await Scale.pay(site.shop, "s\(count)", journals)
            print("SQLite, \(count) workers: \(rate)")
        }
    }

    @Test("Every query finds its rows by an index, and the cost of a payment stays")
    func tables() async throws {
        let most = try #require(Scale.attempts)
        let server = try PostgresServer(options: [
            "session_preload_libraries = 'auto_explain'", "max_wal_size = '4GB'", "maintenance_work_mem = '256MB'",
        ])
        let site = WorkSite(server)
        let machine = try await site.machine(DirectTransport(service: site.shop))
        // One of each kind, which is then repeated.
        _ = try await Scale.pay(site.shop, "ended", [machine.journal], each: 1)
        try await site.leaveOpen(["open"])
        var held = 0
        for count in [10_000, most / 10, most] where count > held && count <= most {
            try Scale.fill(server, site.schema, from: held, to: count)
            held = count
            let rate = try await Scale.pay(site.shop, "t\(count)", [machine.journal])
            print("one worker over \(count) ended attempts, \(count / 10) open: \(rate)")
        }
        for table in ["attempt", "entry", "due", "lease"] {
            let size = "pg_size_pretty(pg_table_size(c)) || ' and indexes ' || pg_size_pretty(pg_indexes_size(c))"
            let text = try await server.rows(
                sql: "SELECT \(size) FROM (SELECT '\(site.schema).\(table)'::regclass c) t")
            print("table \(table): \(text.first ?? "")")
        }
        let start = ContinuousClock.now
        let open = try await machine.journal.unfinished()
        print("\(open.count) open attempts read in \((ContinuousClock.now - start) / .seconds(1)) s")
        try await recover(site)
        #expect(try await plans(site, machine).isEmpty)
    }

    /// Lets four workers settle some of the open attempts.
    private func recover(_ site: WorkSite) async throws {
        for number in 0..<2000 { await site.shop.createPayment("x\(number)", .paidAtOnce, cents: 1000) }
        let first = "SELECT payment FROM \(site.schema).attempt WHERE NOT finished ORDER BY number LIMIT 2001"
        let later = "look = extract(epoch FROM now()) - 978307200 + 1e6"
        try site.server.run(sql: "UPDATE \(site.schema).due SET \(later) WHERE payment NOT IN (\(first))")
        let due = "SELECT 1 FROM \(site.schema).due WHERE look < extract(epoch FROM now()) - 978307200 + 1e5"
        let count = try await site.server.rows(sql: due).count
        let start = ContinuousClock.now
        var works: [Task<Void, Never>] = []
        for _ in 0..<4 { works.append(try await site.work(PostgresWorker.Rhythm(longest: .seconds(1))).1) }
        while try await site.server.rows(sql: due).count > 1 { try await Task.sleep(for: .milliseconds(200)) }
        print("\(count) attempts settled by four workers in \((ContinuousClock.now - start) / .seconds(1)) s")
        for work in works { await site.end(work) }
    }

    /// Uses every query, and returns the plans that read a whole table.
    private func plans(_ site: WorkSite, _ machine: WorkSite.Machine) async throws -> [String] {
        let server = site.server
        try server.run(sql: "ALTER SYSTEM SET auto_explain.log_min_duration = 0")
        try server.run(sql: "SELECT pg_reload_conf()")
        let journal = try await site.machine(DirectTransport(service: site.shop)).journal
        _ = try await Scale.pay(site.shop, "plan", [journal], each: 8)
        let some = try await journal.attempts(AttemptQuery(limit: 20))
        for history in some.histories {
            _ = try await journal.history(of: history.attempt.id)
            _ = try await journal.histories(of: history.attempt.reference)
        }
        let day = SpendingDay(Date(), in: .gmt)
        for state in [nil, AttemptQuery.State.unfinished, .paid, .unpaid] {
            _ = try await journal.attempts(
                AttemptQuery(provider: ShopProvider.id, state: state, order: .oldestFirst, limit: 20))
        }
        _ = try await journal.attempts(AttemptQuery(limit: 20, after: some.next))
        _ = try await journal.reservedSpendings()
        _ = try await journal.spendings(since: day)
        _ = try await journal.prune(endedBefore: .distantPast, keepingProofsSince: .distantPast)
        let (reports, work) = try await site.work(PostgresWorker.Rhythm(longest: .milliseconds(200)))
        try await site.leaveOpen(["planned"])
        try await eventually { reports.all.contains("planned") }
        await site.end(work)
        let log = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
        let large = ["attempt", "entry", "due", "lease"]
        // A worker that begins compares all open attempts with their rows.
        let plans = log.components(separatedBy: "Query Text: ").dropFirst().filter { !$0.contains("look) SELECT") }
        print("\(plans.count) plans")
        return plans.filter { plan in large.contains { plan.contains("Seq Scan on \($0)") } }
    }
}

/// Payments at the simulated shop, many of them.
private enum Scale {
    static let attempts = ProcessInfo.processInfo.environment["PAYROUTE_POSTGRES_SCALE"].flatMap { Int($0) }

    /// Pays by routers over these journals at the same time, four payments each, and says how fast.
    static func pay(
        _ shop: ShopService, _ name: String, _ journals: [any PaymentJournal], each count: Int = 200
    ) async throws -> String {
        for worker in journals.indices {
            for number in 0..<count {
                await shop.createPayment("\(name)x\(worker)x\(number)", .paidAtOnce, cents: 1000)
            }
        }
        let start = ContinuousClock.now
        let sorted = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (worker, journal) in journals.enumerated() {
                let router = PaymentRouter(
                    registry: try ProviderRegistry([ShopProvider(clock: SystemPaymentClock())]),
                    transport: DirectTransport(service: shop), journal: journal)
                for lane in 0..<4 {
                    group.addTask {
                        let ids = stride(from: lane, to: count, by: 4).map { "\(name)x\(worker)x\($0)" }
                        return try await pay(ids, router)
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let rate = Double(sorted.count) / ((ContinuousClock.now - start) / .seconds(1))
        func place(_ part: Int) -> Int { Int(sorted[sorted.count * part / 100]) }
        return "\(Int(rate)) payments/s, median \(place(50)) ms, p99 \(place(99)) ms"
    }

    /// Pays one after the other.
    ///
    /// - Returns: the milliseconds of each.
    private static func pay(_ ids: [String], _ router: PaymentRouter) async throws -> [Double] {
        var times: [Double] = []
        for id in ids {
            let begun = ContinuousClock.now
            let outcome = try await router.pay(WorkSite.link(id), as: .careless, acceptingUnverified: true)
            guard case .succeeded = outcome else { throw PaymentError(.serviceFailure, "\(outcome)") }
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
        }
        return times
    }

    /// Repeats the first ended attempt and, a tenth as often, the first open one.
    static func fill(_ server: PostgresServer, _ schema: String, from: Int, to: Int) throws {
        for (isEnded, first, last) in [(true, from, to), (false, from / 10, to / 10)] {
            let letter = isEnded ? "e" : "x"
            let old = "(SELECT min(number) FROM \(schema).attempt WHERE finished = \(isEnded))"
            let id = "convert_to('\(letter)' || n, 'UTF8')"
            let parts = ["provider", "subject", id].map { "int8send(length(\($0))::bigint) || \($0)" }
            let key = parts.joined(separator: " || ")
            try server.run(
                sql: """
                    INSERT INTO \(schema).attempt (id, payment, provider, subject, reference, option, key, started,
                        write, finished, ended, paid, moved)
                    SELECT \(id), encode(sha256(\(key)), 'hex'), provider, subject, \(id), option, key, started + n,
                        write, finished, ended + n, paid, moved
                    FROM (SELECT * FROM \(schema).attempt WHERE number = \(old)) o,
                        generate_series(\(first), \(last - 1)) n;
                    INSERT INTO \(schema).entry (attempt, position, date, event, name, detail, seal, erased, write)
                    SELECT a.number, e.position, e.date, e.event, e.name, e.detail, e.seal, e.erased, e.write
                    FROM (SELECT * FROM \(schema).entry WHERE attempt = \(old)) e,
                        (SELECT \(id) AS id FROM generate_series(\(first), \(last - 1)) n) i
                        JOIN \(schema).attempt a USING (id)
                    """)
        }
        try server.run(
            sql: """
                INSERT INTO \(schema).due (payment, look) SELECT payment, 0 FROM \(schema).attempt WHERE NOT finished
                ON CONFLICT DO NOTHING
                """)
        try server.run(sql: "VACUUM ANALYZE")
    }
}
