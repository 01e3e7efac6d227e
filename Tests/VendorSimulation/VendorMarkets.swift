import BitcoinLaboratory
import CitconSandbox
import PaykitLaboratory
package import PaymentSimulation
import PaymentTesting
import PayrailsSandbox
import SimulatedShop
import WalletConnectPayLaboratory

extension MarketMaker {
    /// Every market: each vendor's, and those of simulated shops.
    package static let all = [
        WalletConnectPayMarket.maker(share: 4), .citcon(share: 3), .payrails(share: 3),
        MarketMaker.keyed(share: 2), MarketMaker.shop(share: 4, ShopHabits(wallet: ShopHabits.walletAct)),
        PaykitMarket.maker(share: 3),
    ]

    private static func citcon(share: Int) -> MarketMaker {
        var play = VendorMarket.Play()
        play.usual = ["wechatpay", "unionpay", "paypal", "toss"]
        play.without = ["endless"]
        return VendorMarket.maker(share: share, play) { try SimulatedCitcon(clock: $0.clock, random: $0.random) }
    }

    private static func payrails(share: Int) -> MarketMaker {
        var play = VendorMarket.Play()
        play.usual = ["paid", "challenge", "paid-while-waiting"]
        play.without = [SimulatedPayrails.authorized]
        play.canBePaidAfterRefusal = true
        return VendorMarket.maker(share: share, play) { try SimulatedPayrails(clock: $0.clock, random: $0.random) }
    }

    /// Paykit's alone, with all its payees, payable or not.
    package static let paykit = [PaykitMarket.maker()]
}

extension Variation {
    /// Creates a variation with every market, without mistakes.
    package init() {
        self.init(MarketMaker.all)
        wallet = WalletConnectPayMarket.payer
    }

    /// Payments from the payer's own Lightning wallet.
    package static var wallets: Variation {
        var variation = wallet(BitcoinMarket.maker())
        variation.wallet = WalletConnectPayMarket.payer
        return variation
    }
}

extension Variation {
    /// Payments for the tenants of `payroute serve`, who are asked to pay from their own wallets.
    package static var served: Variation {
        serving([CallersWallet.maker(share: 5), MarketMaker.keyed(share: 2), MarketMaker.shop(share: 2)])
    }

    /// Payments for the tenants of `payroute serve` from the server's own wallet.
    package static var servedFromWallet: Variation {
        var variation = serving([
            BitcoinMarket.maker(share: 3), MarketMaker.keyed(share: 2), WalletConnectPayMarket.maker(share: 3),
            MarketMaker.shop(share: 2, ShopHabits(wallet: ShopHabits.walletAct)),
        ])
        variation.serverPays = true
        variation.rest = .seconds(100_000)
        return variation
    }

    private static func serving(_ markets: [MarketMaker]) -> Variation {
        var variation = Variation(markets)
        variation.wallet = WalletConnectPayMarket.payer
        variation.target = "simulate-serve"
        variation.faces = { ServedRecords() }
        variation.autoPayShare = 3
        variation.devices = 0
        variation.servers = 0
        variation.upgrades = 0
        variation.restores = 0
        variation.stuckPayers = 0
        variation.reentries = 0
        variation.keyChanges = 0
        variation.gaps = 0
        return variation
    }
}

extension History {
    /// Creates the history of a seed among every market.
    package init(seed: UInt64) { self.init(seed: seed, variation: Variation()) }
}

extension Campaign {
    /// Creates a campaign among every market.
    package init(seeds: Range<UInt64>, threads: Int, mostFailures: Int = 3) {
        self.init(seeds: seeds, threads: threads, variation: Variation(), mostFailures: mostFailures)
    }
}
