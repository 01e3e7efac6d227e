import PaymentCore
package import PaymentTesting

extension MarketMaker {
    /// Creates the maker of the reference service, which takes money for any caller.
    ///
    /// - Parameters:
    ///   - provider: the provider; another one plants a mistake.
    ///   - recognizesKeys: true if the service takes money only once for one key.
    package static func keyed(
        share: Int = 1, _ provider: KeyedProvider = KeyedProvider(), recognizesKeys: Bool = true
    ) -> MarketMaker {
        MarketMaker(share: share) { world in
            let service = KeyedService(clock: world.clock, recognizesKeys: recognizesKeys)
            var play = VendorMarket.Play()
            play.reprice = { payment, random in
                await service.reprice(payment.id, cents: UInt128(1000 + random.below(3)))
            }
            var provider = provider
            provider.asksInStep = world.seed % 3 == 0
            return VendorMarket(KeyedVendor(provider, at: service), in: world, play)
        }
    }
}
