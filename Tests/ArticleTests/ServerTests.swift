import CitconMerchant
import CitconProvider
import CitconSandbox
import PaymentCore
import PaymentLoopback
import PaymentRouting
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
        private var open: [PaymentReference: Money]
        private(set) var deliveries: [PaymentReference] = []

        init(_ open: [PaymentReference: Money]) { self.open = open }

        func claim(_ payment: PaymentReference, paid: Money?) throws -> Bool {
            guard let price = open[payment], paid == nil || paid == price else { return false }
            return open.removeValue(forKey: payment) != nil
        }
        func close(_ payment: PaymentReference) throws { open[payment] = nil }
        func enqueueDelivery(of payment: PaymentReference) throws { deliveries.append(payment) }
    }

    struct Order {
        let number: String
        let payment: PaymentReference
        let price: Money
    }

    let orders: Orders
    let router: PaymentRouter

    func fulfil(_ outcome: PaymentOutcome, of payment: PaymentReference) async throws {
        // A capture, a cancellation or a refund has its own report.
        guard payment.isPayment, case .succeeded(let receipt) = outcome else { return }
        // One statement: UPDATE orders SET fulfilled = now WHERE payment = ?1 AND (?2 IS NULL OR price = ?2)
        // AND fulfilled IS NULL AND closed IS NULL.
        guard try await orders.claim(payment, paid: receipt.amount) else { return }
        try await orders.enqueueDelivery(of: payment)
    }

    func refund(_ order: Order) async throws -> PaymentOutcome {
        // UPDATE orders SET closed = now WHERE payment = ?.
        try await orders.close(order.payment)
        return try await router.refund(
            RefundRequest(of: order.payment, amount: order.price, id: "\(order.number)-return"))
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
        let price = try #require(receipt.amount)
        let shop = Fulfilment(orders: Fulfilment.Orders([receipt.reference: price]), router: try world.router)
        try await shop.fulfil(
            .unknown(UnknownOutcome(reference: receipt.reference, rawStatus: nil, message: "")), of: receipt.reference)
        #expect(await shop.orders.deliveries.isEmpty)
        let refund = PaymentReference(
            provider: receipt.reference.provider, id: receipt.reference.id,
            subject: .refund(of: receipt.reference.id))
        try await shop.fulfil(outcome, of: refund)
        #expect(await shop.orders.deliveries.isEmpty, "a refund's report delivers nothing")
        for _ in 0..<3 { try await shop.fulfil(outcome, of: receipt.reference) }
        #expect(await shop.orders.deliveries == [receipt.reference])

        let returned = Fulfilment(orders: Fulfilment.Orders([receipt.reference: price]), router: try world.router)
        let order = Fulfilment.Order(number: "order-7", payment: receipt.reference, price: price)
        await #expect(throws: PaymentError.self) { try await returned.refund(order) }
        try await returned.fulfil(outcome, of: receipt.reference)
        #expect(await returned.orders.deliveries.isEmpty, "what is to be refunded is not delivered")
    }
}
