import PaymentCore
import PaymentTesting
import PaymentWallet
import Testing
import WalletConnectPayProvider
import WalletConnectPaySandbox

@Suite("WalletConnect Pay, probed as every provider is")
struct ConformanceTests {
    private static let secret = "canary-4f1c9e"

    @Test("It conforms")
    func provider() async throws {
        let report = await ProviderConformance.check(try Self.subject())
        #expect(report.isComplete, "\(report)")
    }

    private static func subject() throws -> ConformanceSubject {
        let configuration = try GatewayConfiguration(credentials: .apiKey(Redacted(secret)))
        let payer = DevelopmentWallet(seed: 7).payer()
        let page = "https://shop.example/thanks"
        let returns = try CheckoutReturns(success: page, error: "https://shop.example/sorry")
        return ConformanceSubject(
            WalletConnectPayProvider(configuration: configuration, returns: [returns]),
            capabilities: [.completesRedirects], payer: payer, canaries: [secret]
        ) { behaviour, clock, random in
            var pace = WalletConnectPaySandbox.Configuration()
            if behaviour == .neverSettles { pace.settlementPolls = .max }
            let sandbox = WalletConnectPaySandbox(pace, clock: clock, random: random)
            let payment = await sandbox.createPayment(.paidAfterPolling)
            let other = await sandbox.createPayment(.alreadyPaid)
            return ConformanceSubject.Backend(
                link: payment.link, services: ["api.pay.walletconnect.com": sandbox],
                returns: ConformanceSubject.Returns(
                    own: [page, "https://shop.example/sorry"].map { "\($0)?payment_id=\(payment.id)" },
                    others: ["\(page)?payment_id=\(other.id)", "\(page)?payment_id=\(other.id)&pid=\(payment.id)"])
            ) {
                await sandbox.ledger.events(of: payment.id).compactMap { event -> UInt128?? in
                    guard case .captured(_, let amount, _) = event else { return nil }
                    return .some(amount.split(separator: " ").first.flatMap { UInt128($0) })
                }
            }
        }
    }
}
