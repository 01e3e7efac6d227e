package import MarketModel
import PaymentCore
import PaymentTesting
package import SimulatedShop

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MarketMaker {
    /// Creates the maker of a shop.
    ///
    /// - Parameter habits: the provider's habits; others than the default plant a mistake.
    package static func shop(share: Int = 1, _ habits: ShopHabits = ShopHabits()) -> MarketMaker {
        MarketMaker(share: share) { ShopMarket($0, habits) }
    }
}

/// A shop with every capability of providers: returns, cancellations, captures, refunds, notifications, several
/// spellings of a link, and coins that the payer's wallet sends.
struct ShopMarket: Market {
    private static let scenarios: [ShopService.Scenario] =
        ShopService.Scenario.allCases + [.paidAtOnce, .paidAtOnce, .paidAfterPolling, .firstCardRefused]

    let provider: any PaymentProvider
    private let service: ShopService
    private let clock: any PaymentClock

    fileprivate init(_ world: SimulatedWorld, _ habits: ShopHabits) {
        provider = ShopProvider(habits, clock: world.clock)
        clock = world.clock
        service = ShopService(clock: world.clock)
        world.connect(service, to: ShopService.host)
    }

    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let id = "order\(number)"
        await service.createPayment(id, random.pick(Self.scenarios), cents: UInt128(1000 + 100 * number))
        return MarketPayment(
            reference: PaymentReference(provider: ShopProvider.id, id: id),
            links: [id, id.uppercased(), "Order\(number)"].map { "https://\(ShopProvider.linkHost)/\($0)" })
    }

    func identity(of reference: String) -> String { reference.lowercased() }

    func captures(of payment: PaymentReference) async -> Int { await service.captures(of: payment.id) }

    func isPaid(_ payment: PaymentReference) async -> Bool { await service.status(of: payment.id) == "paid" }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        await service.wasCharged(identity(of: attempt.reference.id), by: attempt.idempotencyKey)
    }

    func isDecided(_ payment: PaymentReference) async -> Bool {
        await !["open", "processing"].contains(service.status(of: payment.id))
    }

    func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        // Notifications state neither.
        if let amount = receipt.amount, amount.minorUnits != Self.cents(of: payment) { return "states \(amount)" }
        if let id = receipt.transactionID, id != "tx-\(payment.id)" { return "names the transaction \(id)" }
        return nil
    }

    private static func cents(of payment: PaymentReference) -> UInt128 {
        UInt128(1000 + 100 * (payment.id.last?.wholeNumberValue ?? 0))
    }

    func payment(movedBy request: HTTPRequest) -> String? {
        guard let path = request.path(at: ShopService.host), path.count == 3, path[2] == "charge" else { return nil }
        return String(path[1])
    }

    func act(of request: HTTPRequest) -> (payment: String, name: String)? {
        guard request.method == .post, let path = request.path(at: ShopService.host), path.count == 3,
            ["cancel", "collections", "refunds"].contains(path[2])
        else { return nil }
        return (String(path[1]), String(path[2]))
    }

    // MARK: What comes from outside

    func returns(of payment: PaymentReference) -> [String] {
        [ShopProvider.returnURL, "\(ShopProvider.returnURL)?id=\(payment.id)"]
    }

    func notifications() async -> [IncomingNotification] {
        // A process that is stopped on the way may read one an hour later.
        await service.notifications.filter { ShopSignature.age(of: $0, at: clock.now) < ShopSignature.lifetime - 3600 }
    }

    func forgeries(about payment: PaymentReference) async -> [IncomingNotification] {
        let now = clock.now
        let body: JSONValue = ["id": .string(payment.id), "status": "paid"]
        var forgeries = [
            ShopSignature.notification(body, at: now, secret: ShopSignature.testSecret),
            ShopSignature.notification(body, at: now.addingTimeInterval(-2 * ShopSignature.lifetime)),
            IncomingNotification(headers: [:], body: body.serialized()),
        ]
        // A genuine notification of the shop, about another payment.
        if let sent = await service.notifications.first {
            forgeries.append(IncomingNotification(headers: sent.headers, body: body.serialized() + [0x20]))
        }
        return forgeries
    }

    func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest? {
        // A part, another part or the whole, too much.
        let whole = Self.cents(of: payment)
        let units = [50, whole.isMultiple(of: 200) ? whole : 51, 1_000_000][number]
        guard let amount = try? Money(minorUnits: units, currency: .eur) else { return nil }
        return RefundRequest(of: payment, amount: amount, id: "credit-\(payment.id)-\(number)")
    }

    func givenBack(_ refund: RefundRequest) async -> Int { await service.givenBack(refund.payment.id, refund.id) }

    func givenBack(of payment: PaymentReference) async -> [UInt128] {
        await service.refunds(of: payment.id).values.sorted()
    }

    func capture(_ number: Int, of payment: PaymentReference) async -> CaptureRequest? {
        let units = [Self.cents(of: payment), 40, 1_000_000][number]
        guard let amount = try? Money(minorUnits: units, currency: .eur) else { return nil }
        return CaptureRequest(of: payment, amount: amount)
    }

    func collections(of payment: PaymentReference) async -> [UInt128] { await service.collections(of: payment.id) }

    func cancellations(of payment: PaymentReference) async -> Int { await service.cancellations(of: payment.id) }
}
