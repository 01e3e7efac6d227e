import BitcoinProvider
import PaykitProvider
import PaykitSandbox
import PaymentCore
import PaymentRouting
import PaymentStandards
import PaymentTesting
import Testing

/// Limits by method, and payees that give their methods arbitrary names.
@Suite("Limits by method at Paykit and for bare texts")
struct MethodLimitTests: NetworkSuite {
    let network = TestNetwork()

    /// Pays without a question, up to 1000 satoshi a day by `method` and 100,000 in any other way.
    private func pay(_ link: String, limiting method: String) async throws -> PaymentOutcome {
        func limit(_ satoshi: UInt128, _ scope: SpendingLimit.Scope) throws -> SpendingLimit {
            SpendingLimit(try Money(minorUnits: satoshi, currency: .satoshi), per: .day, on: scope)
        }
        let router = try network.router(
            with: [BitcoinProvider(reader: StandardsReader())],
            autoPay: AutoPay(within: [limit(100_000, .everything), limit(1000, .method(method))]))
        return try await router.pay(link, as: Payer(settler: network.settler))
    }

    private static func isRefused(_ outcome: PaymentOutcome) -> Bool { outcome.declineReason?.code == .overLimit }

    @Test(
        "An invoice counts as Lightning, whatever the payee calls the method",
        arguments: ["lightning", "lightning-2", "paypal"])
    func names(_ name: String) async throws {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        await sandbox.publish(Array(invoice.utf8), at: "/pub/paykit.app/v0/\(name)", of: user.key)
        #expect(Self.isRefused(try await pay(user.link, limiting: "lightning")))
        #expect(await captures(of: user.key) == 0)
        // A payment with another limit is made.
        #expect(try await !Self.isRefused(pay(user.link, limiting: "onchain")))
        #expect(await captures(of: user.key) == 1)
    }

    @Test("A bare invoice counts as Lightning as well, by whichever name of it", arguments: ["lightning", "bolt11"])
    func bare(_ method: String) async throws {
        let user = await sandbox.createUser(.emptyDirectory)
        let invoice = await sandbox.createInvoice(2100, for: user.key)
        #expect(Self.isRefused(try await pay(invoice, limiting: method)))
        #expect(Self.isRefused(try await pay("paykit:invoice?method=lightning&data=\(invoice)", limiting: method)))
        #expect(await captures(of: user.key) == 0)
    }
}
