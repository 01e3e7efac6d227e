import Foundation
import PaymentCore
import PaymentLoopback
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// Workers while they are killed, their connections are cut, and their server is stopped at once, at random moments.
/// `PAYROUTE_POSTGRES_KILLS` is the number of each; these are few by default.
@Suite(
    "Workers that are killed and cut off", .enabled(if: PostgresServer.isThere, Comment(rawValue: PostgresServer.need)),
    .serialized)
struct WorkerCrashTests {
    private static let kills = PostgresServer.kills ?? 2

    /// Fails unless all attempts have ended, each payment is charged once, and each charge is recorded.
    private func check(_ ids: [String], _ site: WorkSite) async throws {
        let journal = try await site.machine(DirectTransport(service: site.shop)).journal
        for id in ids {
            let charges = await site.shop.captures(of: id)
            let states = try await journal.histories(of: WorkSite.payment(id)).map(\.state)
            #expect(charges == 1 && states == [.paid], "\(id): \(charges) charges, \(states)")
        }
        let rows = try await site.server.rows(sql: "SELECT 1 FROM \(site.schema).due WHERE payment <> 'spendings'")
        #expect(rows.isEmpty)
        #expect(try await site.server.rows(sql: "SELECT 1 FROM \(site.schema).delivery").isEmpty)
    }

    @Test("Workers killed at any moment: each open payment is charged once, and recorded")
    func killed() async throws {
        let site = WorkSite(try PostgresServer(), schema: "payments")
        let sandbox = try LoopbackServer(site.shop)
        defer { sandbox.stop() }
        let program = try #require(Program.url("WorkingProcess"))
        let address = "postgresql:///postgres?host=\(site.server.folder)&user=payer"
        func worker() throws -> Program {
            try Program([address, sandbox.baseURL.text, "1000"], executable: program)
        }
        let (dead, ended, ends) = (Counter(), Counter(), Reports())
        let random = SeededRandomSource(seed: 41)
        // Two workers, each of which is killed behind some line of its report, and replaced.
        let keepers = (0..<2).map { _ in
            Task {
                defer { _ = ended.next() }
                while dead.count < Self.kills {
                    let worker = try worker()
                    var left = 1 + Int(random.next() % 20)
                    for await line in worker.lines {
                        ends.addEnd(line)
                        left -= 1
                        if left == 0 { worker.signal(SIGKILL) }
                    }
                    #expect(await worker.end().code < 0)
                    _ = dead.next()
                }
            }
        }
        let door = try await site.machine(DirectTransport(service: site.shop))
        var ids: [String] = []
        while ended.count < keepers.count {
            let some = (0..<4).map { "k\(ids.count + $0)" }
            try await site.leaveOpen(some)
            // Charges that were paid at the service, and of which the journal knows nothing.
            for id in some {
                let body: JSONValue = ["id": .string("charge " + id), "status": "paid"]
                try await door.journal.keep(
                    ShopSignature.notification(body, at: Date()), from: ShopProvider.id, checkedBy: door.router)
            }
            ids += some
        }
        for keeper in keepers { try await keeper.value }
        let last = try worker()
        var lines = last.lines.makeAsyncIterator()
        while let line = await lines.next(), line != "works" { ends.addEnd(line) }
        let journal = try await site.machine(DirectTransport(service: site.shop)).journal
        try await eventually(within: .seconds(60)) {
            let isPassedOn = try await site.server.rows(sql: "SELECT 1 FROM \(site.schema).delivery").isEmpty
            return try await journal.unfinished().isEmpty && isPassedOn
        }
        last.signal(SIGTERM)
        var ending = ""
        while let line = await lines.next() {
            ends.addEnd(line)
            ending = line
        }
        #expect(await last.end().code == 0 && ending == "drained")
        try await check(ids, site)
        #expect(Set(ends.ends) == Set(ids), "each end is passed on")
        #expect(Set(ends.notifications) == Set(ids.map { "charge " + $0 }), "each notification is passed on")
        print(
            "\(dead.count) workers killed: \(ids.count) open payments settled, none twice, none lost; "
                + "\(ends.ends.count) calls for their ends, \(ends.notifications.count) for as many notifications")
    }

    /// The ways to disturb workers.
    enum Trouble: CaseIterable {
        case immediateStop, killedProcess, cutConnection
    }

    @Test("Workers whose server or connections end: each open payment is charged once", arguments: Trouble.allCases)
    func disturbed(trouble: Trouble) async throws {
        let site = WorkSite(try PostgresServer())
        let random = SeededRandomSource(seed: 42)
        let proxy = try CuttingProxy(to: site.server.folder)
        let configuration = site.server.configuration(site.schema, host: proxy.folder)
        let rhythm = PostgresWorker.Rhythm(longest: .milliseconds(200), claim: .seconds(1))
        let broken = try await site.brokenMachine()
        var works: [Task<Void, Never>] = []
        for _ in 0..<2 { works.append(try await site.work(rhythm, configuration).1) }
        var ids: [String] = []
        for round in 0..<Self.kills {
            let some = (0..<2).map { "r\(round)x\($0)" }
            try await site.leaveOpen(some, by: broken)
            ids += some
            let (place, packets, reached) = (1 + Int(random.next() % 40), Counter(), OneShot<Void>())
            let fate: CuttingProxy.Fate =
                trouble != .cutConnection ? .passes : random.next() % 2 == 0 ? .isLost : .arrivesLast
            proxy.decide { _, _ in
                guard packets.next() == place else { return .passes }
                reached.finish(())
                return fate
            }
            // Looking alone is some packets a second.
            await reached.value()
            switch trouble {
            case .immediateStop:
                site.server.stop()
                try site.server.start()
            case .killedProcess:
                let processes = await site.server.processes()
                if let one = processes.isEmpty ? nil : processes[Int(random.next() % UInt64(processes.count))] {
                    kill(one, SIGKILL)
                }
            case .cutConnection: break
            }
        }
        proxy.decide { _, _ in .passes }
        try await eventually(within: .seconds(60)) { try await broken.journal.unfinished().isEmpty }
        for work in works { await site.end(work) }
        try await check(ids, site)
        print("\(Self.kills) of \(trouble): \(ids.count) open payments settled, none twice, none lost")
    }
}
