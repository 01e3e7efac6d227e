import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport

/// A merchant's server over loopback, from the order to the refund: with signed notifications that come late and twice,
/// a server that is stopped in the middle of a refund, and the recovery that settles it.
/// Run it with `swift run merchant-server`.
@main
struct MerchantServerExample {
    static func main() async throws {
        var configuration = CitconSandbox.Configuration()
        configuration.notifications = StandardTransport()
        configuration.notificationPauses = []
        let sandbox = CitconSandbox(configuration, random: SeededRandomSource(seed: 1))
        let faults = FaultInjector(sandbox)
        let service = try LoopbackServer(faults)
        defer { service.stop() }
        let merchant = CitconMerchant(
            endpoint: try CitconEndpoint(.UAT, baseURL: service.baseURL.text + "/v1/"),
            privateKey: CitconSandbox.privateKey)
        let journal = InMemoryJournal()  // A real server's outlives it: SQLiteJournal.
        let orders = Orders()  // A real server's are rows of its database.

        // The first run of the server.
        var shop = try server(merchant, journal, orders)
        var front = try LoopbackServer(shop)
        shop.open(at: front.baseURL)

        // The shop's app orders, and its payer pays on the service's page.
        let order = try await ask(.post, front, ["orders", "order-1"])
        print("order-1: \(try await ask(.get, front, ["orders", "order-1"])["state"]?.string ?? "")")
        let browser = CitconSandbox.payer(.pays, at: service.baseURL, over: StandardTransport()).browser
        _ = try await browser?(PageRequest(url: try HTTPURL(order["page"]?.string ?? "")))
        await sandbox.finishDeliveries()
        print("order-1: \(try await ask(.get, front, ["orders", "order-1"])["state"]?.string?.prefix(4) ?? "")")
        print("told by notification: \(shop.news)")
        print("delivered: \(await orders.deliveries)")
        let forged = HTTPRequest(.post, try front.baseURL.appending(["hooks"]), body: Array("{}".utf8))
        print("a forged notification: HTTP \(try await StandardTransport().send(forged).status)")

        // It is stopped in the middle of a refund, whose request is on its way to the service.
        faults.inject(.stall(nil)) { method, path in method == "POST" && path.hasSuffix("/refunds") }
        let refund = Task { [front] in try await ask(.post, front, ["orders", "order-1", "refund"]) }
        while faults.stalledCount == 0 { await Task.yield() }
        front.stop()
        print("the refund: \(await word(refund))")
        print("open in the journal: \(await journal.unfinished().count)")

        // The request arrives, late. The second run's recovery, beside the server, settles the refund of the first run.
        faults.release()
        let first = shop
        shop = try server(merchant, journal, orders)
        front = try LoopbackServer(shop)
        defer { front.stop() }
        shop.open(at: front.baseURL)
        let recovery = RecoveryService(
            shop.router, rhythm: .init(longest: .seconds(1), shortest: .milliseconds(50))
        ) { _ in }
        let loop = Task { await recovery.run() }
        defer { loop.cancel() }
        // Where the first run still receives the answer, nothing is left to recover.
        while await !journal.unfinished().isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        print("open in the journal: \(await journal.unfinished().count)")
        print(
            "asked for again: \(try await ask(.post, front, ["orders", "order-1", "refund"])["refund"]?.string ?? "")")
        let refunds = await sandbox.ledger.entries.count { if case .refunded = $0.event { true } else { false } }
        print("the sandbox gave money back \(refunds) time")

        // Another order is cancelled. Then all notifications come again, twice and backwards, to a server that has
        // refunded the first order and cancelled the second.
        _ = try await ask(.post, front, ["orders", "order-2"])
        print("order-2: \(try await ask(.post, front, ["orders", "order-2", "cancel"])["state"]?.string ?? "")")
        await sandbox.finishDeliveries()
        let late = first.notifications + shop.notifications
        for notification in late.reversed() + late.reversed() { _ = await shop.take(notification) }
        print("order-1: \(try await ask(.get, front, ["orders", "order-1"])["state"]?.string ?? "")")
        print("delivered: \(await orders.deliveries)")
    }

    /// A run of the server over the journal that all of them share.
    private static func server(
        _ merchant: CitconMerchant, _ journal: any PaymentJournal, _ orders: Orders
    ) throws -> ShopServer {
        let transport = StandardTransport()
        let router = PaymentRouter(
            registry: try ProviderRegistry([merchant]), transport: transport, journal: journal)
        return ShopServer(router, merchant.client(over: transport, clock: SystemPaymentClock()), orders)
    }

    private static func ask(
        _ method: HTTPRequest.Method, _ server: LoopbackServer, _ path: [String]
    ) async throws -> JSONValue {
        let request = HTTPRequest(method, try server.baseURL.appending(path))
        return try JSONValue(parsing: try await StandardTransport().send(request).body)
    }

    private static func word(_ work: Task<JSONValue, any Error>) async -> String {
        do { return try await work.value["refund"]?.string ?? "refused" } catch { return "no answer" }
    }
}
