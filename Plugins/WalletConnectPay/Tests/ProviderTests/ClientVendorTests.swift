import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentTransport
import PaymentWallet
import Synchronization
import Testing
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The vendor's static entry points. They share the state of the process, so these tests run one after another, and
/// no other test touches them.
@Suite(.serialized) struct ClientVendorTests {
    func forget() { VendorState.shared.withLock { $0 = VendorState() } }

    static let metadata = AppMetadata(
        name: "My Wallet", description: "A crypto wallet", url: "https://mywallet.com",
        icons: ["https://mywallet.com/icon.png"])

    @Test("Detection needs no configuration")
    func detectionNeedsNoConfiguration() {
        forget()
        #expect(WalletConnectPay.isPaymentLink("https://pay.walletconnect.com/?pid=pay_123"))
        #expect(WalletKit.isPaymentLink("PAY_ABC"))
        #expect(!WalletKit.isPaymentLink("https://example.com/checkout"))
        #expect(WalletConnectPay.instance.isPaymentLink("wc:a@2?pay=x"))
        #expect(WalletKit.instance.Pay.isPaymentLink("pay%5F123"))
        #expect(!WalletConnectPay.isPaymentLink(""))
    }

    /// Every call of an unusable client reports what is missing, and sends nothing.
    func expectUnusable(_ client: PayClient, _ text: String) async {
        let calls: [(String, @Sendable () async throws -> Void)] = [
            ("invalidRequest", { _ = try await client.getPaymentOptions(paymentLink: "pay_1", accounts: []) }),
            ("http", { _ = try await client.getRequiredPaymentActions(paymentId: "p", optionId: "o") }),
            ("http", { _ = try await client.confirmPayment(paymentId: "p", optionId: "o", signatures: []) }),
            ("http", { _ = try await client.confirmPayment(paymentId: "p", optionId: "o", data: []) }),
            ("http", { _ = try await client.getPaymentStatus(paymentId: "p") }),
            ("http", { _ = try await client.cancelPayment(paymentId: "p") }),
        ]
        for (name, call) in calls {
            let error = await told(call)
            #expect(error.name == name && error.text.contains(text))
        }
    }

    @Test("Without a configuration every call says what to do")
    func nothingConfigured() async {
        forget()
        await expectUnusable(WalletConnectPay.instance, "call WalletConnectPay.configure(")
        await expectUnusable(WalletKit.instance.Pay, "call WalletConnectPay.configure(")
    }

    @Test("Without credentials every call says what to do")
    func noCredentials() async {
        forget()
        WalletConnectPay.configure()
        await expectUnusable(WalletConnectPay.instance, "provide apiKey and/or appId")
        WalletConnectPay.configure(apiKey: "", appId: "")
        await expectUnusable(WalletConnectPay.instance, "provide apiKey and/or appId")
        WalletKit.configure(metadata: Self.metadata, crypto: DefaultCryptoProvider())
        await expectUnusable(WalletKit.instance.Pay, "Networking.configure(projectId:")
    }

    @Test(
        "An invalid address is reported", arguments: ["", "api.pay.walletconnect.com", "ftp://x.example", "https://"])
    func noAddress(_ baseUrl: String) async {
        forget()
        WalletConnectPay.configure(appId: "a", baseUrl: baseUrl, transport: ScriptedService([:]))
        await expectUnusable(WalletConnectPay.instance, "not a web address")
    }

