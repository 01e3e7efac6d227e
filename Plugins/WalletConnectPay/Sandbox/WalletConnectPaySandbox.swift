public import PaymentCore
package import PaymentLoopback
public import PaymentTesting
package import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A simulated WalletConnect Pay: the wallet-facing gateway, the merchant API and the payer's data form, with payments
/// that really change state. Offline; no money, no chain.
///
/// Shape-strict: unknown paths, missing credentials and malformed bodies get the service's own errors. Signatures are
/// verified: a payment is captured only when each recovered signer is the option's account.
public actor WalletConnectPaySandbox: SandboxService {
    /// The events so far.
    public private(set) var ledger = SandboxLedger()

    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    var payments: [String: PaymentRecord] = [:]
    /// The payments by a merchant's idempotency key, with the bodies of the requests that made them.
    var keys: [String: (body: [UInt8], payment: String)] = [:]
    /// The first answers by the idempotency key of requests about merchants and settlements.
    var answers: [String: (body: [UInt8], answer: HTTPResponse)] = [:]
    var merchants: [World: [MerchantRecord]]
    var deletedSettlements: Set<String> = []
    /// Every event for a merchant's webhooks, oldest first.
    public internal(set) var webhooks: [Webhook] = []
    var deliveries: [Int: Task<Void, Never>] = [:]

    /// Creates an empty sandbox.
    ///
    /// - Parameters:
    ///   - configuration: the timing and the addresses.
    ///   - clock: decides when payments and prices expire. Held requests wait on it.
    ///   - random: makes ids, nonces and transaction ids.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
        let first = MerchantRecord(
            id: Self.merchantID, name: Self.merchantName, createdAt: Self.time(clock.now))
        merchants = Dictionary(uniqueKeysWithValues: World.allCases.map { ($0, [first]) })
    }

    /// The name of the initial merchant.
    private static let merchantName = "Kaffeehaus am Platz"

    /// Creates a payment with the behaviour of `scenario`.
    ///
    /// - Parameters:
    ///   - scenario: the behaviour.
    ///   - cents: the amount in US cents. More than 2^64 - 1 counts as that.
    ///   - merchant: the payee's name as payers see it.
    public func createPayment(
        _ scenario: Scenario = .paidAtOnce, cents: UInt128 = 1250, merchant: String = "Kaffeehaus am Platz"
    ) -> Payment {
        let plan = scenario.plan
        var record = PaymentRecord(
            id: PaymentIDs.make(at: clock.now, random), referenceID: "SANDBOX-\(payments.count + 1)",
            units: min(cents, UInt128(UInt64.max)), merchant: merchant, scenario: scenario,
            expiresAt: now + (plan.isOver ? -60 : configuration.lifetime))
        if plan.status == .succeeded { record.transfer = otherPayersTransfer(record) }
        // Its merchant is notified of it as of a payment that is not paid yet.
        add(record)
        payments[record.id]?.status = plan.status
        return Payment(id: record.id, link: PaymentIDs.link(to: record.id), scenario: scenario)
    }

    /// Creates a payment over another amount, or nil for the usual one. Returns nil for one that is not in dollars.
    package func createPayment(_ scenario: Scenario, over amount: Money?) -> Payment? {
        guard let amount else { return createPayment(scenario) }
        return amount.currency == .usd ? createPayment(scenario, cents: amount.minorUnits) : nil
    }

    /// Pays a payment with another payer's wallet. The scenario can override the outcome. Does nothing when the payment
    /// can no longer be paid.
    ///
    /// - Parameter id: the payment's id.
    public func pay(_ id: String) {
        interrupt(id)
        guard let payment = try? payment(id), payment.status == .requiresAction, let offer = othersOffer(payment) else {
            return
        }
        capture(id, offer, [])
    }

    /// Answers one request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        do { return try await route(request) } catch { return error.response }
    }

    private func route(_ request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
        let path = request.url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        if path.starts(with: ["v1", "gateway", "payment"]), path.count >= 4 {
            try RequestChecks.wallet(request.headers)
            return try await gateway(request, PaymentIDs.resolve(segment: path[3]), Array(path.dropFirst(4)))
        }
        if path.starts(with: ["v1", "payments"]) {
            return try await merchant(request, Array(path.dropFirst(2)))
        }
        if path.starts(with: ["v1", "merchant", "payment"]) {
            return try await merchant(request, Array(path.dropFirst(3)))
        }
        if path == ["v1", "refunds"], request.method == .post { return try refund(request) }
        if path.starts(with: ["v1", "merchants"]) { return try accounts(request, Array(path.dropFirst(2))) }
        if path.count == 2, path[0] == "buyer", request.method == .get { return try buyerPage(path[1]) }
        if path.first == "collect" { return try identity(request, Array(path.dropFirst())) }
        throw .unknownPath
    }

    // MARK: State

    /// The time in Unix seconds.
    var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    /// The time in the format of RFC 3339.
    var timestamp: String { RFC3339(clock.now).text }

    func record(_ id: String, _ event: SandboxLedger.Event) {
        ledger.record(event, of: id)
        note(id, event)
    }

    /// Counts the new state of a payment, and notifies its merchant.
    private func note(_ id: String, _ event: SandboxLedger.Event) {
        let kinds: [String]
        switch event {
        case .created: kinds = ["payment.created"]
        case .captured: kinds = ["payment.processing"]
        case .settled: kinds = ["payment.succeeded", "payment.settled"]
        case .failed: kinds = ["payment.failed"]
        case .cancelled: kinds = ["payment.cancelled"]
        case .expired: kinds = ["payment.expired"]
        default: return
        }
        for kind in kinds {
            if kind != "payment.created" { payments[id]?.version += 1 }
            payments[id]?.changedAt = clock.now
            if kind == "payment.processing" { payments[id]?.processingAt = clock.now }
            if let payment = payments[id] { notify(kind, of: payment) }
        }
    }

    func add(_ record: PaymentRecord) {
        var record = record
        record.number = payments.count
        record.createdAt = clock.now
        payments[record.id] = record
        self.record(record.id, .created)
    }

    /// Returns the payment with `id`, its expiry applied.
    func payment(_ id: String) throws(ServiceError) -> PaymentRecord {
        guard let payment = payments[id] else { throw .paymentNotFound }
        if payment.status == .requiresAction, payment.expiresAt <= now { expireNow(id) }
        return payments[id] ?? payment
    }

    func expireNow(_ id: String) {
        payments[id]?.status = .expired
        record(id, .expired)
    }

    func cancelNow(_ id: String) {
        payments[id]?.status = .cancelled
        record(id, .cancelled)
    }

    /// Returns another payer's transfer.
    private func otherPayersTransfer(_ record: PaymentRecord) -> PaymentRecord.Transfer? {
        othersOffer(record).map { .init($0, of: record, random: random) }
    }

    /// Returns the first of the usual options, for another payer.
    private func othersOffer(_ record: PaymentRecord) -> Offer? {
        let factory = OfferFactory(
            plan: Scenario.paidAtOnce.plan, configuration: configuration, random: random, now: now)
        guard let payer = try? AccountID("eip155:8453:0x00000000000000000000000000000000000000ab") else { return nil }
        return factory.offers(for: record, accounts: [payer]).first
    }
}

