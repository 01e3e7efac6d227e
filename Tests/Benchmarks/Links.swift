import PaymentCore
import WalletConnectPayProvider

/// Scanned and tapped links: of registered providers, of others, and texts.
enum Links {
    static let mixed = [
        "https://pay.walletconnect.com/?pid=pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        "https://staging.pay.walletconnect.com/?pid=pay_95a2ecc101KFB3B5W45JBD6CH1KJPCW9T1",
        "https://pay.walletconnect.com/pay_95a2ecc101KEYG1NH580DF2J04MBNRWE7V",
        "wc:c4ef1cc525b890c9c46ed40656e9048452d1d3eafe7c77ac963255cf372bcc51@2?expiryTimestamp=1768825874"
            + "&relay-protocol=irn&symKey=b0487747501cd883edf2e08f33d802cd42d77631a3c9633c18b001507cfcbdc9"
            + "&pay=https%3A%2F%2Fstaging.pay.walletconnect.com%2F%3Fpid%3Dpay_95a2ecc101KFB3B5W45JBD6CH1KJPCW9T1",
        "wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?relay-protocol=irn"
            + "&symKey=587d5484ce2a2a6ee3ba1962fdd7e8588e06200c46823bd18fbd67def96ad303",
        "https://checkout.acme-store.example/c/pay/cs_live_a1Qx3wZqX0uGq7?locale=de&utm_source=newsletter",
        "https://m.shop.example.net/orders/2291?currency=EUR",
        "LIGHTNING:LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZ",
        "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00021&label=Coffee",
        "https://www.example.org/articles/2026/how-to-pay?ref=home#comments",
        "00020101021226580014br.gov.bcb.pix0136123e4567-e12b-12d3-a456-426655440000520400005303986540510.005802BR",
        "acme_pay_01J9ZQ4T8Y",
    ]

    /// The four providers that the mixed links name.
    ///
    /// - Parameter reading: true if WalletConnect Pay reads its links as in production; otherwise it takes them as the
    ///   others do, and only the routing remains.
    static func providers(reading: Bool) throws -> [any PaymentProvider] {
        let walletConnect = WalletConnectPayProvider(configuration: try GatewayConfiguration(appID: "benchmark"))
        return [
            reading ? walletConnect : PatternProvider("walletconnect-pay", walletConnect.descriptor.patterns),
            PatternProvider(
                "acme", [.host("checkout.acme-store.example", path: "/c/pay"), .textPrefix("acme_pay_")]),
            PatternProvider("shop", [.hostSuffix("shop.example.net"), .returnURL("shopapp://return/pay")]),
            PatternProvider("lightning", [.scheme("lightning")]),
        ]
    }

    /// A provider that none of the mixed links name.
    static func stranger(_ index: Int) -> any PaymentProvider {
        let patterns: [LinkPattern] =
            switch index % 5 {
            case 0: [.host("pay.merchant-\(index).example")]
            case 1: [.hostSuffix("checkout-\(index).example.com"), .scheme("pay\(index)")]
            case 2:
                [
                    .host("www.shop-\(index).example", path: "/pay"),
                    .host("www.shop-\(index).example", path: "/invoice"),
                ]
            case 3: [.scheme("wallet-\(index)"), .returnURL("wallet-\(index)://done")]
            default: [.hostSuffix("psp\(index).example.net", path: "/v2/links"), .textPrefix("pl\(index)_")]
            }
        return PatternProvider("stranger-\(index)", patterns)
    }
}

/// A provider that takes every link its patterns match; the cost of routing without a provider's own reading.
struct PatternProvider: PaymentProvider {
    let descriptor: ProviderDescriptor

    init(_ id: String, _ patterns: [LinkPattern]) {
        descriptor = ProviderDescriptor(
            id: ProviderID(rawValue: id), name: id, patterns: patterns, outboundHosts: [])
    }

    func recognize(_ link: PaymentLink) -> LinkMatch? { LinkMatch(nil) }

    func quote(_ request: QuoteRequest, in context: ProviderContext) async throws -> ProviderQuote {
        throw PaymentError(.unsupported, "only routes")
    }

    func pay(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> ServiceReport {
        throw PaymentError(.unsupported, "only routes")
    }

    func status(of payment: PaymentReference, in context: ProviderContext) async throws -> ServiceReport {
        throw PaymentError(.unsupported, "only routes")
    }
}
