public import PaymentCore
public import PaymentTesting

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
    ///   - clock: decides when payments and prices expire; held requests wait on it.
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
    ///   - cents: the amount in US cents; more than 2^64 - 1 counts as that.
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
        // Its merchant hears of it as of one that is not paid yet.
        add(record)
        payments[record.id]?.status = plan.status
        return Payment(id: record.id, link: PaymentIDs.link(to: record.id), scenario: scenario)
    }

    /// Pays a payment with another payer's wallet; the scenario can override the outcome. Does nothing when the payment
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
}
