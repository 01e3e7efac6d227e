import BitcoinProvider
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import TestSupport
import Testing

/// Limits by method, and payees that give their methods arbitrary names.
@Suite("Limits by method at Paykit and for bare texts")
struct MethodLimitTests {
    private let sandbox: PubkySandbox
    private let transport: SandboxTransport
    private let clock = VirtualClock()

    init() {
        sandbox = PubkySandbox(clock: clock, random: SeededRandomSource(seed: 1))
        transport = SandboxTransport(sandbox)
    }

    /// Pays without a question, up to 1000 satoshi a day by `method` and 100,000 in any other way.
    private func pay(_ link: String, limiting method: String) async throws -> PaymentOutcome {
        let url = try HTTPURL("http://127.0.0.1:6287")
        func limit(_ satoshi: UInt128, _ scope: SpendingLimit.Scope) throws -> SpendingLimit {
            SpendingLimit(try Money(minorUnits: satoshi, currency: .satoshi), per: .day, on: scope)
        }
        let router = PaymentRouter(
            registry: try ProviderRegistry([
                PaykitProvider(network: try .sandbox(url), reader: StandardsReader()),
                BitcoinProvider(reader: StandardsReader()),
            ]), transport: transport, journal: InMemoryJournal(), readers: [StandardsReader()], clock: clock,
            random: SeededRandomSource(seed: 2),
            autoPay: AutoPay(within: [try limit(100_000, .everything), try limit(1000, .method(method))]))
        return try await router.pay(link, as: Payer(settler: SandboxSettler(at: url, over: transport)))
    }

    private static func isRefused(_ outcome: PaymentOutcome) -> Bool {
        if case .declined(let reason) = outcome { reason.code == .overLimit } else { false }
    }

    @Test(
        "An invoice counts as Lightning, whatever the payee calls the method",
        arguments: ["lightning", "lightning-2", "paypal"])
    func names(_ name: String) async throws {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        await sandbox.publish(Array(invoice.utf8), at: "/pub/paykit.app/v0/\(name)", of: user.key)
        #expect(Self.isRefused(try await pay(user.link, limiting: "lightning")))
        #expect(await sandbox.ledger.captures(of: user.key.text) == 0)
        // A payment with another limit is made.
        #expect(try await !Self.isRefused(pay(user.link, limiting: "onchain")))
        #expect(await sandbox.ledger.captures(of: user.key.text) == 1)
    }

    @Test("A bare invoice counts as Lightning as well, by whichever name of it", arguments: ["lightning", "bolt11"])
    func bare(_ method: String) async throws {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        #expect(Self.isRefused(try await pay(invoice, limiting: method)))
        #expect(Self.isRefused(try await pay("paykit:invoice?method=lightning&data=\(invoice)", limiting: method)))
        #expect(await sandbox.ledger.captures(of: user.key.text) == 0)
    }
}
