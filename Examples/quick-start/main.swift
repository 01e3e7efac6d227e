import PaymentRouting
import PaymentTransport
import WalletConnectPayProvider

let router = try PaymentRouter(
    providers: [WalletConnectPayProvider(appID: "your-app-id")], transport: .standard)

for text in ["https://pay.walletconnect.com/?pid=pay_123", "https://pay.walletconnect.com.evil.example/?pid=pay_123"] {
    print(text, "->", router.route(text).explanation)
}
