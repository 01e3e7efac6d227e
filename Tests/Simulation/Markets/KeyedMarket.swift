package import MarketModel
package import PaymentCore
package import PaymentTesting

/// The reference service, which takes money for any caller, and its provider.
package struct KeyedMarket: Market {
    private static let scenarios: [KeyedService.Scenario] = [
        .paidAtOnce, .paidAtOnce, .paidAtOnce, .paidAfterPolling, .paidAfterPolling, .declined, .neverSettles,
    ]

    /// - Parameters:
    ///   - keyed: the provider; another one plants a mistake.
    /// - recognizesKeys: true if the service takes money only once for one key.
    package static func maker(
        share: Int = 1, _ keyed: KeyedProvider = KeyedProvider(), recognizesKeys: Bool = true
    ) -> MarketMaker {
        MarketMaker(share: share) { KeyedMarket($0, keyed, recognizesKeys: recognizesKeys) }
    }

    package let provider: any PaymentProvider
    private let service: KeyedService

    private init(_ world: SimulatedWorld, _ provider: KeyedProvider, recognizesKeys: Bool) {
        var provider = provider
        provider.asksInStep = world.seed % 3 == 0
        self.provider = provider
        service = KeyedService(clock: world.clock, recognizesKeys: recognizesKeys)
        world.connect(service, to: KeyedService.host)
    }

    package func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment {
        let scenario = random.pick(Self.scenarios)
        let id = "p\(number)"
        return MarketPayment(
            reference: PaymentReference(provider: provider.descriptor.id, id: id),
            links: [await service.createPayment(id, scenario)], isEndless: scenario == .neverSettles)
    }

    package func captures(of payment: PaymentReference) async -> Int { await service.captures(of: payment.id) }

    package func isPaid(_ payment: PaymentReference) async -> Bool { await service.isPaid(payment.id) }

    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        await service.keys(of: attempt.reference.id).contains(attempt.idempotencyKey)
    }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        let price = await service.price(of: payment.id)
        return receipt.amount?.minorUnits == price && receipt.transactionID == nil ? nil : "states \(receipt)"
    }

    package func reprice(_ payment: PaymentReference, _ random: SeededRandomSource) async {
        await service.reprice(payment.id, cents: UInt128(1000 + random.below(3)))
    }

    package func payment(movedBy request: HTTPRequest) -> String? {
        guard let path = request.path(at: KeyedService.host), path.last == "charge", path.count == 3 else { return nil }
        return String(path[1])
    }
}
