import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// Payments while their server is stopped at once, its processes are killed, and connections are cut, at random
/// moments. `PAYROUTE_POSTGRES_KILLS` is the number of each.
@Suite(
    "Payments over a server that crashes", .enabled(if: PostgresServer.isLong, Comment(rawValue: PostgresServer.long)),
    .serialized)
struct CrashTests {
    private static let kills = PostgresServer.kills ?? 2

    /// The ways to disturb payments.
    enum Trouble: CaseIterable {
        /// The server stops at once and recovers from its log.
        case immediateStop
        /// One of its processes is killed, and it restarts all of them.
        case killedProcess
        /// A connection is cut at a random packet.
        case cutConnection
    }

    /// Two machines with a journal in one database, and the shop that they pay at.
    private struct World {
        let server: PostgresServer
        let proxy: CuttingProxy
        let shop = ShopService(clock: SystemPaymentClock())
        let routers: [PaymentRouter]
        let journal: PostgresJournal

        init() async throws {
            server = try PostgresServer()
            proxy = try CuttingProxy(to: server.folder)
            let configuration = server.configuration(PostgresServer.newSchema(), host: proxy.folder)
            var routers: [PaymentRouter] = []
            for _ in 0..<2 {
                let provider = ShopProvider(clock: SystemPaymentClock())
                routers.append(
                    PaymentRouter(
                        registry: try ProviderRegistry([provider]), transport: DirectTransport(service: shop),
                        journal: PostgresJournal(try await PostgresStore(configuration)),
                        leases: LeasePolicy(duration: .seconds(5), timeout: .seconds(60))))
            }
            self.routers = routers
            journal = PostgresJournal(try await PostgresStore(configuration))
        }

        /// Waits for a packet on its way, and disturbs the server or the connection then.
        ///
        /// - Returns: false when `end` came before it.
        func disturb(_ trouble: Trouble, at place: Int, _ random: SeededRandomSource, or end: OneShot<Bool>)
            async throws
            -> Bool
        {
            let counter = Counter()
            let fate: CuttingProxy.Fate =
                trouble != .cutConnection ? .passes : random.next() % 2 == 0 ? .isLost : .arrivesLast
            proxy.decide { _, _ in
                guard counter.next() == place else { return .passes }
                end.finish(true)
                return fate
            }
            guard await end.value() else { return false }
            switch trouble {
            case .immediateStop:
                server.stop()
                try server.start()
            case .killedProcess:
                let processes = await server.processes()
                if let one = processes.isEmpty ? nil : processes[Int(random.next() % UInt64(processes.count))] {
                    kill(one, SIGKILL)
                }
            case .cutConnection: break
            }
            return true
        }
    }

    @Test("Two machines pay the same links once each, and none is lost", arguments: Trouble.allCases)
    func payments(trouble: Trouble) async throws {
        let world = try await World()
        let random = SeededRandomSource(seed: 34)
        var ids: [String] = []
        var stated: [String: [PaymentOutcome]] = [:]
        var disturbed = 0
        for round in 0..<Self.kills {
            let some = (0..<4).map { "order\(round)x\($0)" }
            for id in some { await world.shop.createPayment(id, .paidAtOnce, cents: 1000) }
            ids += some
            let end = OneShot<Bool>()
            // Four payments by two machines are some 250 packets.
            async let disturbance = world.disturb(trouble, at: 1 + Int(random.next() % 150), random, or: end)
            await withTaskGroup(of: (String, PaymentOutcome?).self) { group in
                for id in some {
                    for router in world.routers {
                        group.addTask {
                            let link = "https://\(ShopProvider.linkHost)/\(id)"
                            return (id, try? await router.pay(link, as: .careless, acceptingUnverified: true))
                        }
                    }
                }
                for await (id, outcome) in group {
                    if let outcome { stated[id, default: []].append(outcome) }
                }
            }
            end.finish(false)
            if try await disturbance { disturbed += 1 }
        }
        world.proxy.decide { _, _ in .passes }
        for router in world.routers { _ = try await router.recover(as: .careless) }
        var paid = 0
        for id in ids {
            let charges = await world.shop.captures(of: id)
            let histories = try await world.journal.histories(of: PaymentReference(provider: ShopProvider.id, id: id))
            #expect(charges <= 1, "\(id) was charged \(charges) times")
            let successes = histories.filter { $0.state == .paid }
            #expect(successes.count == charges, "\(id): \(charges) charges, and \(successes.count) are recorded")
            #expect(histories.allSatisfy { $0.isFinished }, "\(id) is left open")
            for outcome in stated[id] ?? [] {
                if case .succeeded = outcome { #expect(charges == 1, "\(id) is called paid") }
                if outcome.deniesPayment { #expect(charges == 0, "\(id) is called unpaid: \(outcome)") }
            }
            paid += charges
        }
        #expect(paid > 0 && disturbed > 0)
        print("\(disturbed) of \(trouble): \(paid) of \(ids.count) paid once, none twice, none lost")
    }
}
