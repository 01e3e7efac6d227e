import PaymentCore
import PaymentRouting
import PaymentTesting

/// The markets of one world.
struct Markets: Sendable {
    let registry: ProviderRegistry
    private let markets: [ProviderID: any Market]
    /// Each provider as often as its share says.
    private let draws: [ProviderID]

    init(_ makers: [MarketMaker], in world: SimulatedWorld) throws {
        let open = try makers.map { try $0.open(world) }
        registry = try ProviderRegistry(open.map(\.provider))
        markets = Dictionary(uniqueKeysWithValues: open.map { ($0.provider.descriptor.id, $0) })
        draws = zip(open, makers).flatMap { Array(repeating: $0.provider.descriptor.id, count: $1.share) }
    }

    func equip(_ payer: inout Payer) {
        // In the order of their names, so that a seed always means the same.
        for id in markets.keys.sorted(by: { $0.rawValue < $1.rawValue }) { markets[id]?.equip(&payer) }
    }

    func makePayments(_ count: Int, _ random: SeededRandomSource) async -> [MarketPayment] {
        var payments: [MarketPayment] = []
        for number in 0..<count {
            if let market = markets[random.pick(draws)] {
                payments.append(await market.makePayment(number, random))
            }
        }
        return payments
    }

    func captures(of payment: PaymentReference) async -> Int {
        await markets[payment.provider]?.captures(of: payment) ?? 0
    }

    func isPaid(_ payment: PaymentReference) async -> Bool {
        await markets[payment.provider]?.isPaid(payment) ?? false
    }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        await markets[attempt.reference.provider]?.wasCaptured(attempt) ?? false
    }

    /// The payment whose money `request` can move.
    func payment(movedBy request: HTTPRequest) -> PaymentReference? {
        for (provider, market) in markets {
            if let id = market.payment(movedBy: request) { return PaymentReference(provider: provider, id: id) }
        }
        return nil
    }
}

extension SeededRandomSource {
    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    func happens(_ probability: Double) -> Bool { fraction() < probability }
}
