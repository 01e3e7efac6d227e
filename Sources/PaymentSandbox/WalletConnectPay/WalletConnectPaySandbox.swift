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
/// Shape-strict: unknown paths, missing credentials and malformed bodies are answered with the service's own errors.
/// Signatures are verified: a payment is captured only when each recovered signer is the option's account.
public actor WalletConnectPaySandbox: SandboxService {
    /// What happened so far.
    public private(set) var ledger = SandboxLedger()

    let configuration: Configuration
    let clock: any PaymentClock
    let random: any RandomSource
    var payments: [String: PaymentRecord] = [:]
    /// Which payment a merchant's idempotency key made, and from which request.
    var keys: [String: (body: [UInt8], payment: String)] = [:]

    /// Creates an empty sandbox.
    ///
    /// - Parameters:
    ///   - configuration: its pace and addresses.
    ///   - clock: decides when payments and prices expire; held requests wait on it.
    ///   - random: makes ids, nonces and transaction ids.
    public init(
        _ configuration: Configuration = Configuration(), clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.configuration = configuration
        self.clock = clock
        self.random = random
    }

    /// Creates a payment that behaves as `scenario` says.
    ///
    /// - Parameters:
    ///   - scenario: what it does.
    ///   - cents: the amount in US cents; more than 2^64 - 1 counts as that.
    ///   - merchant: the payee's name as payers see it.
    public func createPayment(
        _ scenario: Scenario = .paidAtOnce, cents: UInt128 = 1250, merchant: String = "Kaffeehaus am Platz"
    ) -> Payment {
        let plan = scenario.plan
        var record = PaymentRecord(
            id: PaymentIDs.make(at: clock.now, random), referenceID: "SANDBOX-\(payments.count + 1)",
            cents: min(cents, UInt128(UInt64.max)), merchant: merchant, scenario: scenario,
            expiresAt: now + (plan.isOver ? -60 : configuration.lifetime))
        record.status = plan.status
        if plan.status == .succeeded { record.transfer = otherPayersTransfer(record) }
        add(record)
        return Payment(id: record.id, link: PaymentIDs.link(to: record.id), scenario: scenario)
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
        if path.first == "collect" { return try identity(request, Array(path.dropFirst())) }
        throw .unknownPath
    }

    // MARK: State

    /// Unix seconds.
    var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

    /// The time in the form of RFC 3339.
    var timestamp: String { clock.now.ISO8601Format() }

    func record(_ id: String, _ event: SandboxLedger.Event) {
        ledger.record(event, of: id)
    }

    func add(_ record: PaymentRecord) {
        payments[record.id] = record
        self.record(record.id, .created)
    }

    /// The payment called `id`, its expiry applied.
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

    /// What somebody else paid: the first of the usual options.
    private func otherPayersTransfer(_ record: PaymentRecord) -> PaymentRecord.Transfer? {
        let factory = OfferFactory(
            plan: Scenario.paidAtOnce.plan, configuration: configuration, random: random, now: now)
        guard let payer = try? AccountID("eip155:8453:0x00000000000000000000000000000000000000ab") else { return nil }
        return factory.offers(for: record, accounts: [payer]).first.map { .init($0, random: random) }
    }
}

extension WalletConnectPaySandbox {
    /// The paths at which it answers, for sharing one address; see ``SharedAddress``.
    public static let paths = ["/v1/gateway", "/v1/payments", "/v1/merchant", "/collect"]
}
