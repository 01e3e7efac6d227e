package import PaymentCore
package import PaymentLoopback
package import SandboxSupport

extension CitconSandbox: ListedService {
    package nonisolated var id: String { CitconVendor().id.rawValue }
    package nonisolated var title: String { "Citcon" }
    package nonisolated var hint: String? {
        "For a server: the private key is \(Self.privateKey.reveal()); notifications go to a urls.ipn on this machine."
    }

    package nonisolated var scenarios: [ListedScenario] {
        Scenario.allCases.map {
            ListedScenario(name: $0.rawValue, summary: $0.summary, outcome: $0.expectedOutcome.rawValue)
        }
    }

    package nonisolated func routes() -> [SharedAddress.Tenant] { [.init(self, paths: Self.paths)] }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        guard let scenario = Scenario(rawValue: scenario),
            let charge = amount.map({ createCharge(scenario, over: $0) }) ?? createCharge(scenario)
        else { return nil }
        return SandboxPayment(
            id: charge.id, scenario: scenario.rawValue, summary: scenario.summary, link: charge.link)
    }

    package func payment(named word: String) -> String? {
        (charges[word] ?? tokensByID[word].flatMap { charges[$0] } ?? tokensByPage[word].flatMap { charges[$0] })?.id
    }

    package func facts(of payment: String) -> ListedFacts {
        ListedFacts(payee: configuration.merchant, amount: tokensByID[payment].flatMap { charges[$0]?.money })
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard let token = tokensByID[payment], var charge = charges[token] else { return [] }
        if charge.pages.isEmpty {
            // A page replaces the wallet for users without one.
            charge.pages = makePages(of: charge, for: ["mobile_browser"])
            charges[token] = charge
        }
        return charge.pages.map { page in
            page.format == "qr"
                ? ListedPage("Code to scan", "/v1/qr/\(page.id)?from=home")
                : ListedPage("Payment page", "/v1/landing/\(page.id)?from=home")
        }
    }

    package func notifications(from index: Int) -> [SentNotification] { notifications.dropFirst(index).map(summary) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = notifications.lastIndex(where: { $0.charge == payment }),
            let transport = configuration.notifications, let url = try? HTTPURL(notifications[index].url)
        else { return nil }
        await send(index, to: url, over: transport)
        return summary(notifications[index])
    }

    private func summary(_ notification: Notification) -> SentNotification {
        SentNotification(
            payment: notification.charge, kind: notification.status, attempts: notification.attempts,
            isDelivered: notification.isDelivered,
            isSent: configuration.notifications != nil && (try? HTTPURL(notification.url)) != nil)
    }

    package func expire() {
        for token in Array(charges.keys) { _ = try? charge(token) }
    }
}