    @Test(
        "An unencrypted address is refused",
        arguments: ["http://api.pay.walletconnect.com", "http://localhost.example", "http://192.168.1.2:8080"])
    func anUnencryptedAddress(_ baseUrl: String) async {
        #expect(throws: LinkDefect.unencrypted(origin: baseUrl)) {
            try GatewayConfiguration(appID: "a", baseURL: baseUrl)
        }
        forget()
        let service = ScriptedService([:])
        WalletConnectPay.configure(appId: "a", baseUrl: baseUrl, transport: service)
        await expectUnusable(WalletConnectPay.instance, "neither https nor on this machine")
        #expect(service.seen.isEmpty)
    }

    @Test(
        "An address that is encrypted or on this machine is accepted",
        arguments: ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost", "https://gateway.example"])
    func aConfidentialAddress(_ baseUrl: String) throws {
        #expect(try GatewayConfiguration(appID: "a", baseURL: baseUrl).baseURL.text == baseUrl)
    }

    @Test("An app id outranks a key, and the client id stays")
    func anAppIdOutranksAKeyAndTheClientIdStays() async throws {
        forget()
        let service = ScriptedService(ClientRequestTests.script)
        WalletConnectPay.configure(apiKey: "key", appId: "app", transport: service)
        for _ in 0..<2 { _ = try await WalletConnectPay.instance.getPaymentStatus(paymentId: "p") }
        #expect(service.seen[0].url == "https://api.pay.walletconnect.com/v1/gateway/payment/p/status")
        #expect(service.seen.allSatisfy { $0.headers["App-Id"] == "app" && $0.headers["Api-Key"] == nil })
        let ids = Set(service.seen.map { $0.headers["Client-Id"] ?? "" })
        #expect(ids.count == 1)
        #expect(ids.first.flatMap(UUID.init(uuidString:)) != nil)
    }

    @Test("A later configuration takes effect")
    func aLaterConfigurationTakesEffect() async throws {
        forget()
        let first = ScriptedService(ClientRequestTests.script)
        let second = ScriptedService(ClientRequestTests.script)
        WalletConnectPay.configure(apiKey: "1", transport: first)
        let kept = WalletConnectPay.instance
        #expect(kept === WalletConnectPay.instance)
        WalletConnectPay.configure(apiKey: "2", transport: second)
        _ = try await WalletConnectPay.instance.getPaymentStatus(paymentId: "p")
        _ = try await kept.getPaymentStatus(paymentId: "p")
        #expect(first.seen.map { $0.headers["Api-Key"] } == ["1"])
        #expect(second.seen.map { $0.headers["Api-Key"] } == ["2"])
    }

    @Test("WalletKit uses the project id and configures Pay")
    func walletKitUsesTheProjectIdAndConfiguresPay() async throws {
        forget()
        let service = ScriptedService(ClientRequestTests.script)
        Networking.configure(projectId: "project")
        #expect(Networking.projectId == "project")
        WalletKit.configure(
            metadata: Self.metadata, crypto: DefaultCryptoProvider(), payLogging: false, transport: service,
            baseUrl: GatewayConfiguration.productionURL)
        #expect(WalletKit.instance.Pay === WalletConnectPay.instance)
        #expect(WalletKit.instance.metadata == Self.metadata)
        _ = try await WalletKit.instance.Pay.getPaymentStatus(paymentId: "p")
        #expect(service.seen.map { $0.headers["App-Id"] } == ["project"])
        // The Keccak-256 hash of the empty input.
        let hash = WalletKit.instance.crypto?.keccak256(Data())
        #expect(hash.map { Hex.encode($0) } == "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
    }

    /// The guides' flow, step by step, over loopback HTTP.
    @Test("The guides' flow pays")
    func theGuidesFlow() async throws {
        forget()
        let sandbox = WalletConnectPaySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        WalletConnectPay.configure(
            appId: "your-walletconnect-project-id", baseUrl: server.baseURL.text, transport: StandardTransport())
        let wallet = DevelopmentWallet(seed: 7)
        let walletAddress = "\(wallet.address)"
        let response = try await WalletConnectPay.instance.getPaymentOptions(
            paymentLink: payment.link, accounts: ["eip155:1:\(walletAddress)", "eip155:8453:\(walletAddress)"])
        let selectedOption = response.options[0]
        let actions = try await WalletConnectPay.instance.getRequiredPaymentActions(
            paymentId: response.paymentId, optionId: selectedOption.id)
        var signatures: [String] = []
        for action in actions {
            signatures.append(try wallet.signTypedData(.string(try action.walletRpc.typedDataParameters().typedData)))
        }
        let result = try await WalletConnectPay.instance.confirmPayment(
            paymentId: response.paymentId, optionId: selectedOption.id, signatures: signatures, maxPollMs: 60000)
        #expect(result.status == .succeeded)
        #expect(await sandbox.ledger.captures(of: payment.id) == 1)
    }
}
