import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

@Suite(
    "Ends of attempts are passed on", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)))
struct EndTests {
    private let site: WorkSite
    private let ends = Collected<AttemptHistory>()
    private var delivery: String { "\(site.schema).delivery" }
    private static let now = "extract(epoch FROM now()) + 978307200 * -1"

    init() async throws { site = try await WorkSite() }

    private func pay(_ ids: [String], reportsEnds: Bool = true) async throws {
        let machine = try await site.machine(DirectTransport(service: site.shop), reportsEnds: reportsEnds)
        for id in ids {
            await site.shop.createPayment(id, .paidAtOnce, cents: 1000)
            _ = try await machine.router.pay(WorkSite.link(id), as: .careless, acceptingUnverified: true)
        }
        machine.store.close()
    }

    private func waiting() async throws -> Int {
        try await site.server.rows(sql: "SELECT 1 FROM \(delivery)").count
    }

    /// The seconds until rows are due, with the number of their tries.
    private func pauses() async throws -> [(seconds: Double, tries: Int)] {
        try await site.server.rows(sql: "SELECT look - (\(Self.now)), tries FROM \(delivery) ORDER BY look").map {
            let parts = $0.split(separator: "|")
            return (try #require(Double(parts[0])), try #require(Int(parts[1])))
        }
    }

    /// Starts a worker.
    private func work(
        _ rhythm: PostgresWorker.Rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100)),
        _ configuration: PostgresConfiguration? = nil, failures: Counter = Counter(),
        ended: (@Sendable (AttemptHistory) async throws -> Void)?
    ) async throws -> Task<Void, Never> {
        let machine = try await site.machine(
            DirectTransport(service: site.shop), configuration, reportsEnds: true)
        let worker = PostgresWorker(
            machine.router, machine.journal, as: .careless, rhythm: rhythm, failed: { _ in _ = failures.next() },
            ended: ended)
        return Task { await worker.run() }
    }

    @Test("Two workers pass on each end once, of a payment made and of one recovered")
    func sharing() async throws {
        try await pay(["a1", "a2", "a3"])
        try await pay(["silent"], reportsEnds: false)
        #expect(try await waiting() == 3)
        try await site.leaveOpen(["a4"])
        var works: [Task<Void, Never>] = []
        for _ in 0..<2 {
            works.append(
                try await work {
                    try await Task.sleep(for: .milliseconds(300))
                    #expect($0.state == .paid)
                    ends.add($0)
                })
        }
        try await eventually { try await waiting() == 0 && ends.payments.count == 4 }
        for work in works { await site.end(work) }
        #expect(ends.payments.sorted() == ["a1", "a2", "a3", "a4"])
        #expect(Set(ends.all.map(\.attempt.id)).count == 4)
    }

    @Test("An end whose handler throws is passed on again, at ever longer intervals, and others are not held up")
    func throwing() async throws {
        try await pay(["bad"])
        let (ends, failures) = (Collected<AttemptHistory>(), Counter())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(50), width: 1)
        let work = try await work(rhythm, failures: failures) {
            ends.add($0)
            if $0.attempt.reference.id == "bad", failures.count < 3 { throw CancellationError() }
        }
        for (count, seconds) in zip(1..., [3.0...5, 17.0...20, 3590.0...3600]) {
            try await eventually { failures.count == count }
            let pause = try #require(try await pauses().first)
            #expect(seconds.contains(pause.seconds), "\(pause)")
            if count == 1 {
                #expect(pause.tries == 1)
                try await pay(["good"])
                try await eventually { ends.payments == ["bad", "good"] }
            }
            let tries = count == 2 ? "100" : "tries"
            try site.server.run(sql: "UPDATE \(delivery) SET look = 0, tries = \(tries)")
        }
        try await eventually { try await waiting() == 0 }
        await site.end(work)
        #expect(ends.payments == ["bad", "good", "bad", "bad", "bad"])
        #expect(Set(ends.all.map(\.attempt.id)).count == 2, "a repetition has the same id")
    }

    @Test("A handler that hangs occupies one place for the bound, and is called again later")
    func hanging() async throws {
        try await pay(["stuck", "e1"])
        // The next try after a failure is an hour away, however slow the machine is.
        try site.server.run(sql: "UPDATE \(delivery) SET tries = 100")
        let (ends, failures, count) = (Collected<AttemptHistory>(), Counter(), Counter())
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100), width: 1, bound: .seconds(2))
        let start = ContinuousClock.now
        let work = try await work(rhythm, failures: failures) {
            if count.next() == 1 { await OneShot<Void>().value() }
            ends.add($0)
        }
        try await eventually { !ends.payments.isEmpty }
        #expect(.now - start > .seconds(1.8))
        #expect(failures.count == 1)
        #expect(try await site.server.rows(sql: "SELECT tries FROM \(delivery)") == ["101"])
        try site.server.run(sql: "UPDATE \(delivery) SET look = 0")
        try await eventually { try await waiting() == 0 }
        #expect(Set(ends.payments) == ["stuck", "e1"])
        await site.end(work)
    }

    @Test("Handlers that hang hold up no attempts")
    func separate() async throws {
        try await pay(["stuck"])
        let (begun, open) = (Counter(), OneShot<Void>())
        let work = try await work(PostgresWorker.Rhythm(longest: .milliseconds(100), width: 1)) { _ in
            _ = begun.next()
            await open.value()
        }
        try await eventually { begun.count == 1 }
        try await site.leaveOpen(["open"])
        try await eventually { await site.shop.captures(of: "open") == 1 }
        #expect(begun.count == 1)
        open.finish(())
        await site.end(work)
    }

    @Test("The end that a dead worker had is passed on when its claim ends, and not before")
    func takeover() async throws {
        try await pay(["t"])
        try site.server.run(sql: "UPDATE \(delivery) SET worker = 'gone', look = \(Self.now) + 2")
        let (start, ends) = (ContinuousClock.now, Collected<AttemptHistory>())
        let work = try await work { ends.add($0) }
        try await eventually { ends.payments == ["t"] }
        #expect(.now - start > .seconds(1.8))
        await site.end(work)
    }

    @Test("A claim outlasts its handler, and a late failure changes nothing for the next worker")
    func late() async throws {
        try await pay(["l"])
        let failures = Counter()
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(100), claim: .seconds(20), bound: .seconds(10))
        let work = try await work(rhythm, failures: failures) { [site, delivery] _ in
            let left = try await site.server.rows(sql: "SELECT look - (\(Self.now)) > 10 FROM \(delivery)")
            #expect(left == ["t"])
            try site.server.run(sql: "UPDATE \(delivery) SET worker = 'next', look = 1e10")
            throw CancellationError()
        }
        try await eventually { failures.count == 1 }
        #expect(try await site.server.rows(sql: "SELECT worker, look FROM \(delivery)") == ["next|10000000000"])
        await site.end(work)
    }

    @Test("A worker without a handler leaves the rows to others")
    func unhandled() async throws {
        try await pay(["u1"])
        let idle = try await work(ended: nil)
        // It has looked when it has settled this.
        try await site.leaveOpen(["u2"])
        try await eventually { try await waiting() == 2 }
        #expect(try await pauses().map(\.tries) == [0, 0])
        let work = try await work { ends.add($0) }
        try await eventually { ends.payments.sorted() == ["u1", "u2"] }
        for work in [idle, work] { await site.end(work) }
    }

    @Test("An attempt is kept until its end was passed on")
    func pruned() async throws {
        try await pay(["p"])
        let journal = try await site.machine(DirectTransport(service: site.shop)).journal
        let future = Date().addingTimeInterval(1e6)
        #expect(try await journal.prune(endedBefore: future, keepingProofsSince: future) == 0)
        let work = try await work { ends.add($0) }
        try await eventually { try await waiting() == 0 }
        await site.end(work)
        #expect(ends.payments == ["p"])
        #expect(try await journal.prune(endedBefore: future, keepingProofsSince: future) == 1)
    }

    @Test("Tables of an earlier version are migrated, and ends are passed on from then on")
    func migrated() async throws {
        try await pay(["before"], reportsEnds: false)
        try site.server.run(sql: "DROP TABLE \(delivery)")
        try site.server.run(sql: "UPDATE \(site.schema).deployment SET version = 2 WHERE part = 'journals'")
        try await pay(["after"])
        let work = try await work { ends.add($0) }
        try await eventually { try await waiting() == 0 }
        await site.end(work)
        #expect(ends.payments == ["after"])
    }

    @Test("An end wakes a worker before its next look")
    func woken() async throws {
        let work = try await work(PostgresWorker.Rhythm(longest: .seconds(3600))) { ends.add($0) }
        // It listens when it has settled the first one.
        try await site.leaveOpen(["w1"])
        try await eventually { ends.payments == ["w1"] }
        try await pay(["w2"])
        try await eventually { ends.payments == ["w1", "w2"] }
        await site.end(work)
    }

    @Test("Without notifications of the server ends are found by looking")
    func polling() async throws {
        let (proxy, configuration) = try site.proxied()
        proxy.decide { toServer, packet in toServer && packet.contains("LISTEN") ? .isLost : .passes }
        let work = try await work(PostgresWorker.Rhythm(longest: .milliseconds(200)), configuration) { ends.add($0) }
        try await pay(["n"])
        try await eventually { ends.payments == ["n"] }
        await site.end(work)
    }

    @Test("A worker that is cancelled ends what it passes on, and begins nothing more")
    func drain() async throws {
        try await pay(["d1", "d2", "d3"])
        let (ends, begun, open) = (Collected<AttemptHistory>(), Counter(), OneShot<Void>())
        let gate = Task { await open.value() }
        let work = try await work(PostgresWorker.Rhythm(longest: .milliseconds(100), width: 2)) {
            _ = begun.next()
            await gate.value
            ends.add($0)
        }
        try await eventually { begun.count == 2 }
        work.cancel()
        try await Task.sleep(for: .milliseconds(200))
        #expect(ends.payments.isEmpty, "they are in progress")
        open.finish(())
        await work.value
        #expect(ends.payments.count == 2)
        #expect(try await pauses().map(\.tries) == [0])
    }
}

extension Collected<AttemptHistory> {
    /// The ids of the payments.
    fileprivate var payments: [String] { all.map(\.attempt.reference.id) }
}
