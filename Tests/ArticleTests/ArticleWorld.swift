import PaymentCore
import PaymentRouting
import PaymentTesting
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// A service with one payment, for the code of the articles.
struct ArticleWorld {
    let sandbox: WalletConnectPaySandbox
    let faults: FaultInjector
    let link: String
    let wallet = SandboxWallet()
    let journal = InMemoryJournal()

    init() async {
        var configuration = WalletConnectPaySandbox.Configuration()
        configuration.pollInMs = 10
        sandbox = WalletConnectPaySandbox(configuration)
        faults = FaultInjector(sandbox)
        link = await sandbox.createPayment().link
    }

    var registry: ProviderRegistry {
        get throws {
            let configuration = try GatewayConfiguration(
                credentials: .apiKey(Redacted("key")), baseURL: "https://api.pay.walletconnect.com")
            return try ProviderRegistry([WalletConnectPayProvider(configuration: configuration)])
        }
    }

    var router: PaymentRouter {
        get throws {
            PaymentRouter(
                registry: try registry, transport: SandboxTransport(faults), journal: journal)
        }
    }
}