extension WalletConnectPaySandbox {
    /// The paths that the sandbox answers, for sharing one address; see ``SharedAddress``. Another service has a refund
    /// call, too; see ``keyedPaths``.
    public static let paths = ["/v1/gateway", "/v1/payments", "/v1/merchant", "/v1/merchants", "/buyer", "/collect"]
    /// The paths that it answers only for requests with one of its API keys in the header field with this name.
    public static let keyedPaths = (header: "Api-Key", paths: ["/v1/refunds"])

    /// An API key for the test environment. It need not be kept secret: it opens nothing else.
    public static let testKey = Redacted("wcp_test_sandbox")
    /// An API key for the live environment, which has no real money here. It need not be kept secret: it opens nothing
    /// else.
    public static let liveKey = Redacted("wcp_sandbox")
    /// The initial merchant, in both environments.
    public static let merchantID = "mrch_SandboxMerchant01"
    /// The default secret of webhooks. It need not be kept secret.
    public static let webhookSecret = Redacted("whsec_c2FuZGJveC13ZWJob29rLXNlY3JldA==")
}

// MARK: - Configuration

extension WalletConnectPaySandbox {
    /// The behaviour of the sandbox.
    public struct Configuration: Sendable {
        /// The number of status queries before an ordinary settlement ends.
        public var settlementPolls = 2
        /// The minimum duration of a slow settlement, in seconds. Default: longer than wallets usually wait.
        public var slowSettlement: Int64 = 90
        /// The stated pause between queries of an open payment, in milliseconds. During settlement it is twice as long.
        public var pollInMs: Int64 = 1000
        /// The maximum time to hold a request with `maxPollMs`, in milliseconds. The service's own limit is not known.
        /// This one is below 30 s: the vendor's client then abandons a request.
        public var longestHoldMs: Int64 = 25_000
        /// The lifetime of a payment, in seconds.
        public var lifetime: Int64 = 900
        /// The lifetime of a native coin's price, in seconds.
        public var quoteLifetime: Int64 = 300
        /// The same in the scenario ``Scenario/quoteExpired``, for all its options. Zero: expired when it is offered.
        public var shortQuoteLifetime: Int64 = 0
        /// The number of requests of each kind that the scenario ``Scenario/rateLimited`` refuses before it answers.
        public var rateLimitedRequests = 2
        /// The `Retry-After` of rate limit errors, in seconds.
        public var retryAfter: Int64 = 1
        /// The API keys of the test environment.
        public var testKeys: Set<String> = [WalletConnectPaySandbox.testKey.reveal()]
        /// The API keys of the live environment.
        public var liveKeys: Set<String> = [WalletConnectPaySandbox.liveKey.reveal()]
        /// True if payments offer one option only, a token that no table of wallets knows: a wallet signs for it only
        /// if its owner allows it by name.
        public var offersUnlistedTokenOnly = false
        /// The maximum price of a payment, in US cents. The service has such a limit, but its value is not known.
        public var largestAmount: UInt128?
        /// The endpoint for webhooks of the test environment; nil for none.
        public var testWebhooks: WebhookEndpoint?
        /// The endpoint for webhooks of the live environment; nil for none.
        public var liveWebhooks: WebhookEndpoint?
        /// The transport of webhooks. If nil, they are only kept.
        public var webhookTransport: (any HTTPTransport)?
        /// The pauses before a webhook is sent again.
        public var webhookPauses: [Duration] = [
            .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000),
            .seconds(36_000),
        ]
        /// The address of the form for payers' data. If nil, the sandbox itself when it is reached on loopback,
        /// otherwise the real service's host.
        public var formBaseURL: HTTPURL?

