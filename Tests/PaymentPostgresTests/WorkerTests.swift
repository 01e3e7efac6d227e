import Foundation
import PaymentCore
import PaymentRecurring
import PaymentRouting
import PaymentStore
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

@testable import PaymentPostgres

@Suite(
    "Workers share open attempts",
    .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct WorkerTests {
    private let site: WorkSite

    init() async throws { site = try await WorkSite() }

    @Test("Two workers settle each open attempt once")
    func sharing() async throws {
        let ids = (0..<12).map { "a\($0)" }
        try await site.leaveOpen(ids)
        let reports = Reports()
        let workers = try await withThrowingTaskGroup(of: WorkSite.Machine.self) { group in
            for _ in 0..<2 { group.addTask { try await site.machine(DirectTransport(service: site.shop)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let tasks = workers.map { machine in
            Task { await PostgresWorker(machine.router, machine.journal, as: .careless) { reports.add($0) }.run() }
        }
        let journal = workers[0].journal
        try await eventually { try await journal.unfinished().isEmpty }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        for id in ids { #expect(await site.shop.captures(of: id) == 1) }
        #expect(reports.all.sorted() == ids.sorted(), "one look each")
    }

    @Test(
        "An attempt of a payer that is gone is taken over when its lease ends by the server's clock, and not before",
        arguments: [0, 120, -120])
    func takeover(ahead: Double) async throws {
        let reached = OneShot<Void>()
        let transport = BrokenTransport(base: DirectTransport(service: site.shop), hangs: true) { reached.finish(()) }
        let gone = try await site.machine(transport, lease: .seconds(3))
        await site.shop.createPayment("t", .paidAtOnce, cents: 1000)
        let payment = Task { try await gone.router.pay(WorkSite.link("t"), as: .careless, acceptingUnverified: true) }
        await reached.value()
        let start = ContinuousClock.now
        let worker = try await site.machine(
            DirectTransport(service: site.shop), lease: .seconds(3), clock: WrongClock(ahead: ahead))
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100))
        let reports = Reports()
        let work = Task {
            await PostgresWorker(worker.router, worker.journal, as: .careless, rhythm: rhythm) { reports.add($0) }.run()
        }
        try await eventually { !reports.all.isEmpty }
        let waited = ContinuousClock.now - start
        #expect(waited > .milliseconds(2500), "taken over after \(waited)")
        // A charge that seems to be of the future is not sent again: its status is asked for.
        #expect(await site.shop.captures(of: "t") == (ahead < 0 ? 0 : 1), "\(reports.texts)")
        work.cancel()
        payment.cancel()
        await work.value
    }

    @Test("The claim of a worker that is gone ends, and not before")
    func claims() async throws {
        try await site.leaveOpen(["c"])
        let now = "extract(epoch FROM now()) - 978307200"
        try site.server.run(sql: "UPDATE \(site.schema).due SET worker = 'gone', look = \(now) + 2")
        let start = ContinuousClock.now
        let (reports, work) = try await site.work()
        try await eventually { !reports.all.isEmpty }
        let waited = ContinuousClock.now - start
        #expect(waited > .milliseconds(1800), "taken over after \(waited)")
        await site.end(work)
    }

    @Test("An attempt that is released wakes a worker before its next look")
    func woken() async throws {
        let (reports, work) = try await site.work(PostgresWorker.Rhythm(longest: .seconds(3600)))
        let listeners = "SELECT pid FROM pg_stat_activity WHERE query = 'LISTEN \(site.channel)'"
        try await eventually { try await site.server.rows(sql: listeners).count == 1 }
        let listener = try await site.server.rows(sql: listeners)
        try await site.leaveOpen(["w1"])
        try await eventually { reports.all == ["w1"] }
        try await site.leaveOpen(["w2"])
        try await eventually { reports.all == ["w1", "w2"] }
        #expect(try await site.server.rows(sql: listeners) == listener, "it listens on one connection")
        await site.end(work)
    }

    /// The ways in which no notification arrives.
    enum Silence: CaseIterable {
        case noListening
        /// As behind a pooler in transaction mode, or a cable that was cut: the connection seems to be open.
        case lostNotifications
    }

    @Test("Without notifications due attempts are found by looking", arguments: Silence.allCases)
    func polling(silence: Silence) async throws {
        let (proxy, configuration) = try site.proxied()
        proxy.decide { [channel = site.channel] toServer, packet in
            switch silence {
            case .noListening: toServer && packet.contains("LISTEN") ? .isLost : .passes
            case .lostNotifications: !toServer && packet.contains(channel) ? .vanishes : .passes
            }
        }
        let (reports, work) = try await site.work(PostgresWorker.Rhythm(longest: .milliseconds(200)), configuration)
        try await site.leaveOpen(["p"])
        try await eventually { reports.all == ["p"] }
        await site.end(work)
    }

    @Test("A connection for notifications that is lost is opened again")
    func listening() async throws {
        let (reports, work) = try await site.work(PostgresWorker.Rhythm(longest: .seconds(3600)))
        for id in ["l1", "l2", "l3"] {
            let listener = "FROM pg_stat_activity WHERE query = 'LISTEN \(site.channel)'"
            try await eventually { try await site.server.rows(sql: "SELECT pid \(listener)").count == 1 }
            try await site.leaveOpen([id])
            try await eventually { reports.all.last == id }
            try site.server.run(sql: "SELECT pg_terminate_backend(pid) \(listener)")
        }
        await site.end(work)
    }

    @Test("Many notifications are few looks")
    func flood() async throws {
        let (proxy, configuration) = try site.proxied()
        let looks = Counter()
        proxy.decide { toServer, packet in
            if toServer, packet.contains("FOR UPDATE OF due SKIP LOCKED") { _ = looks.next() }
            return .passes
        }
        let rhythm = PostgresWorker.Rhythm(longest: .seconds(3600), shortest: .milliseconds(500))
        let (reports, work) = try await site.work(rhythm, configuration)
        let start = ContinuousClock.now
        for _ in 0..<20 {
            try site.server.run(sql: "SELECT pg_notify('\(site.channel)', n::text) FROM generate_series(1, 500) n")
        }
        try await site.leaveOpen(["f"])
        try await eventually { reports.all == ["f"] }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        // A look at each notification's pause, one at the beginning and one behind each of two works.
        #expect(Double(looks.count) <= seconds * 2 + 8, "\(looks.count) looks in \(seconds) s")
        await site.end(work)
    }

    @Test("A worker that is cancelled ends what it has begun, and begins nothing more")
    func drain() async throws {
        let ids = (0..<6).map { "d\($0)" }
        try await site.leaveOpen(ids)
        let slow = SlowTransport(base: DirectTransport(service: site.shop))
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100), width: 2)
        let (reports, work) = try await site.work(rhythm, transport: slow)
        try await eventually { slow.count >= 2 }
        work.cancel()
        try await Task.sleep(for: .milliseconds(300))
        #expect(reports.all.isEmpty, "they are in progress")
        slow.open.finish(())
        await work.value
        #expect(reports.all.count == 2)
        let journal = try await site.machine(slow).journal
        #expect(try await journal.unfinished().count == 4)
        for id in ids { #expect(await site.shop.captures(of: id) == (reports.all.contains(id) ? 1 : 0)) }
        // Others need not wait for a claim to end.
        let claimed = try await site.server.rows(sql: "SELECT 1 FROM \(site.schema).due WHERE worker IS NOT NULL")
        #expect(claimed.isEmpty)
    }

    @Test("Each attempt that is open has its row, whatever opened it, and none that has ended")
    func adopted() async throws {
        try await site.leaveOpen(["o1", "o2"])
        let due = "\(site.schema).due"
        let rows = try await site.server.rows(sql: "SELECT payment FROM \(due)")
        #expect(rows.count == 2)
        // As a program of an earlier version leaves them.
        try site.server.run(sql: "DELETE FROM \(due)")
        try site.server.run(sql: "INSERT INTO \(due) (payment, look) VALUES ('stale', 0)")
        let (reports, work) = try await site.work()
        try await eventually { reports.all.sorted() == ["o1", "o2"] }
        try await eventually {
            try await site.server.rows(sql: "SELECT payment FROM \(due) WHERE payment <> 'spendings'").isEmpty
        }
        await site.end(work)
    }

    @Test("A service that asks for time is asked again after it, and one that says nothing at ever longer intervals")
    func inquiries() async throws {
        let journal = PostgresJournal(try await PostgresStore(site.server.configuration(site.schema)))
        let lease = PaymentLease(payment: WorkSite.payment("i"), holder: "h", duration: .seconds(600))
        #expect(try await journal.acquire(lease, at: Date()))
        let attempt = try PaymentAttempt(at: lease.payment, from: Date().addingTimeInterval(-1000))
        func pause() async throws -> Double {
            let now = "extract(epoch FROM now()) + 978307200 * -1"
            let rows = try await site.server.rows(sql: "SELECT look - (\(now)) FROM \(site.schema).due")
            return try #require(rows.first.flatMap { Double($0) })
        }
        try await journal.open(attempt, under: lease)
        #expect(try await (590...600).contains(pause()), "the lease ends by then")
        let outcomes: [PaymentOutcome] = [
            .pending(retryAfter: .seconds(90)), .pending(retryAfter: nil),
            .unknown(UnknownOutcome(reference: lease.payment, message: "none")),
        ]
        for (outcome, seconds) in zip(outcomes, [80.0...90, 480...520, 480...520]) {
            try await journal.append(
                JournalEntry(date: Date(), event: .outcome(outcome)), to: attempt.id, under: lease)
            try await journal.release(lease)
            let pause = try await pause()
            #expect(seconds.contains(pause), "\(outcome): \(pause) s")
            #expect(try await journal.acquire(lease, at: Date()))
        }
        let end = JournalEntry(date: Date(), event: .abandoned(reason: "enough"))
        try await journal.append(end, to: attempt.id, under: lease)
        #expect(try await site.server.rows(sql: "SELECT 1 FROM \(site.schema).due").isEmpty)
    }

    @Test("What is due while another program holds the payment is put off to the end of its lease")
    func held() async throws {
        try await site.leaveOpen(["h"])
        let machine = try await site.machine(DirectTransport(service: site.shop))
        let lease = PaymentLease(payment: WorkSite.payment("h"), holder: "other", duration: .seconds(600))
        #expect(try await machine.journal.acquire(lease, at: Date()))
        try site.server.run(sql: "UPDATE \(site.schema).due SET look = 0")
        let (reports, work) = try await site.work()
        let now = "extract(epoch FROM now()) - 978307200"
        // Nothing claims it: a worker that did would look again a second later, and again.
        try await eventually {
            try await site.server.rows(
                sql: "SELECT worker IS NULL, look - (\(now)) > 500 FROM \(site.schema).due WHERE payment <> 'spendings'"
            )
                == ["t|t"]
        }
        #expect(reports.all.isEmpty)
        await site.end(work)
        try site.server.run(sql: "UPDATE \(site.schema).due SET look = 0")
        let (claims, found) = try await machine.journal.due.claim(as: "worker", most: 9, for: .seconds(60))
        #expect(claims.allSatisfy { $0.attempt == nil } && found > claims.count, "it was due, and is not claimed")
    }

    @Test("The row of an attempt that is open stays when its claim ends without a look")
    func openRowStays() async throws {
        let machine = try await site.machine(DirectTransport(service: site.shop))
        let (payment, due) = (WorkSite.payment("late"), "\(site.schema).due")
        guard case .text(let key) = Database.Value.key(payment.parts) else {
            Issue.record("the key of a payment is a text")
            return
        }
        try site.server.run(sql: "INSERT INTO \(due) (payment, look) VALUES ('\(key)', 0), ('stale', 0)")
        let claims = try await machine.journal.due.claim(as: "worker", most: 9, for: .seconds(60)).claims
        #expect(Set(claims.map(\.payment)) == [key, "stale"] && claims.allSatisfy { $0.attempt == nil })
        // A program of an earlier version, which writes no rows, opens an attempt now.
        let lease = PaymentLease(payment: payment, holder: "h", duration: .seconds(600))
        #expect(try await machine.journal.acquire(lease, at: Date()))
        try await machine.journal.open(PaymentAttempt(at: payment), under: lease)
        try site.server.run(sql: "UPDATE \(due) SET worker = 'worker', look = 1e10 WHERE payment = '\(key)'")
        for claim in claims { try await machine.journal.due.finish(claim, lookingAgainIn: nil) }
        #expect(try await site.server.rows(sql: "SELECT payment FROM \(due)") == [key])
    }

    @Test("A plan whose period is due is charged")
    func plans() async throws {
        let machine = try await site.machine(DirectTransport(service: site.shop))
        let store = try await PostgresRecords(machine.store)
        let plans = RecurringPlans(store)
        let plan = try RecurringPlan(
            id: RecurringPlan.ID(rawValue: "plan"), provider: "acme", amount: Money(minorUnits: 5, currency: .eur),
            schedule: RecurringSchedule(.daily, from: Date().addingTimeInterval(3)), policy: RecurringPolicy(.all),
            details: [:])
        let scheduler = RecurringScheduler(store: store, payer: WillingPayer())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(200))
        let worker = PostgresWorker(
            machine.router, machine.journal, rhythm: rhythm, plans: { try await scheduler.lookIfDue() })
        let work = Task { await worker.run() }
        try await scheduler.add(plan)
        #expect(try await plans.charges(of: plan.id).allSatisfy { !$0.state.isFinal })
        try await eventually {
            try await plans.charges(of: plan.id).first?.state == .paid(transactionID: "tx")
        }
        await site.end(work)
    }

    /// A payer whose every charge is paid at once.
    private struct WillingPayer: RecurringPayer {
        func pay(_ charge: RecurringCharge, of plan: RecurringPlan) async throws -> RecurringAnswer {
            .paid(transactionID: "tx")
        }

        func fate(of charge: RecurringCharge, in plan: RecurringPlan) async throws -> RecurringAnswer? { nil }
    }
}
