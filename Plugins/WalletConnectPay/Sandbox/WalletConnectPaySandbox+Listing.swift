package import PaymentCore
package import PaymentLoopback
package import SandboxSupport

extension WalletConnectPaySandbox: ListedService {
    package nonisolated var id: String { WalletConnectPayVendor().id.rawValue }
    package nonisolated var title: String { "WalletConnect Pay" }
    package nonisolated var hint: String? {
        "For a server: the API key is \(Self.testKey.reveal()) or \(Self.liveKey.reveal()), "
            + "the merchant \(Self.merchantID); 'payroute sandbox new' makes a payment."
    }

    package nonisolated var examples: [ListedExample] {
        let link = "/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"
        return [
            ListedExample("WalletConnect Pay", "https://pay.walletconnect.com\(link)"),
            ListedExample("A look-alike", "https://pay.walletconnect.com.evil.example\(link)"),
        ]
    }

    package nonisolated var scenarios: [ListedScenario] {
        Scenario.allCases.map {
            ListedScenario(name: $0.rawValue, summary: $0.summary, outcome: $0.statedOutcome.rawValue)
        }
    }

    package nonisolated var tampered: [ListedScenario] {
        TamperedAnswer.all.map { .tampered(name: $0.name, summary: $0.summary) }
    }

    package nonisolated func routes() -> [SharedAddress.Tenant] {
        // Another vendor has a refund call, too; its credentials use another header field.
        let (header, paths) = Self.keyedPaths
        return [.init(self, paths: Self.paths), .init(self, paths: paths, header: header)]
    }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        if let answer = TamperedAnswer.all.first(where: { $0.name == scenario }) {
            guard amount == nil else { return nil }
            let payment = createPayment(tampered: answer)
            return SandboxPayment(id: payment.id, scenario: answer.name, summary: answer.summary, link: payment.link)
        }
        guard let scenario = Scenario(rawValue: scenario) else { return nil }
        // Its scenarios are priced in dollars.
        if let amount, amount.currency.description != "USD" { return nil }
        let payment = amount.map { createPayment(scenario, cents: $0.minorUnits) } ?? createPayment(scenario)
        return SandboxPayment(
            id: payment.id, scenario: scenario.rawValue, summary: scenario.summary, link: payment.link)
    }

    package func payment(named word: String) -> String? { payments[word]?.id }

    package func facts(of payment: String) -> ListedFacts {
        payments[payment].map { ListedFacts(payee: $0.merchant, amount: $0.money) } ?? ListedFacts()
    }

    /// Every payment's link stands on its buyer's page.
    package func payable(_ payment: String) -> SandboxPayment? {
        payments[payment].map {
            SandboxPayment(
                id: $0.id, scenario: $0.scenario.rawValue, summary: $0.scenario.summary,
                link: PaymentIDs.link(to: $0.id))
        }
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard payments[payment] != nil else { return [] }
        var pages = [ListedPage("Buyer's page", "/buyer/\(payment)")]
        let accounts = accountsForForm(of: payment)
        if !accounts.isEmpty {
            let list = PercentCoding.encode(accounts.joined(separator: ","))
            pages.append(ListedPage("Data form", "/collect/?pid=\(payment)&accounts=\(list)"))
        }
        return pages
    }

    /// Returns the accounts of a usable form. Before any payer's request these are the simulated payer's, so that the
    /// form can be viewed.
    private func accountsForForm(of payment: String) -> [String] {
        guard var record = payments[payment], record.status == .requiresAction else { return [] }
        let plan = record.scenario.plan
        if record.offers.isEmpty, record.tampered == nil, plan.data != .none {
            let factory = OfferFactory(plan: plan, configuration: configuration, random: random, now: now)
            for offer in factory.offers(for: record, accounts: SandboxWallet().payer().accounts) {
                record.offers[offer.id] = offer
            }
            payments[payment] = record
        }
        return record.accountsAskedForData.sorted()
    }

    package func notifications(from index: Int) -> [SentNotification] { webhooks.dropFirst(index).map(summary) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = webhooks.lastIndex(where: { $0.payment == payment }),
            let url = configuration.endpoint(of: webhooks[index].world)?.url,
            let transport = configuration.webhookTransport
        else { return nil }
        await send(index, to: url, over: transport)
        return summary(webhooks[index])
    }

    private func summary(_ webhook: Webhook) -> SentNotification {
        let endpoint = configuration.endpoint(of: webhook.world)
        return SentNotification(
            payment: webhook.payment, kind: webhook.kind, attempts: webhook.attempts, isDelivered: webhook.isDelivered,
            isSent: endpoint?.url != nil && configuration.webhookTransport != nil)
    }

    package func expire() {
        let now = now
        for (id, payment) in payments where payment.status == .requiresAction && payment.expiresAt <= now {
            expireNow(id)
        }
    }
}