        /// Creates a configuration with the timing of the real service.
        public init() {}
    }
}

// MARK: - Listing

extension WalletConnectPaySandbox: ListedService {
    package nonisolated var id: String { WalletConnectPayVendor().id.rawValue }
    package nonisolated var title: String { "WalletConnect Pay" }
    package nonisolated var hint: String? {
        "For a server: the API key is \(Self.testKey.reveal()) or \(Self.liveKey.reveal()), "
            + "the merchant \(Self.merchantID); 'payroute sandbox new' makes a payment."
    }

    package nonisolated var examples: [ListedExample] {
        let link = "/?pid=\(WalletConnectPayVendor().unknownPayment)"
        return [
            ListedExample("WalletConnect Pay", "https://pay.walletconnect.com\(link)"),
            ListedExample("A look-alike", "https://pay.walletconnect.com.evil.example\(link)"),
        ]
    }

    package nonisolated var scenarios: [SimulatedScenario] { Scenario.allCases.map { SimulatedScenario($0) } }

    package nonisolated var tampered: [SimulatedScenario] {
        TamperedAnswer.all.map {
            SimulatedScenario(
                $0.name, $0.summary, ending: .refused, group: "Dishonest: nothing of it may be signed")
        }
    }

    package nonisolated func routes() -> [SharedAddress.Tenant] {
        // Another vendor has a refund call, too. Its credentials use another header field.
        let (header, paths) = Self.keyedPaths
        return [.init(self, paths: Self.paths), .init(self, paths: paths, header: header)]
    }

    package func make(_ scenario: String, amount: Money?, at base: HTTPURL) async -> SandboxPayment? {
        if let answer = TamperedAnswer.all.first(where: { $0.name == scenario }) {
            guard amount == nil else { return nil }
            let payment = createPayment(tampered: answer)
            return SandboxPayment(id: payment.id, scenario: answer.name, summary: answer.summary, link: payment.link)
        }
        guard let scenario = Scenario(rawValue: scenario), let payment = createPayment(scenario, over: amount) else {
            return nil
        }
        return SandboxPayment(
            id: payment.id, scenario: scenario.rawValue, summary: scenario.summary, link: payment.link)
    }

    package func payment(named word: String) -> String? { payments[word]?.id }

    /// Every payment's link stands on its buyer's page.
    package func facts(of payment: String) -> ListedFacts {
        guard let payment = payments[payment] else { return ListedFacts() }
        return ListedFacts(
            payee: payment.merchant, amount: payment.money,
            payable: SandboxPayment(
                id: payment.id, scenario: payment.scenario.rawValue, summary: payment.scenario.summary,
                link: PaymentIDs.link(to: payment.id)))
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

    /// Returns the accounts of a usable form. Before any payer's request, these are the simulated payer's, so that the
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

    package func notifications(from index: Int) -> [SentNotification]? { webhooks.dropFirst(index).map(summary) }

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
