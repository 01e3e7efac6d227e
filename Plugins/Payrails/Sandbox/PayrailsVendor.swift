package import PaymentCore
package import PaymentWallet
import PayrailsMerchant
import PayrailsProvider
package import SandboxSupport

/// Payrails in the form that code for all vendors uses.
package struct PayrailsVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { PayrailsProvider.id }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        [PayrailsProvider(additionalHosts: settings.sandbox.map { [$0.authority] } ?? [])]
    }

    package func merchants(at sandbox: HTTPURL) throws -> [any PaymentService] {
        let known = PayrailsSandbox.Configuration()
        return [
            PayrailsMerchant(
                endpoint: try PayrailsEndpoint(baseURL: sandbox.text),
                credentials: PayrailsCredentials(clientID: known.clientID, secret: known.clientSecret),
                captureMode: .instant)
        ]
    }

    package func makeSandbox(_ settings: SandboxSettings) -> (any ListedService)? {
        var configuration = PayrailsSandbox.Configuration()
        if let lifetime = settings.lifetime { configuration.tokenLifetime = lifetime }
        configuration.notificationTransport = settings.transport
        return PayrailsSandbox(configuration, clock: settings.clock, random: settings.random)
    }

    package func payer(
        _ wallet: DevelopmentWallet, at sandbox: HTTPURL, over transport: any HTTPTransport
    ) -> Payer? { PayrailsSandbox.payer(transport: transport) }

    package var pagePaths: [String] { PayrailsSandbox.paths }

    package func details(of link: PaymentLink) -> LinkDetails {
        guard let session = SessionSummary(link) else { return LinkDetails() }
        return LinkDetails(
            amount: session.amount, expires: session.expiresAt,
            [
                "order": session.order,
                "host": session.hosts.isEmpty ? nil : session.hosts.joined(separator: " "),
            ])
    }

    package func merchantNames(of payment: PaymentReference) -> [PaymentReference] {
        [PaymentReference(provider: PayrailsMerchant.id, id: payment.id)]
    }

    /// Only the link holds the payer's credentials: without it the merchant's reference is used for status queries.
    package func statusName(of payment: PaymentReference) -> PaymentReference {
        PaymentReference(provider: PayrailsMerchant.id, id: payment.id)
    }

    package var demo: [DemoScenario] {
        func demo(
            _ title: String, _ scenario: PayrailsSandbox.Scenario, _ ending: DemoScenario.Ending, captures: Int,
            last: LedgerStatus
        ) -> DemoScenario {
            DemoScenario(title, scenario.rawValue, ending, captures: captures, lastEvent: last)
        }
        return [
            demo("stored card", .paid, .succeeded, captures: 1, last: .captured),
            demo("the bank asks the payer", .challenge, .succeeded, captures: 1, last: .captured),
            demo("declined, then said pending", .declinedThenPending, .declined, captures: 0, last: .failed),
            demo("answer that cannot be read", .garbledAnswer, .succeeded, captures: 1, last: .captured),
        ]
    }

    package var samples: [SampleText] {
        [
            SampleText(
                "back from a bank (Payrails)", "https://assets.payrails.io/html/payrails-success.html", .matched,
                isVerified: true)
        ]
    }
}
