package import PaymentCore
package import PaymentSimulation
import PaymentTesting
import PaymentWallet
import WalletConnectPaySandbox

/// WalletConnect Pay, with gateways that keep signatures which they refuse, and payers with their own wallets.
package enum WalletConnectPayMarket {
    /// - Parameters:
    ///   - keeps: the probability that a signature is refused and kept; nil where a third of the gateways do so.
    ///   - cashes: true if what is kept is cashed later.
    ///   - surround: wraps the provider's context as the application does.
    package static func maker(
        share: Int, keeps: Double? = nil, cashes: Bool = true,
        surround: @escaping @Sendable (ProviderContext) -> ProviderContext = { $0 }
    ) -> MarketMaker {
        MarketMaker(share: share) { world in
            let vendor = try SimulatedWalletConnectPay(clock: world.clock, random: world.random)
            let random = SeededRandomSource(seed: world.random.next())
            let share = keeps ?? (random.happens(0.3) ? 0.5 : 0)
            var play = VendorMarket.Play()
            // Those where wallets send coins have the most to lose, too.
            play.usual = ["paid-at-once", "paid-after-polling", "native-coin", "approval-and-permit"]
            play.without = ["endless"]
            play.price = { try? Money(minorUnits: 1250 + UInt128($0), currency: .usd) }
            play.front = { KeepingGateway($0, world.clock, random, share: share, cashes: cashes) }
            play.surround = surround
            return try VendorMarket(vendor, in: world, play)
        }
    }

    /// Creates a device's payer, with accounts on all chains of the sandbox.
    @Sendable package static func payer(
        _ device: Int, _ random: any RandomSource, _ chooser: Payer.Chooser?
    ) -> Payer {
        SandboxWallet(wallets[device % wallets.count], random: random).payer(chooser: chooser)
    }

    /// Created once, because keys are slow to compute.
    private static let wallets = [DevelopmentWallet(seed: 7), DevelopmentWallet(seed: 8)]
}
