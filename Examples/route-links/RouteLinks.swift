import PaymentCore
import PaymentRouting
import WalletConnectPayProvider

/// Routes a mixed list of links and prints the reason of each decision. Nothing is sent.
/// Run it with `swift run route-links`.
@main
struct RouteLinks {
    static let links = [
        "https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        "HTTPS://PAY.WALLETCONNECT.COM/pay_123",
        "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123",
        "wc:abc123@2?relay-protocol=irn&symKey=xyz&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_123",
        "https://pay.wct.me/123",
        "pay_123",
        "http://pay.walletconnect.com/pay_123",
        "wc:abc123@2?relay-protocol=irn&symKey=xyz",
        "https://pay.walletconnect.com@evil.example/?pid=pay_123",
        "https://pay.walletconnect.com.evil.example/?pid=pay_123",
        "https://p\u{430}y.walletconnect.com/?pid=pay_123",
        "https:/\\pay.walletconnect.com/?pid=pay_123",
        "https://shop.example/checkout/17",
        "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    ]

    static func main() throws {
        let registry = try ProviderRegistry([
            WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "example"))
        ])
        for link in links {
            let decision = registry.route(link)
            let name =
                switch decision {
                case .matched(let route): route.match.trust == .verified ? "verified  " : "unverified"
                case .ambiguous, .unclear: "ambiguous "
                case .recognized: "recognized"
                case .rejected, .defective: "rejected  "
                // Another version may have further decisions; none of them is a match.
                default: "unroutable"
                }
            print("\(name)  \(link)\n            \(decision.explanation)")
        }
    }
}
