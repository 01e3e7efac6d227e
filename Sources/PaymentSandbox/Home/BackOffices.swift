import PaykitProvider
import PaymentCore

/// What the home asks the services, each of which knows its own payments.
extension WalletConnectPaySandbox: BackOffice {
    package nonisolated var notifies: Bool { true }

    package func payment(named word: String) -> String? { payments[word]?.id }

    package func pages(of payment: String) -> [ListedPage] {
        guard payments[payment] != nil else { return [] }
        var pages = [ListedPage("Buyer's page", "/buyer/\(payment)")]
        let accounts = accountsToTell(of: payment)
        if !accounts.isEmpty {
            let list = PercentCoding.encode(accounts.joined(separator: ","))
            pages.append(ListedPage("Data form", "/collect/?pid=\(payment)&accounts=\(list)"))
        }
        return pages
    }

    /// The accounts that the form is about, while it can be used. Where no payer has asked yet it is the simulated payer's,
    /// so that people can look at the form, too.
    private func accountsToTell(of payment: String) -> [String] {
        guard var record = payments[payment], record.status == .requiresAction else { return [] }
        let plan = record.scenario.plan
        if record.offers.isEmpty, record.lie == nil, plan.data != .none {
            let factory = OfferFactory(plan: plan, configuration: configuration, random: random, now: now)
            for offer in factory.offers(for: record, accounts: SandboxWallet().payer().accounts) {
                record.offers[offer.id] = offer
            }
            payments[payment] = record
        }
        return record.accountsAskedForData.sorted()
    }

    package func notifications(from index: Int) -> [SentNotification] { webhooks.dropFirst(index).map(told) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = webhooks.lastIndex(where: { $0.payment == payment }),
            let url = configuration.endpoint(of: webhooks[index].world)?.url,
            let transport = configuration.webhookTransport
        else { return nil }
        await send(index, to: url, over: transport)
        return told(webhooks[index])
    }

    private func told(_ webhook: Webhook) -> SentNotification {
        let endpoint = configuration.endpoint(of: webhook.world)
        return SentNotification(
            payment: webhook.payment, kind: webhook.kind, attempts: webhook.attempts, isDelivered: webhook.isDelivered,
            isSent: endpoint?.url != nil && configuration.webhookTransport != nil)
    }

    package func lookAtTheClock() {
        let now = now
        for (id, payment) in payments where payment.status == .requiresAction && payment.expiresAt <= now {
            expireNow(id)
        }
    }
}

extension CitconSandbox: BackOffice {
    package nonisolated var notifies: Bool { true }

    package func payment(named word: String) -> String? {
        (charges[word] ?? tokensByID[word].flatMap { charges[$0] } ?? tokensByPage[word].flatMap { charges[$0] })?.id
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard let token = tokensByID[payment], var charge = charges[token] else { return [] }
        if charge.pages.isEmpty {
            // What a wallet would be started for is asked on a page here, for people without one.
            charge.pages = makePages(of: charge, for: ["mobile_browser"])
            charges[token] = charge
        }
        return charge.pages.map { page in
            page.format == "qr"
                ? ListedPage("Code to scan", "/v1/qr/\(page.id)?from=home")
                : ListedPage("Payment page", "/v1/landing/\(page.id)?from=home")
        }
    }

    package func notifications(from index: Int) -> [SentNotification] { notifications.dropFirst(index).map(told) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = notifications.lastIndex(where: { $0.charge == payment }),
            let transport = configuration.notifications, let url = try? HTTPURL(notifications[index].url)
        else { return nil }
        await send(index, to: url, over: transport)
        return told(notifications[index])
    }

    private func told(_ notification: Notification) -> SentNotification {
        SentNotification(
            payment: notification.charge, kind: notification.status, attempts: notification.attempts,
            isDelivered: notification.isDelivered,
            isSent: configuration.notifications != nil && (try? HTTPURL(notification.url)) != nil)
    }

    package func lookAtTheClock() {
        for token in Array(charges.keys) { _ = try? charge(token) }
    }
}

extension PayrailsSandbox: BackOffice {
    package nonisolated var notifies: Bool { true }

    package func payment(named word: String) -> String? { executions[word]?.id }

    package func pages(of payment: String) -> [ListedPage] {
        executions[payment] == nil ? [] : [ListedPage("Checkout", "/checkout/\(payment)")]
    }

    package func notifications(from index: Int) -> [SentNotification] { sent.dropFirst(index).map(told) }

    package func notifyAgain(about payment: String) async -> SentNotification? {
        guard let index = sent.lastIndex(where: { $0.execution == payment }),
            let transport = configuration.notificationTransport,
            let url = executions[payment]?.notificationURLs.compactMap({ try? HTTPURL($0) }).first
        else { return nil }
        await send(index, to: url, over: transport)
        return told(sent[index])
    }

    private func told(_ notification: Notification) -> SentNotification {
        let urls = executions[notification.execution]?.notificationURLs ?? []
        return SentNotification(
            payment: notification.execution, kind: notification.event, attempts: notification.attempts,
            isDelivered: !notification.deliveredTo.isEmpty,
            isSent: configuration.notificationTransport != nil && !urls.isEmpty)
    }

    package func lookAtTheClock() { _ = ledger }
}

/// Payments are called by the keys of their payees. Nobody is notified: payees look at what came in.
extension PubkySandbox: BackOffice {
    package nonisolated var notifies: Bool { false }

    package func payment(named word: String) -> String? {
        (invoices[word]?.payee ?? transactions[word] ?? payees[word])?.text
    }

    package func pages(of payment: String) -> [ListedPage] {
        guard let key = try? PubkyKey(payment), users[key] != nil else { return [] }
        return [
            ListedPage("Payer's wallet", "/sandbox/paykit/payer/\(key)"),
            ListedPage("Payee's side", "/sandbox/paykit/payees/\(key)"),
        ]
    }

    package func notifications(from index: Int) -> [SentNotification] { [] }

    package func notifyAgain(about payment: String) async -> SentNotification? { nil }

    package func lookAtTheClock() {}
}
