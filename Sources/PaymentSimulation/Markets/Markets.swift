import PaymentCore
import PaymentRouting
import PaymentTesting

/// The markets of one world.
struct Markets: Sendable {
    /// Their ids, in order: a dictionary's order differs in every process.
    let ids: [ProviderID]
    private let markets: [ProviderID: any Market]
    /// The providers, each repeated by its share.
    private let draws: [ProviderID]

    init(_ makers: [MarketMaker], in world: SimulatedWorld) throws {
        let open = try makers.map { try $0.open(world) }
        markets = Dictionary(uniqueKeysWithValues: open.map { ($0.provider.descriptor.id, $0) })
        ids = markets.keys.sorted { $0.rawValue < $1.rawValue }
        draws = zip(open, makers).flatMap { Array(repeating: $0.provider.descriptor.id, count: $1.share) }
    }

    // MARK: Providers

    /// The providers that an application registers.
    func registry(_ edition: Edition, _ witness: Witness, without missing: Set<ProviderID> = []) -> ProviderRegistry {
        var providers: [any PaymentService] = []
        for id in ids where !missing.contains(id) {
            guard let market = markets[id] else { continue }
            providers.append(Self.attended(market.provider, at: market, edition, witness))
        }
        return Self.registry(providers)
    }

    /// The services that a merchant's server registers.
    func merchants(_ edition: Edition, _ witness: Witness) -> ProviderRegistry {
        var providers: [any PaymentService] = []
        for market in ids.compactMap({ markets[$0] }) {
            providers.append(Self.attended(market.merchant ?? market.provider, at: market, edition, witness))
        }
        return Self.registry(providers)
    }

    /// The readers that an application has.
    var readers: [any InstructionReader] { ids.flatMap { markets[$0]?.readers ?? [] } }

    private static func registry(_ providers: [any PaymentService]) -> ProviderRegistry {
        do { return try ProviderRegistry(providers) } catch { fatalError("the markets cannot be registered: \(error)") }
    }

    private static func attended(
        _ service: any PaymentService, at market: any Market, _ edition: Edition, _ witness: Witness
    ) -> any PaymentService {
        func attend(_ service: some PaymentService) -> any PaymentService {
            Attended(base: service, witness: witness, edition: edition) { market.surround($0) }
        }
        return attend(service)
    }

    func equip(_ payer: inout Payer) {
        // In order, so that a seed always gives the same history.
        for id in ids { markets[id]?.equip(&payer) }
    }

    // MARK: Payments

    func makePayments(_ count: Int, _ random: SeededRandomSource) async throws -> [MarketPayment] {
        var payments: [MarketPayment] = []
        for number in 0..<count {
            if let market = markets[random.pick(draws)] {
                payments.append(try await market.makePayment(number, random))
            }
        }
        return payments
    }

    func identity(of payment: PaymentReference) -> PaymentReference {
        guard let market = markets[payment.provider] else { return payment }
        return PaymentReference(provider: payment.provider, id: market.identity(of: payment.id))
    }

    /// True if this names a payee, to whom each payment is another one.
    func isPayee(_ payment: PaymentReference) -> Bool { markets[payment.provider]?.isPayee(payment) ?? false }

    /// True if only the payer's settler sees payments of this provider.
    func isSettledByPayer(_ payment: PaymentReference) -> Bool {
        markets[payment.provider]?.provider is any SettlingProvider
    }

    /// True if there are links at the payment's service of which only it knows what they name.
    func hasAliases(_ payment: PaymentReference) -> Bool {
        markets[payment.provider]?.provider is any AliasedPaymentProvider
    }

    /// True if only the service knows which payment this names.
    func isUnresolved(_ payment: PaymentReference) -> Bool {
        (markets[payment.provider]?.provider as? any AliasedPaymentProvider)?.isUnresolved(payment) ?? false
    }

    /// The payment whose money `request` can move.
    func payment(movedBy request: HTTPRequest) -> PaymentReference? {
        for id in ids {
            guard let market = markets[id], let name = market.payment(movedBy: request) else { continue }
            return PaymentReference(provider: id, id: market.identity(of: name))
        }
        return nil
    }

    /// The payment that `request` captures, refunds or cancels for its payee, and the name of that act.
    func act(of request: HTTPRequest) -> (payment: PaymentReference, name: String)? {
        for id in ids {
            guard let market = markets[id], let act = market.act(of: request) else { continue }
            return (PaymentReference(provider: id, id: market.identity(of: act.payment)), act.name)
        }
        return nil
    }

    subscript(_ provider: ProviderID) -> (any Market)? { markets[provider] }

    // MARK: Truth

    func captures(of payment: PaymentReference) async -> Int {
        await markets[payment.provider]?.captures(of: payment) ?? 0
    }

    func isPaid(_ payment: PaymentReference) async -> Bool {
        await markets[payment.provider]?.isPaid(payment) ?? false
    }

    func isReturned(_ payment: PaymentReference) async -> Bool {
        await markets[payment.provider]?.isReturned(payment) ?? false
    }

    func isPaidByOthers(_ payment: PaymentReference) async -> Bool {
        await markets[payment.provider]?.isPaidByOthers(payment) ?? false
    }

    /// The breaches of the settlers' own rules, in words.
    var breaches: [String] { ids.flatMap { markets[$0]?.breaches ?? [] } }

    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        await markets[attempt.reference.provider]?.wasCaptured(attempt) ?? false
    }

    func isDecided(_ payment: PaymentReference) async -> Bool {
        await markets[payment.provider]?.isDecided(payment) ?? false
    }

    func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        await markets[payment.provider]?.untruth(in: receipt, of: payment)
    }
}
