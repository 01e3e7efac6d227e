import BitcoinMarket
import CitconMarket
package import MarketModel
import PaykitMarket
import PayrailsMarket
import SimulatedShop
package import Simulation
import WalletConnectPayMarket

extension MarketMaker {
    /// Every market: each vendor's, and those of simulated shops.
    package static let all = [
        WalletConnectPayMarket.maker(share: 4), CitconMarket.maker(share: 3), PayrailsMarket.maker(share: 3),
        KeyedMarket.maker(share: 2), MarketMaker.shop(share: 4, ShopHabits(wallet: ShopHabits.walletAct)),
        PaykitMarket.maker(share: 3),
    ]

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
