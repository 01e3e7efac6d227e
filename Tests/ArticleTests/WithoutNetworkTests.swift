import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTesting
import PaymentTransport
import Testing
import WalletConnectPayProvider

/// The code of WithoutNetwork.md.
@Suite("Article: tests without a network")
struct WithoutNetworkTests {
    @Test("In the test's own process")
    func inProcess() async throws {
        let sandbox = WalletConnectPaySandbox()
        let payment = await sandbox.createPayment(.paidAtOnce, cents: 1250)
        let provider = WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "test"))
        let registry = try ProviderRegistry([provider])
        let router = PaymentRouter(
            registry: registry, transport: SandboxTransport(sandbox), journal: InMemoryJournal())
        let outcome = try await router.pay(payment.link, as: SandboxWallet().payer())
        guard case .succeeded = outcome else { Issue.record("\(outcome)"); return }
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }

    @Test("Over loopback, with an answer that is lost")
    func loopback() async throws {
        let sandbox = WalletConnectPaySandbox()
        let payment = await sandbox.createPayment(.paidAtOnce, cents: 1250)
        let faults = FaultInjector(sandbox)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let provider = WalletConnectPayProvider(
            configuration: try GatewayConfiguration(appID: "test", baseURL: server.baseURL.text))
        let router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: StandardTransport(), journal: InMemoryJournal())
        faults.inject(.dropAfter) { method, path in method == "POST" && path.hasSuffix("/confirm") }
        let outcome = try await router.pay(payment.link, as: SandboxWallet().payer())
        guard case .succeeded = outcome else { Issue.record("\(outcome)"); return }
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }
}
