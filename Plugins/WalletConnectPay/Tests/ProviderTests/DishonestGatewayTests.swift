import PaymentCore
import PaymentRouting
import PaymentTesting
import PaymentWallet
import Synchronization
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// A dishonest gateway, through the router and through the vendor's client: nothing is signed, and the reason is
/// reported.
@Suite struct DishonestGatewayTests {
    typealias TamperedAnswer = WalletConnectPaySandbox.TamperedAnswer

    /// A wallet that counts its requests.
    final class CountingSigner: PaymentSigner {
        private let wallet = SandboxWallet(DevelopmentWallet(seed: 7))
        private let count = Mutex(0)
        var signatures: Int { count.withLock { $0 } }

        func supports(method: String) -> Bool { true }
        func sign(_ request: SigningRequest) async throws -> String {
            count.withLock { $0 += 1 }
            return try await wallet.sign(request)
        }
    }

    static func payer(_ signer: CountingSigner) -> Payer {
        var payer = SandboxWallet(DevelopmentWallet(seed: 7)).payer(chooser: { $0.options.first?.id })
        payer.signer = signer
        return payer
    }

    @Test("There are many tampered answers, and no two of one name")
    func manyWithDistinctNames() {
        #expect(TamperedAnswer.all.count >= 150)
        #expect(Set(TamperedAnswer.all.map(\.name)).count == TamperedAnswer.all.count)
    }

    @Test("The router has nothing signed", arguments: TamperedAnswer.all)
    func router(_ answer: TamperedAnswer) async throws {
        let sandbox = WalletConnectPaySandbox(random: SeededRandomSource(seed: 1))
        let payment = await sandbox.createPayment(tampered: answer)
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        let router = try PaymentRouter(
            WalletConnectPayProvider(configuration: gateway), over: SandboxTransport(sandbox),
            clock: SystemPaymentClock())
        let signer = CountingSigner()
        await #expect {
            let outcome = try await router.pay(payment.link, as: Self.payer(signer))
            Issue.record("\(answer): \(outcome)")
        } throws: { error in
            let text = "\(error)"
            if !text.contains(answer.rejection) { Issue.record("\(answer): \(text)") }
            return (error as? PaymentError)?.phase != .maybeSent
        }
        #expect(signer.signatures == 0)
        #expect(await sandbox.ledger.captures(of: payment.id) == 0)
    }

    @Test("The vendor's client hands nothing out", arguments: TamperedAnswer.all)
    func client(_ answer: TamperedAnswer) async throws {
        let sandbox = WalletConnectPaySandbox(random: SeededRandomSource(seed: 1))
        let payment = await sandbox.createPayment(tampered: answer)
        let client = PayClient(
            configuration: try GatewayConfiguration(credentials: .apiKey(Redacted("key"))),
            transport: SandboxTransport(sandbox))
        let accounts = Self.payer(CountingSigner()).accounts.map(\.text)
        var texts: [String] = []
        do {
            let response = try await client.getPaymentOptions(paymentLink: payment.link, accounts: accounts)
            for option in response.options {
                #expect(option.actions.isEmpty, "\(answer): a preview of what must not be signed")
                do {
                    let actions = try await client.getRequiredPaymentActions(
                        paymentId: response.paymentId, optionId: option.id)
                    Issue.record("\(answer): \(actions.count) actions")
                } catch {
                    texts.append("\(error)")
                }
            }
        } catch {
            texts.append("\(error)")
        }
        #expect(!texts.isEmpty)
        // The client has a separate message for ambiguous options.
        let reasons = answer.rejection == "id" ? ["two options one id", "'options.0.id'"] : [answer.rejection]
        for text in texts where !reasons.contains(where: text.contains) { Issue.record("\(answer): \(text)") }
    }

    @Test("An honest payment beside them is paid")
    func honest() async throws {
        let sandbox = WalletConnectPaySandbox(random: SeededRandomSource(seed: 1))
        let gateway = try GatewayConfiguration(credentials: .apiKey(Redacted("key")))
        let router = try PaymentRouter(
            WalletConnectPayProvider(configuration: gateway), over: SandboxTransport(sandbox),
            clock: SystemPaymentClock())
        for scenario in [WalletConnectPaySandbox.Scenario.paidAtOnce, .approvalAndPermit, .nativeCoin, .solana] {
            let payment = await sandbox.createPayment(scenario)
            let signer = CountingSigner()
            let outcome = try await router.pay(payment.link, as: Self.payer(signer))
            #expect(outcome.description.hasPrefix("paid"), "\(scenario): \(outcome)")
            #expect(signer.signatures == (scenario == .approvalAndPermit ? 2 : 1))
        }
    }
}
