import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import WalletConnectPayProvider

let provider = WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "your-app-id"))
let router = PaymentRouter(
    registry: try ProviderRegistry([provider]), transport: StandardTransport(), journal: InMemoryJournal())

for text in ["https://pay.walletconnect.com/?pid=pay_123", "https://pay.walletconnect.com.evil.example/?pid=pay_123"] {
    print(text, "->", router.route(text).explanation)
}
