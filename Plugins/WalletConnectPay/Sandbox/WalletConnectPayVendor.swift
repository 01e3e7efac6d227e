package import PaymentCore
import PaymentReview
package import PaymentWallet
package import SandboxSupport
import WalletConnectPayMerchant
import WalletConnectPayProvider

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// WalletConnect Pay's description for code that handles all vendors.
package struct WalletConnectPayVendor: SandboxVendor {
    /// The merchant in the test environment. The live one has the merchant's usual id.
    private static let testMerchant: ProviderID = "walletconnect-pay-merchant-test"

    package init() {}

    package var id: ProviderID { WalletConnectPayProvider.id }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        // The sandbox accepts any key.
        var reviewer = SigningReviewer(allowedTokens: settings.allowedTokens)
        guard let sandbox = settings.sandbox else {
            let account = settings.accounts[id]
            let gateway = try GatewayConfiguration(
                appID: account?["appID"] ?? "none", baseURL: account?["url"] ?? GatewayConfiguration.productionURL)
            return [WalletConnectPayProvider(configuration: gateway, reviewer: reviewer)]
        }
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("sandbox")), baseURL: sandbox.text)
        // Tron transactions cannot be reviewed yet. The sandbox's are signed anyway, to show the flow.
        reviewer.unreviewedMethods = ["tron_signTransaction"]
        return [WalletConnectPayProvider(configuration: gateway, reviewer: reviewer)]
    }

    package var accountMembers: [VendorAccount.Member] {
        [
            .init("appID", "the wallet's app id, to pay"), .init("merchantID", "the merchant's id"),
            .init("keyFile", "the partner's API key"),
            .init("webhookSecretFile", "the secrets of the webhook endpoint"),
            .init("url", "another address of the service"),
        ]
    }

    package func merchants(of account: VendorAccount) throws -> [any PaymentService] {
        guard let merchant = account["merchantID"], let key = account.secrets("keyFile").first else {
            guard account["merchantID"] == nil, account.secrets("keyFile").isEmpty else {
                throw PaymentError(.unauthorized, "merchantID and keyFile belong together")
            }
            return []
        }
        return [
            try WalletConnectPayMerchant(
                id: account["id"].map { ProviderID(rawValue: $0) } ?? WalletConnectPayMerchant.id,
                merchantID: merchant, key: try WalletConnectPayMerchant.Key(key),
                webhookSecrets: try account.secrets("webhookSecretFile").map {
                    try WalletConnectPayMerchant.WebhookSecret($0)
                }, baseURL: account["url"] ?? WalletConnectPayMerchant.productionURL)
        ]
    }

    package var unknownPayment: String { "pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV" }

    /// Only a sandbox's account states the id of its service: it has one for each environment.
    package func accounts(at sandbox: HTTPURL) -> [VendorAccount] {
        [
            (WalletConnectPayMerchant.id, WalletConnectPaySandbox.liveKey),
            (Self.testMerchant, WalletConnectPaySandbox.testKey),
        ].map { id, key in
            VendorAccount(
                texts: [
                    "id": id.rawValue, "merchantID": WalletConnectPaySandbox.merchantID, "url": sandbox.text,
                ], files: ["keyFile": key])
        }
    }

    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? {
        var configuration = WalletConnectPaySandbox.Configuration()
        if let lifetime = settings.lifetime { configuration.lifetime = lifetime }
        if let pace = settings.pace { configuration.pollInMs = pace }
        if let webhooks = settings.webhooks {
            configuration.testWebhooks = .init(url: webhooks)
            configuration.liveWebhooks = .init(url: webhooks)
            configuration.webhookTransport = settings.transport
        }
        return WalletConnectPaySandbox(configuration, clock: settings.clock, random: settings.random)
    }

    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { SandboxWallet(wallet).payer() }

    package func createPayment(
        _ order: SandboxOrder, at sandbox: HTTPURL, over transport: any HTTPTransport, clock: any PaymentClock
    ) async throws -> CreatedSandboxPayment? {
        let key = order.isLive ? WalletConnectPaySandbox.liveKey : WalletConnectPaySandbox.testKey
        let merchant = try WalletConnectPayMerchant(
            merchantID: order.merchant ?? WalletConnectPaySandbox.merchantID,
            key: try WalletConnectPayMerchant.Key(key), baseURL: sandbox.text)
        let payment = try await merchant.client(over: transport, clock: clock).createPayment(
            WalletConnectPayMerchant.Order(
                reference: order.reference, amount: order.amount, expiresAt: order.expiresAt))
        return CreatedSandboxPayment(
            id: payment.reference.id, link: payment.link, expiresAt: payment.expiresAt, merchant: merchant.merchantID,
            mode: merchant.mode.rawValue)
    }

    /// Returns the details of a pairing URI, which contains the payment link and the expiry of the pairing.
    package func details(of link: PaymentLink) -> LinkDetails {
        guard link.scheme == "wc" else { return LinkDetails() }
        let inner = link.queryItems.first { $0.name == "pay" }?.decodedValue.flatMap { try? PaymentLink($0) }
        let seconds = link.queryItems.first { $0.name == "expiryTimestamp" }?.decodedValue.flatMap { Int64($0) }
        return LinkDetails(
            expires: seconds.flatMap {
                (0...4_102_444_800).contains($0) ? Date(timeIntervalSince1970: Double($0)) : nil
            }, ["host": inner?.host.map { String($0) }])
    }

    /// Returns the payment's names in both environments: only the service knows which one has it.
    package func merchantNames(of payment: PaymentReference) -> [PaymentReference] {
        [WalletConnectPayMerchant.id, Self.testMerchant].map { PaymentReference(provider: $0, id: payment.id) }
    }

    package var demo: [DemoScenario] {
        typealias Scenario = WalletConnectPaySandbox.Scenario
        return [
            DemoScenario("paid at once", Scenario.paidAtOnce, .succeeded, captures: 1, last: .settled),
            DemoScenario("paid after polling", Scenario.paidAfterPolling, .succeeded, captures: 1, last: .settled),
            DemoScenario(
                "answer lost on the way", Scenario.paidAfterPolling, .succeeded, captures: 1, last: .settled,
                lostAnswer: "/confirm"),
            DemoScenario(
                "same link paid twice", Scenario.paidAtOnce, .succeeded, captures: 1, last: .settled, isPaidTwice: true),
            DemoScenario(
                "payer declines", Scenario.paidAtOnce, .cancelled, captures: 0, last: .created, isRefused: true),
            DemoScenario("payment expired", Scenario.expired, .expired, captures: 0, last: .expired),
            DemoScenario("too little money", Scenario.insufficientOptions, .declined, captures: 0, last: .created),
            DemoScenario("already paid", Scenario.alreadyPaid, .succeeded, captures: 0, last: .created),
            DemoScenario(
                "cancelled by merchant", Scenario.cancelledByMerchant, .cancelled, captures: 0, last: .created),
            DemoScenario("fails after confirming", Scenario.failsAfterConfirm, .unknown, captures: 1, last: .failed),
            DemoScenario(
                "refused for compliance", Scenario.declinedForCompliance, .unknown, captures: 1, last: .failed),
        ]
    }

    package var samples: [SampleText] {
        let id = unknownPayment
        let encoded = "https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3D\(id)"
        let pairing = "wc:c4ef1cc5@2?relay-protocol=irn&symKey=b0487747"
        return [
            SampleText("payment link", "https://pay.walletconnect.com/?pid=\(id)", .matched, isVerified: true),
            SampleText("the same inside a pairing URI", "\(pairing)&pay=\(encoded)", .matched, isVerified: true),
            SampleText("the same, percent-encoded", encoded, .matched, isVerified: true),
            SampleText("short link", "https://pay.wct.me/7fA2ec", .matched, isVerified: true),
            SampleText("bare id", id, .matched, isVerified: false),
            SampleText("plain http", "http://pay.walletconnect.com/?pid=\(id)", .matched, isVerified: false),
            SampleText("look-alike host", "https://pay.walletconnect.com.evil.example/?pid=\(id)", .unroutable),
            SampleText("look-alike letter", "https://p\u{430}y.walletconnect.com/?pid=\(id)", .rejected),
            SampleText(
                "host hidden by user name", "https://pay.walletconnect.com@evil.example/?pid=\(id)", .rejected),
            SampleText("pairing without payment", pairing, .unroutable),
        ]
    }
}
