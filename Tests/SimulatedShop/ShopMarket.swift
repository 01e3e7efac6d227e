import PaymentCore
package import PaymentSimulation
import PaymentTesting

extension MarketMaker {
    /// Creates the maker of a shop.
    ///
    /// - Parameter habits: the provider's habits; others than the default plant a mistake.
    package static func shop(share: Int = 1, _ habits: ShopHabits = ShopHabits()) -> MarketMaker {
        var play = VendorMarket.Play()
        play.without = [ShopVendor.neverSettles]
        play.price = { try? Money(minorUnits: UInt128(1000 + 100 * $0), currency: .eur) }
        play.act = { request in
            guard request.method == .post, let path = request.path(at: ShopService.host), path.count == 3,
                ["cancel", "collections", "refunds"].contains(path[2])
            else { return nil }
            return (String(path[1]), String(path[2]))
        }
        return VendorMarket.maker(share: share, play) { ShopVendor(habits, clock: $0.clock) }
    }
}
