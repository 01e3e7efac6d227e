import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import PaymentTransport
import Synchronization
import Testing
import WalletConnectPaySandbox

/// The code of Servers.md, OperateAServer.md and Accounts.md.
@Suite("Articles: servers and accounts")
struct ServerTests {
    @Test("A notification is answered with success only after it was checked and stored")
    func notifications() async throws {
        let shop = CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: CitconSandbox.privateKey)
        let router = PaymentRouter(
            registry: try ProviderRegistry([shop]), transport: StandardTransport(), journal: InMemoryJournal())
        func answer(_ request: HTTPRequest) async -> HTTPResponse {
            do {
                let notification = IncomingNotification(headers: request.headers, body: request.body)
                let report = try await router.handle(notification, from: "citcon-merchant")
                print("\(report.reference) is \(report.outcome)")
                return HTTPResponse(status: 200)
            } catch {
                return HTTPResponse(status: error.code == .untrustedNotification ? 400 : 500)
            }
        }
        let forged = HTTPRequest(.post, try HTTPURL("https://shop.example/hooks"), body: Array("{}".utf8))
        #expect(await answer(forged).status == 400)
    }

    @Test("A recovery loop runs beside the server until it is stopped")
    func loop() async throws {
        let world = await ArticleWorld()
        let router = try world.router
        let server = try LoopbackServer(world.sandbox)
        let stop = Task<Void, any Error> {}
        let recovery = RecoveryService(router) { report in print(report) }
        try await withThrowingTaskGroup { group in
            group.addTask { await recovery.run() }
            group.addTask { try await stop.value }
            try await group.next()
            // No new requests; then payments in flight reach a state that the next start resumes.
            server.stop()
            group.cancelAll()
        }
    }

    @Test("Two accounts of one vendor live in one registry")
    func accounts() throws {
        let live = CitconConfiguration(endpoint: try CitconEndpoint(.PROD))
        let trial = CitconConfiguration(endpoint: try CitconEndpoint(.UAT))
        let registry = try ProviderRegistry(
            [
                CitconProvider(id: "citcon-us", configuration: live),
                CitconProvider(id: "citcon-uat", configuration: trial),
            ], equalClaims: .reportAmbiguous)
        #expect(registry.descriptors.map(\.id) == ["citcon-us", "citcon-uat"])
    }
}

/// The code of FulfilOnce.md: a server that delivers an order once.
private struct Fulfilment {
    /// Orders in a database.
    actor Orders {
        private var open: Set<PaymentReference>
        private(set) var deliveries: [PaymentReference] = []

        init(_ open: Set<PaymentReference>) { self.open = open }

        func claim(_ payment: PaymentReference, amount: Money?) throws -> Bool { open.remove(payment) != nil }
        func enqueueDelivery(of payment: PaymentReference) throws { deliveries.append(payment) }
    }

    let orders: Orders

    func fulfil(_ outcome: PaymentOutcome, of payment: PaymentReference) async throws {
        guard case .succeeded(let receipt) = outcome else { return }
        // One statement: UPDATE orders SET fulfilled = now WHERE payment = ? AND fulfilled IS NULL.
        guard try await orders.claim(payment, amount: receipt.amount) else { return }
        try await orders.enqueueDelivery(of: payment)
    }
}

@Suite("Article: fulfil an order once")
struct FulfilmentTests {
    @Test("Reports that come twice deliver once, and an open outcome delivers nothing")
    func once() async throws {
        let world = await ArticleWorld()
        let outcome = try await world.router.pay(world.link, as: world.wallet.payer())
        guard case .succeeded(let receipt) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let shop = Fulfilment(orders: Fulfilment.Orders([receipt.reference]))
        try await shop.fulfil(
            .unknown(UnknownOutcome(reference: receipt.reference, rawStatus: nil, message: "")), of: receipt.reference)
        #expect(await shop.orders.deliveries.isEmpty)
        for _ in 0..<3 { try await shop.fulfil(outcome, of: receipt.reference) }
        #expect(await shop.orders.deliveries == [receipt.reference])
    }
}
