import Foundation
import PaymentCore
import PaymentLoopback
import PaymentReview
import PaymentRouting
import PaymentTesting
import PaymentTransport
import PaymentWallet
import TestSupport
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// A sandbox, the faults before it, and a router that pays through it.
struct TestWorld: Sendable {
    enum Wire: String, CaseIterable, Sendable { case inProcess, loopback }

    let sandbox: WalletConnectPaySandbox
    let faults: FaultInjector
    let server: LoopbackServer?
    let journal = InMemoryJournal()
    let clock: VirtualClock
    let wallet = DevelopmentWallet(seed: 7)
    let router: PaymentRouter

    init(
        _ wire: Wire, requestTimeout: Duration = .seconds(10),
        credentials: GatewayConfiguration.Credentials = .apiKey(Redacted("key")), log: PaymentLog = .silent
    ) throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        clock = VirtualClock()
        sandbox = WalletConnectPaySandbox(configuration, clock: clock)
        faults = FaultInjector(sandbox)
        server = wire == .loopback ? try LoopbackServer(faults) : nil
        let retry = RetryMiddleware(clock: clock)
        let transport = LayeredTransport(
            wire == .loopback ? PlatformTransport() : SandboxTransport(faults), [retry])
        let gateway = try GatewayConfiguration(
            credentials: credentials, baseURL: server?.baseURL.text ?? "https://api.pay.walletconnect.com",
            requestTimeout: requestTimeout)
        // Nothing here can read Tron's transactions: its scenario is for applications that accept them.
        let provider = WalletConnectPayProvider(
            configuration: gateway, reviewer: SigningReviewer(unreviewedMethods: ["tron_signTransaction"]))
        router = PaymentRouter(
            registry: try ProviderRegistry([provider]), transport: transport, journal: journal, clock: clock, log: log)
    }

    /// A payer with the wallet's accounts; `choice` picks among the options.
    func payer(
        _ choice: @escaping @Sendable (PaymentQuote) -> PaymentCore.PaymentMethodOption.ID? = { $0.options.first?.id }
    )
        -> Payer
    {
        wallet.payer(chooser: { choice($0) })
    }

    /// The number of confirmations that reached the end of the wire, whether or not the sandbox received them.
    var confirmRequests: Int { faults.requests.count { $0.path.hasSuffix("/confirm") } }
}
