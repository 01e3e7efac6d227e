import PaymentCore
import PaymentReview
import PaymentRouting
import PaymentTesting
import PaymentTransport
import PaymentWallet
import TestSupport
import WalletConnectPayProvider
import WalletConnectPaySandbox

/// A sandbox, the faults before it, and a router that pays through it.
typealias TestWorld = VendorWorld<WalletConnectPaySandbox, WalletConnectPayProvider>

private let testWallet = DevelopmentWallet(seed: 7)

extension TestWorld {
    init(
        _ wire: Wire, requestTimeout: Duration = .seconds(10),
        credentials: GatewayConfiguration.Credentials = .apiKey(Redacted("key")), log: PaymentLog = .silent
    ) throws {
        let world = try PayWorld(at: 1_800_000_000) { $0.pollInMs = 10 }.on(wire)
        // Nothing here can read Tron's transactions: its scenario is for applications that accept them.
        let reviewer = SigningReviewer(unreviewedMethods: ["tron_signTransaction"])
        self = try world.serving(
            try world.provider(credentials, requestTimeout: requestTimeout, reviewer: reviewer),
            through: LayeredTransport(world.wire, [RetryMiddleware(clock: world.clock)]), log: log)
    }

    var wallet: DevelopmentWallet { testWallet }

    /// A payer with the wallet's accounts; `choice` picks among the options.
    func payer(
        _ choice: @escaping @Sendable (PaymentQuote) -> PaymentCore.PaymentMethodOption.ID? = { $0.options.first?.id }
    )
        -> Payer
    {
        wallet.payer(chooser: { choice($0) })
    }

    /// The number of confirmations that reached the end of the wire, whether or not the sandbox received them.
    var confirmRequests: Int { faults.requests.count { $0.path.hasSuffix("/confirm") } }
}
