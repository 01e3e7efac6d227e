import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentWallet
import Testing
import WalletConnectPayKit
import WalletConnectPaySandbox

/// The code of WalletConnectPayKit's Differences.md.
@Suite("Article: move from WalletConnect Pay's SDK")
struct MovingFromWalletConnectPayTests {
    /// A wallet's checkout.
    struct Checkout {
        let accounts: [String]
        let wallet: DevelopmentWallet

        func sign(_ rpc: WalletRpcAction) throws -> String {
            let (address, typedData) = try rpc.typedDataParameters()
            return try wallet.respond(method: rpc.method, params: [.string(address), .string(typedData)])
        }

        func pay(_ link: String) async throws -> String {
            let response = try await WalletConnectPay.instance.getPaymentOptions(paymentLink: link, accounts: accounts)
            guard let option = response.options.first else { return "nothing to choose" }
            let actions = try await WalletConnectPay.instance.getRequiredPaymentActions(
                paymentId: response.paymentId, optionId: option.id)
            var signatures: [String] = []
            for action in actions { signatures.append(try sign(action.walletRpc)) }
            do {
                let result = try await WalletConnectPay.instance.confirmPayment(
                    paymentId: response.paymentId, optionId: option.id, signatures: signatures, maxPollMs: 60000)
                switch result.status {
                case .succeeded: return "paid"
                case .failed where result.isFinal, .expired where result.isFinal: return "not paid"
                default: return "not over: ask getPaymentStatus, pay nothing again"
                }
            } catch ConfirmPaymentError.routeExpired {
                return "the price is over: ask for the options again"
            } catch ConfirmPaymentError.http(let text) {
                return "cancelled, or not known: \(text)"
            }
        }

        /// Shows the actions of the first option to a user who declines them.
        func decline(_ link: String) async throws {
            let response = try await WalletConnectPay.instance.getPaymentOptions(paymentLink: link, accounts: accounts)
            guard let option = response.options.first else { return }
            _ = try await WalletConnectPay.instance.getRequiredPaymentActions(
                paymentId: response.paymentId, optionId: option.id)
            try WalletConnectPay.instance.discardActions(paymentId: response.paymentId)
        }
    }

    @Test("The code after the move pays, and distinguishes every other ending")
    func pays() async throws {
        var pace = WalletConnectPaySandbox.Configuration()
        pace.pollInMs = 10
        let service = WalletConnectPaySandbox(pace, random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(service)
        defer { server.stop() }
        let sandbox = server.baseURL.text
        WalletConnectPay.configure(appId: "your-walletconnect-project-id", baseUrl: sandbox)
        let wallet = DevelopmentWallet(seed: 1)
        let checkout = Checkout(accounts: ["eip155:8453:\(wallet.address)"], wallet: wallet)
        for (scenario, words) in [
            (.paidAtOnce, "paid"), (.paidAfterPolling, "paid"), (.failsAfterConfirm, "not over"),
            (.insufficientOptions, "nothing to choose"), (.routeExpired, "cancelled, or not known"),
            (.unknownStatus, "cancelled, or not known"),
        ] as [(WalletConnectPaySandbox.Scenario, String)] {
            let payment = await service.createPayment(scenario)
            try await checkout.decline(payment.link)
            let told = try await checkout.pay(payment.link)
            #expect(told.hasPrefix(words), "\(scenario): \(told)")
            #expect(await service.ledger.confirmRequests(of: payment.id) <= 1, "\(scenario)")
            if words == "paid" { #expect(await service.ledger.captures(of: payment.id) == 1, "\(scenario)") }
        }
    }
}
