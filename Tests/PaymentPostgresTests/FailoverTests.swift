import Foundation
import PaymentCore
import PaymentPostgres
import PaymentRouting
import PaymentTesting
import PostgresServing
import SimulatedShop
import TestSupport
import Testing

/// A primary server with a synchronous replica, which takes over while payments are made.
@Suite("A replica that takes over", .enabled(if: PostgresServer.isLong, Comment(rawValue: PostgresServer.long)))
struct FailoverTests {
    @Test("Nothing is lost and nothing paid twice when the primary server is gone")
    func failover() async throws {
        let primary = try PostgresServer()
        let replica = try PostgresServer(replicaOf: primary)
        try primary.run(sql: "ALTER SYSTEM SET synchronous_standby_names = '*'")
        try primary.run(sql: "SELECT pg_reload_conf()")
        var configuration = primary.configuration("payments")
        // The replica is tried first, and passed over while it is one.
        configuration.hosts = [replica, primary].map { PostgresConfiguration.Host($0.folder) }
        let shop = ShopService(clock: SystemPaymentClock())
        let router = PaymentRouter(
            registry: try ProviderRegistry([ShopProvider(clock: SystemPaymentClock())]),
            transport: DirectTransport(service: shop), journal: PostgresJournal(try await PostgresStore(configuration)))
        let ids = (0..<24).map { "order\($0)" }
        for id in ids { await shop.createPayment(id, .paidAtOnce, cents: 1000) }
        let ended = Counter()
        let third = OneShot<Void>()
        async let takeover: Int = {
            await third.value()
            primary.stop()
            let paid = ended.count
            try replica.promote()
            return paid
        }()
        let outcomes = await withTaskGroup(of: PaymentOutcome?.self) { group in
            for id in ids {
                group.addTask {
                    let link = "https://\(ShopProvider.linkHost)/\(id)"
                    let outcome = try? await router.pay(link, as: .careless, acceptingUnverified: true)
                    if ended.next() == 4 { third.finish(()) }
                    return outcome
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let before = try await takeover
        #expect((4..<ids.count).contains(before), "the takeover was before or after all payments: \(before)")
        _ = try await router.recover(as: .careless)
        let journal = PostgresJournal(try await PostgresStore(replica.configuration("payments")))
        for id in ids {
            let payment = PaymentReference(provider: ShopProvider.id, id: id)
            #expect(await shop.captures(of: id) == 1)
            let states = try await journal.histories(of: payment).map(\.state)
            #expect(states == [.paid], "\(id)")
        }
        #expect(outcomes.count == ids.count)
    }
}
