import CitconSandbox
import PaykitSandbox
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentSandbox
import PaymentTesting
import PaymentTransport
import PaymentWallet
import PayrailsSandbox
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

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

/// The code of WithoutNetwork.md about another program.
@Suite("Article: another program")
struct AnotherProgramTests {
    @Test("The same two lines pay at every vendor's sandbox")
    func twoLines() async throws {
        let random = SeededRandomSource(seed: 1)
        let walletConnectPay = WalletConnectPaySandbox(random: random)
        let citcon = CitconSandbox(random: random)
        let payrails = PayrailsSandbox(random: random)
        let pubky = PubkySandbox(random: random)
        let server = try LoopbackServer(
            SharedAddress([
                .init(walletConnectPay, paths: WalletConnectPaySandbox.paths),
                .init(citcon, paths: CitconSandbox.paths), .init(payrails, paths: PayrailsSandbox.paths),
                .init(pubky, paths: PubkySandbox.paths),
            ]))
        defer { server.stop() }
        let address = server.baseURL.text
        let user = await pubky.createUser(.registryJSON)
        let invoice = await pubky.createInvoice(2100, for: user.key)
        let links = [
            await walletConnectPay.createPayment(.paidAtOnce).link, await citcon.createCharge(.alipay).link,
            await payrails.createSession(.paid, base: server.baseURL).link,
            "paykit:invoice?method=lightning&data=\(invoice)",
        ]
        for (index, link) in links.enumerated() {
            let sandbox = try await SandboxConnection(address)
            let router = try sandbox.router(journal: InMemoryJournal())
            let outcome = try await router.pay(link, as: sandbox.payer(), acceptingUnverified: true)
            if case .succeeded = outcome { continue }
            Issue.record("link \(index): \(outcome)")
        }
    }

    @Test(
        "An address that is no sandbox's says what it is",
        arguments: [
            ("127.0.0.1:8080", "looks like http://127.0.0.1:8080"), ("http://example.com", "not on this machine"),
            ("http://127.0.0.1:9/v1", "has no path"), ("http://127.0.0.1:1", "nothing answers"),
        ])
    func wrongAddress(address: String, words: String) async throws {
        let error = await #expect(throws: PaymentError.self) { try await SandboxConnection(address) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test("Another server is not taken for a sandbox")
    func otherServer() async throws {
        let server = try LoopbackServer(KeyedService(clock: SystemPaymentClock()))
        defer { server.stop() }
        let error = await #expect(throws: PaymentError.self) { try await SandboxConnection(server.baseURL.text) }
        #expect(error?.message.contains("is no sandbox") == true)
    }

    @Test("The sandboxes' payer opens no page elsewhere, and none that is no vendor's")
    func foreignPages() async throws {
        let sandboxes = SharedAddress([
            .init(WalletConnectPaySandbox(), paths: WalletConnectPaySandbox.paths),
            .init(CitconSandbox(), paths: CitconSandbox.paths), .init(PayrailsSandbox(), paths: PayrailsSandbox.paths),
        ])
        let sandbox = try await SandboxConnection("http://127.0.0.1:1", over: SandboxTransport(sandboxes))
        let browser = try #require(sandbox.payer().browser)
        for url in [
            "https://evil.example/checkout/1", "http://127.0.0.1:2/checkout/1", "http://127.0.0.1:1/elsewhere/1",
        ] {
            let error = await #expect(throws: PaymentError.self) {
                _ = try await browser(PageRequest(url: try HTTPURL(url), returnURLs: []))
            }
            #expect(error?.code == .payer && error?.phase == .beforeSend, "\(url)")
        }
    }
}
