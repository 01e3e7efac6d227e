import Foundation
import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import PayrailsMerchant
import PayrailsProvider
import PayrailsSandbox
import Synchronization
import TestSupport
import Testing

/// A merchant's server, the sandbox that it calls, and payers at it.
typealias MerchantWorld = VendorWorld<PayrailsSandbox, PayrailsMerchant>

extension MerchantWorld {
    static var secret: String { "canary-client-secret" }
    static var webhookSecret: Redacted<String> {
        Redacted("00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF")
    }

    init(
        _ mode: PayrailsCaptureMode = .manual, _ configure: (inout PayrailsSandbox.Configuration) -> Void = { _ in }
    ) throws {
        let world = PayrailsWorld(seed: 6) { configuration in
            configuration.clientSecret = Redacted(Self.secret)
            configuration.webhookSecret = Self.webhookSecret
            switch mode {
            case .instant: configuration.capturesAfter = .zero
            case .delayed: configuration.capturesAfter = .seconds(60)
            default: break
            }
            configure(&configuration)
        }
        self = try world.serving(Self.merchant(mode, at: world.clock))
    }

    static func merchant(
        _ mode: PayrailsCaptureMode = .manual, at clock: any PaymentClock, secret: String = secret,
        secrets: [Redacted<String>] = [webhookSecret]
    ) -> PayrailsMerchant {
        PayrailsMerchant(
            endpoint: .staging,
            credentials: PayrailsCredentials(clientID: "sandbox-merchant", secret: Redacted(secret)), captureMode: mode,
            notificationSecrets: secrets, clock: clock)
    }

    var merchant: PayrailsMerchant { service }

    var client: PayrailsMerchantClient {
        merchant.client(over: wire, clock: clock, random: SeededRandomSource(seed: 8))
    }

    /// A context of calls that are not journaled.
    var context: ProviderContext {
        ProviderContext(
            http: wire, payer: Payer(), clock: clock, random: SeededRandomSource(seed: 1), secrets: NoSecrets(),
            link: nil, steps: UnstoredSteps(), remark: { _ in })
    }

    static func euros(_ cents: UInt128) throws -> Money { try Money(minorUnits: cents, currency: .eur) }

    static func order(_ name: String = "order-1", scenario: String? = nil) throws -> PayrailsSessionOrder {
        PayrailsSessionOrder(
            order: name, holder: "ada", amount: try euros(9900),
            meta: scenario.map { ["sandboxScenario": .string($0)] })
    }

    /// A session in which the payer has paid, with the payer's side of this package.
    func paid(_ name: String = "order-1", scenario: String? = nil) async throws -> PaymentReference {
        let session = try await client.open(try Self.order(name, scenario: scenario))
        _ = try await pay(session)
        return try #require(session.payment)
    }

    func pay(_ session: PayrailsOpenSession) async throws -> PaymentOutcome {
        let phone = try router(
            of: PayrailsProvider(), over: SandboxTransport(sandbox), journal: InMemoryJournal(), seed: 9)
        let payer = Payer(chooser: { $0.options.first { $0.id.hasPrefix("stored") }?.id })
        return try await phone.pay(session.link.reveal(), as: payer)
    }

    /// A payment that was captured.
    func captured(_ name: String = "order-1") async throws -> PaymentReference {
        let payment = try await paid(name)
        _ = try await capture(payment)
        return payment
    }

    /// Captures all of a payment, or a part.
    func capture(_ payment: PaymentReference, _ cents: UInt128 = 9900) async throws -> PaymentOutcome {
        try await router.capture(CaptureRequest(of: payment, amount: try Self.euros(cents)))
    }

    func refund(_ payment: PaymentReference, _ cents: UInt128 = 3300, _ id: String = "credit-1") throws -> RefundRequest
    {
        RefundRequest(of: payment, amount: try Self.euros(cents), id: id)
    }

    func posts(_ action: String) -> Int {
        faults.requests.count { $0.method == "POST" && $0.path.hasSuffix("/" + action) }
    }

    /// The numbers of queries of executions before an action was first requested, and after it.
    func queries(around action: String) -> [Int] {
        wire.requests.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0.method == .post && $0.url.path.hasSuffix("/" + action)
        }.map { part in part.count { $0.method == .get && $0.url.path.contains("/executions/") } }
    }

    func notifications(_ payment: PaymentReference) async -> [IncomingNotification] {
        await sandbox.notifications.filter { $0.execution == payment.id }
            .map { IncomingNotification(headers: $0.headers, body: $0.body) }
    }
}

extension SandboxLedger {
    /// The number of events of a kind.
    func count(of event: Event) -> Int { entries.count { $0.event == event } }
}

extension RecordingTransport {
    func keys(_ action: String) -> [String] {
        requests.filter { $0.url.path.hasSuffix("/" + action) }.compactMap { $0.headers["x-idempotency-key"] }
    }
}

/// The receipt of a success; nil for anything else.
func receipt(_ report: ServiceReport) -> PaymentReceipt? {
    if case .succeeded(let receipt) = report { receipt } else { nil }
}

func receipt(_ outcome: PaymentOutcome) -> PaymentReceipt? { receipt(outcome.report) }

/// True if it is unknown.
func isUnknown(_ report: ServiceReport) -> Bool { if case .unknown = report { true } else { false } }

func isUnknown(_ outcome: PaymentOutcome) -> Bool { isUnknown(outcome.report) }

/// True if the payment was declined.
func isDeclined(_ report: ServiceReport) -> Bool { if case .declined = report { true } else { false } }

func isDeclined(_ outcome: PaymentOutcome) -> Bool { isDeclined(outcome.report) }
