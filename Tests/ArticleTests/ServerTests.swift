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

/// The code of Servers.md and Accounts.md.
@Suite("Article: servers and accounts")
struct ServerTests {
    @Test("A notification is answered with success only after it was checked and stored")
    func notifications() async throws {
        let shop = CitconMerchant(endpoint: try CitconEndpoint(.UAT), privateKey: CitconSandbox.privateKey)
        let router = PaymentRouter(
            registry: try ProviderRegistry([shop]), transport: StandardTransport(), journal: InMemoryJournal())
        func answer(_ request: HTTPRequest) async -> HTTPResponse {
            do {
                let notification = IncomingNotification(headers: request.headers, body: request.body)
                let news = try await router.handle(notification, from: "citcon-merchant")
                print("\(news.reference) is \(news.outcome)")
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
