import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentTransport
import WalletConnectPayProvider

/// Registers an application's provider next to WalletConnect Pay, routes links to it and pays over loopback HTTP.
/// Run it with `swift run custom-provider`.
@main
struct CustomProvider {
    static func main() async throws {
        let gateway = CoffeeGateway()
        let server = try LoopbackServer(gateway)
        defer { server.stop() }

        let router = PaymentRouter(
            registry: try ProviderRegistry([
                WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "example")),
                CoffeeProvider(gateway: server.baseURL),
            ]),
            transport: StandardTransport(), journal: InMemoryJournal())

        for link in [
            "https://coffee.example/order/42", "https://coffee.example/menu",
            "https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        ] {
            print("\(link)\n  \(router.route(link).explanation)")
        }
        // No user is asked, so set a limit.
        let payer = Payer(policy: .first(upTo: [try Money(decimal: "5.00", currency: .eur)]))
        print("paying order 42: \(try await router.pay("https://coffee.example/order/42", as: payer))")
        print("paying it again: \(try await router.pay("https://coffee.example/order/42", as: payer))")
        print("the gateway was asked to pay \(await gateway.payments) time")
    }
}
