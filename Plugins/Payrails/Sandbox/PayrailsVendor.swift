package import PaymentCore
package import PaymentLoopback
package import PaymentTesting
package import PaymentWallet
import PayrailsMerchant
import PayrailsProvider
package import SandboxSupport

/// Payrails in the form that code for all vendors uses.
package struct PayrailsVendor: SandboxVendor {
    package init() {}

    package var id: ProviderID { PayrailsProvider.id }

    package func providers(_ settings: VendorSettings) throws -> [any PaymentService] {
        let other = try settings.sandbox ?? settings.accounts[id]?["url"].map { try HTTPURL($0) }
        return [PayrailsProvider(additionalHosts: other.map { [$0.authority] } ?? [])]
    }

    package var accountMembers: [VendorAccount.Member] {
        [
            .init("clientID", "the client id", isRequired: true),
            .init("clientSecretFile", "the client secret", isRequired: true),
            .init("captureMode", "Instant, Delayed or Manual, as in the portal", isRequired: true),
            .init("workflow", "the workflow's code"), .init("workspace", "the workspace's id"),
            .init("notificationSecretFile", "the secrets of the notifications"),
            .init("certificateFile", "the client's certificate"),
            .init("certificateKeyFile", "the private key of that"),
            .init("url", "another address of the service"),
        ]
    }

    package func merchants(of account: VendorAccount) throws -> [any PaymentService] {
        guard let clientID = account["clientID"], let secret = account.secrets("clientSecretFile").first else {
            throw PaymentError(.unauthorized, "clientSecretFile has no secret")
        }
        guard let mode = account["captureMode"].flatMap(PayrailsCaptureMode.init) else {
            throw PaymentError(.unauthorized, "captureMode is Instant, Delayed or Manual")
        }
        return [
            PayrailsMerchant(
                endpoint: try account["url"].map { try PayrailsEndpoint(baseURL: $0) } ?? .production,
                credentials: PayrailsCredentials(clientID: clientID, secret: secret), captureMode: mode,
                workflow: account["workflow"] ?? "payment-acceptance", workspace: account["workspace"],
                notificationSecrets: account.secrets("notificationSecretFile"))
        ]
    }

    package func accounts(at sandbox: HTTPURL) -> [VendorAccount] {
        let known = PayrailsSandbox.Configuration()
        return [
            VendorAccount(
                texts: ["url": sandbox.text, "clientID": known.clientID, "captureMode": "Instant"],
                files: ["clientSecretFile": known.clientSecret])
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
        typealias Scenario = PayrailsSandbox.Scenario
        return [
            DemoScenario("stored card", Scenario.paid, .succeeded, captures: 1, last: .captured),
            DemoScenario("the bank asks the payer", Scenario.challenge, .succeeded, captures: 1, last: .captured),
            DemoScenario(
                "declined, then said pending", Scenario.declinedThenPending, .declined, captures: 0, last: .failed),
            DemoScenario(
                "answer that cannot be read", Scenario.garbledAnswer, .succeeded, captures: 1, last: .captured),
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

extension PayrailsSandbox: ListedService {
    package nonisolated var id: String { PayrailsVendor().id.rawValue }
    package nonisolated var title: String { "Payrails" }
    package nonisolated var currency: String? { "EUR" }
    package nonisolated var hint: String? {
        let known = Configuration()
        return "For a server: the client id is \(known.clientID), its secret \(known.clientSecret.reveal()); "
            + "meta.sandboxScenario chooses a scenario."
    }

    package nonisolated var scenarios: [SimulatedScenario] { Scenario.allCases.map { SimulatedScenario($0) } }

    package nonisolated var pages: [ListedPage] {
        [
            ListedPage("Payrails checkouts with stored cards", "/checkout"),
            ListedPage("Payrails return page: success", "/html/payrails-success.html"),
            ListedPage("Payrails return page: cancelled", "/html/payrails-cancel.html"),
            ListedPage("Payrails return page: failed", "/html/payrails-error.html"),
            ListedPage("Payrails return page: in progress", "/html/payrails-pending.html"),
        ]
    }

    /// Routes to a shop in front of the sandbox, with the library's checkout page.
    package nonisolated func routes() -> [SharedAddress.Tenant] {
        [.init(PayrailsCheckout(self, clock: clock, random: random), paths: Self.paths)]
    }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = Scenario(rawValue: scenario) else { return nil }
        let session = createSession(scenario, amount: amount, base: base)
        return SandboxPayment(
            id: session.id, scenario: scenario.rawValue, summary: scenario.summary, link: session.link,
            isTrusted: false)
    }

    package func payment(named word: String) -> String? { executions[word]?.id }

    package func facts(of payment: String) -> ListedFacts {
        let price = executions[payment]?.amount
        let amount = price.flatMap { price in
            (try? FiatCurrency(price.currency)).flatMap { try? Money(decimal: price.value, currency: .fiat($0)) }
        }
        return ListedFacts(payee: Self.merchantName, amount: amount)
    }

    package func pages(of payment: String) -> [ListedPage] {
        executions[payment] == nil ? [] : [ListedPage("Checkout", "/checkout/\(payment)")]
    }

    package func notifications(from index: Int) -> [SentNotification]? { sent.dropFirst(index).map(summary) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = sent.lastIndex(where: { $0.execution == payment }),
            let transport = configuration.notificationTransport,
            let url = executions[payment]?.notificationURLs.compactMap({ try? HTTPURL($0) }).first
        else { return nil }
        await send(index, to: url, over: transport)
        return summary(sent[index])
    }

    private func summary(_ notification: Notification) -> SentNotification {
        let urls = executions[notification.execution]?.notificationURLs ?? []
        return SentNotification(
            payment: notification.execution, kind: notification.event, attempts: notification.attempts,
            isDelivered: !notification.deliveredTo.isEmpty,
            isSent: configuration.notificationTransport != nil && !urls.isEmpty)
    }

    package func expire() { _ = ledger }
}
