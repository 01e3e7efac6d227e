import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTesting
import PaymentTransport
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// Shows a payment in progress: the content of a screen, made of the router's events, here as lines.
/// Run it with `swift run progress`.
@main
struct ProgressExample {
    static func main() async throws {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        let sandbox = WalletConnectPaySandbox(configuration, random: SeededRandomSource(seed: 1))
        let faults = FaultInjector(sandbox)
        let server = try LoopbackServer(faults)
        defer { server.stop() }
        let gateway = try GatewayConfiguration(
            credentials: .apiKey(Redacted("wallet")), baseURL: server.baseURL.text)
        let router = PaymentRouter(
            registry: try ProviderRegistry([WalletConnectPayProvider(configuration: gateway)]),
            transport: StandardTransport(), journal: InMemoryJournal())

        print("A payment that takes a moment:")
        try await pay(await sandbox.createPayment(.paidAfterPolling).link, router)
        print("A payment at a gateway that has a fault once:")
        faults.inject(.status(503)) { _, path in path.hasSuffix("/options") }
        try await pay(await sandbox.createPayment(.paidAtOnce).link, router)
        print("A payment whose time is over:")
        try await pay(await sandbox.createPayment(.expired).link, router)
    }

    /// Pays, and shows each stage until the payment has an outcome.
    private static func pay(_ link: String, _ router: PaymentRouter) async throws {
        guard case .matched(let route) = router.route(link), let id = route.match.reference else { return }
        // Listen first, so that nothing is missed; the events of one payment end with its outcome.
        let events = router.events(of: PaymentReference(provider: route.provider, id: id))
        let view = Task { await TerminalView().show(events) }
        let outcome = try await router.pay(route, as: SandboxWallet().payer())
        await view.value
        print("  pay returned: \(outcome.isFinal ? "it is over" : "not known yet")")
    }
}
