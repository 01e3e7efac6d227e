package import PaymentCore
package import PaymentLoopback
package import SandboxSupport

extension PayrailsSandbox: ListedService {
    package nonisolated var id: String { PayrailsVendor().id.rawValue }
    package nonisolated var title: String { "Payrails" }
    package nonisolated var currency: String { "EUR" }
    package nonisolated var hint: String? {
        let known = Configuration()
        return "For a server: the client id is \(known.clientID), its secret \(known.clientSecret.reveal()); "
            + "meta.sandboxScenario chooses a scenario."
    }

    package nonisolated var scenarios: [ListedScenario] {
        Scenario.allCases.map {
            ListedScenario(name: $0.rawValue, summary: $0.summary, outcome: $0.expectedOutcome.rawValue)
        }
    }

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

    package func notifications(from index: Int) -> [SentNotification] { sent.dropFirst(index).map(summary) }

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
