import PaymentCore
import PaymentLoopback
import PaymentTesting
import PaymentWallet
import WalletConnectPayKit
import WalletConnectPaySandbox

/// Pays with the code of the vendor's guides, standalone and through WalletKit, at a sandbox on this machine.
///
/// Only the import, `baseUrl:`, which leads the client to the sandbox, and the client's name, `pay`, differ from the
/// guides.
/// Run it with `swift run wallet-checkout`.
@main
struct WalletCheckout {
    static func main() async throws {
        var pace = WalletConnectPaySandbox.Configuration()
        pace.pollInMs = 10
        let sandbox = WalletConnectPaySandbox(pace, random: SeededRandomSource(seed: 1))
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let wallet = DevelopmentWallet(seed: 1)
        let signer = DevelopmentSigner(wallet: wallet)
        let address = "\(wallet.address)"

        print("Standalone")
        WalletConnectPay.configure(
            appId: "your-walletconnect-project-id",
            baseUrl: server.baseURL.text
        )
        for scenario in [WalletConnectPaySandbox.Scenario.paidAtOnce, .insufficientOptions] {
            let payment = await sandbox.createPayment(scenario)
            await report(payment, sandbox) {
                try await PaymentManager(WalletConnectPay.instance).processPayment(
                    paymentLink: payment.link, walletAddress: address, signer: signer)
            }
        }

        print("WalletKit")
        Networking.configure(projectId: "your-walletconnect-project-id")
        WalletKit.configure(
            metadata: AppMetadata(
                name: "My Wallet",
                description: "A crypto wallet",
                url: "https://mywallet.com",
                icons: ["https://mywallet.com/icon.png"]
            ),
            crypto: DefaultCryptoProvider(),
            baseUrl: server.baseURL.text
        )
        for scenario in [WalletConnectPaySandbox.Scenario.paidAfterPolling, .buildAction, .failsAfterConfirm] {
            let payment = await sandbox.createPayment(scenario)
            await report(payment, sandbox) {
                try await PaymentManager(WalletKit.instance.Pay).processPayment(
                    paymentLink: payment.link, walletAddress: address, signer: signer)
            }
        }
    }

    /// Prints the result of one payment and the statuses in the sandbox's ledger.
    private static func report(
        _ payment: WalletConnectPaySandbox.Payment, _ sandbox: WalletConnectPaySandbox,
        _ pay: @Sendable () async throws -> Void
    ) async {
        guard WalletKit.isPaymentLink(payment.link) else { return print("  not a payment link") }
        print("- \(payment.scenario.rawValue): \(payment.scenario.summary)")
        do {
            try await pay()
            print("  Payment successful!")
        } catch {
            print("  Payment not made: \(error)")
        }
        print("  The sandbox took money \(await sandbox.ledger.captures(of: payment.id)) times.")
    }
}
