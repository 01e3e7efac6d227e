import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// Workers beside programs of earlier versions, and with attempts, services and workers that are stuck.
@Suite(
    "Workers and what is stuck",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct WorkerFaultTests {
    private let site: WorkSite
    private var due: String { "\(site.schema).due" }

    init() async throws { site = try await WorkSite() }

    /// The condition of a payment's rows in SQL.
    private func isOf(_ id: String) -> String {
        "payment IN (SELECT payment FROM \(site.schema).attempt WHERE encode(reference, 'escape') = '\(id)')"
    }

    @Test("Attempts that are open when the table of due work is made are due at once")
    func migrated() async throws {
        try await site.leaveOpen(["m1", "m2"])
        // As the tables were before.
        try site.server.run(sql: "DROP TABLE \(due), \(site.schema).delivery")
        try site.server.run(sql: "UPDATE \(site.schema).deployment SET version = 1 WHERE part = 'journals'")
        let store = try await PostgresStore(site.server.configuration(site.schema))
        let payments = try await site.server.rows(sql: "SELECT payment FROM \(site.schema).attempt ORDER BY 1")
        #expect(try await site.server.rows(sql: "SELECT payment FROM \(due) ORDER BY 1") == payments)
        #expect(payments.count == 2)
        store.close()
        let (reports, work) = try await site.work()
        try await eventually { reports.all.sorted() == ["m1", "m2"] }
        await site.end(work)
    }

    @Test("An attempt that a running program of an earlier version opens is found as well")
    func unlisted() async throws {
        let (reports, work) = try await site.work()
        try await site.leaveOpen(["u1"])
        try await eventually { reports.all == ["u1"] }
        // That program knows no such rows.
        let nothing = "\(site.schema).nothing()"
        try site.server.run(
            sql: "CREATE FUNCTION \(nothing) RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql")
        try site.server.run(
            sql: "CREATE TRIGGER older BEFORE INSERT ON \(due) FOR EACH ROW EXECUTE FUNCTION \(nothing)")
        try await site.leaveOpen(["u2"])
        try site.server.run(sql: "DROP TRIGGER older ON \(due)")
        #expect(try await site.server.rows(sql: "SELECT payment FROM \(due)") == ["spendings"])
        // What is done once a minute.
        try site.server.run(sql: "UPDATE \(due) SET look = 0")
        try await eventually { reports.all == ["u1", "u2"] }
        await site.end(work)
    }

    @Test("An attempt that cannot be read, and is the first one at each look, holds up no others")
    func poisoned() async throws {
        try await site.leaveOpen(["bad", "g1", "g2", "g3"])
        let bad = isOf("bad")
        try site.server.run(sql: "UPDATE \(site.schema).attempt SET option = 'x' || option WHERE \(bad)")
        try site.server.run(sql: "UPDATE \(due) SET look = 0 WHERE \(bad)")
        let machine = try await site.machine(DirectTransport(service: site.shop))
        let (reports, failures) = (Reports(), Counter())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(50), claim: .milliseconds(50), width: 1)
        let worker = PostgresWorker(machine.router, machine.journal, as: .careless, rhythm: rhythm) {
            reports.add($0)
        } failed: { _ in
            _ = failures.next()
        }
        let work = Task { await worker.run() }
        try await eventually { reports.all.sorted() == ["g1", "g2", "g3"] && failures.count > 2 }
        try site.server.run(sql: "UPDATE \(site.schema).attempt SET option = substr(option, 2) WHERE \(bad)")
        try await eventually { reports.all.last == "bad" }
        await site.end(work)
        #expect(await site.shop.captures(of: "bad") == 1)
    }

    @Test("A service that never answers for one payment holds up others for the bound, and is asked again later")
    func silent() async throws {
        try await site.leaveOpen(["stuck", "s1", "s2"])
        try site.server.run(sql: "UPDATE \(due) SET look = 0 WHERE \(isOf("stuck"))")
        let transport = StuckTransport(base: DirectTransport(service: site.shop), payment: "stuck")
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100), width: 1, bound: .milliseconds(300))
        let (reports, work) = try await site.work(rhythm, transport: transport)
        // On a slow machine the worker may have asked for it again before it came to the last one.
        try await eventually { Set(reports.all) == ["stuck", "s1", "s2"] }
        #expect(reports.all.first == "stuck")
        // It is asked again later: it stays due.
        #expect(try await site.server.rows(sql: "SELECT 1 FROM \(due) WHERE \(isOf("stuck"))").count == 1)
        work.cancel()
        await work.value
    }

    @Test("A worker that runs on behind the end of its claim and lease writes nothing any more")
    func fenced() async throws {
        try await site.leaveOpen(["f"])
        let slow = SlowTransport(base: DirectTransport(service: site.shop))
        let rhythm = PostgresWorker.Rhythm(longest: .seconds(3600), claim: .milliseconds(200), width: 1)
        let (late, lateWork) = try await site.work(rhythm, transport: slow)
        try await eventually { slow.count > 0 }
        let (reports, work) = try await site.work()
        try await eventually { reports.all == ["f"] }
        #expect(late.all.isEmpty)
        let journal = try await site.machine(slow).journal
        let ended = try await journal.histories(of: WorkSite.payment("f"))
        #expect(ended.map(\.state) == [.paid])
        slow.open.finish(())
        await site.end(lateWork)
        await site.end(work)
        #expect(try await journal.histories(of: WorkSite.payment("f")) == ended)
        #expect(await site.shop.captures(of: "f") == 1)
        #expect(try await site.server.rows(sql: "SELECT 1 FROM \(due) WHERE payment <> 'spendings'").isEmpty)
    }
}

/// A network with one payment that the service never answers about.
private struct StuckTransport: HTTPTransport {
    let base: any HTTPTransport
    let payment: String
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if request.url.path.contains(payment) { await OneShot<Void>().value() }
        return try await base.send(request)
    }
}
