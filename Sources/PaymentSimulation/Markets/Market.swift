package import PaymentCore
import PaymentRouting
package import PaymentTesting

/// A market whose payments callers of a server make from their own wallets.
package protocol CallersMarket: Market {
    /// Has a caller pay what a server's question of the kind `settle` asks for, whatever was paid before.
    ///
    /// - Returns: the members of the caller's answer.
    func pay(_ question: JSONValue) -> JSONValue
}

/// One payment service of a simulated world: it creates payments, and knows the truth about them.
///
/// A vendor that has a ``SimulatedVendor`` needs no market: ``VendorMarket`` is one. The other markets are wallets: the
/// payer's settler moves the money.
///
/// Here a payment has one identity: the result of ``identity(of:)`` for a provider's reference.
package protocol Market: Sendable {
    /// The provider under test, without any layer.
    var provider: any PaymentProvider { get }

    /// The merchants' service on their servers; nil if it is the provider itself, or there is none.
    var merchant: (any PaymentService)? { get }

    /// The readers that an application has for the market's links.
    var readers: [any InstructionReader] { get }

    /// Wraps the provider's context as the application does.
    func surround(_ context: ProviderContext) -> ProviderContext

    /// Creates a payment. Its outcome is drawn; most can be paid.
    ///
    /// - Parameter number: a distinct number for every payment of a history, from 0.
    func makePayment(_ number: Int, _ random: SeededRandomSource) async throws -> MarketPayment

    /// Adds the payer's means beyond accounts and keys: wallets, pages.
    func equip(_ payer: inout Payer)

    /// The one name of a payment, for every spelling of its link.
    func identity(of reference: String) -> String

    /// True if a reference names a payee. Each payment to a payee is another one, and a refusal concerns one of them.
    func isPayee(_ payment: PaymentReference) -> Bool

    /// The number of captures of the service for a payment; a wallet's own transfers are not counted.
    func captures(of payment: PaymentReference) async -> Int

    /// True if the payee had the money at some time, from any payer.
    func isPaid(_ payment: PaymentReference) async -> Bool

    /// True if the service took money by this very attempt and keeps it; a wallet's own transfers do not count.
    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool

    /// True if the service returned what it took when the payment ended there, as after a cancellation.
    func isReturned(_ payment: PaymentReference) async -> Bool

    /// True if another program of the payer, which knows nothing of this one, has paid it.
    func isPaidByOthers(_ payment: PaymentReference) async -> Bool

    /// The breaches of a settler's own rules, in words.
    var breaches: [String] { get }

    /// True if the service's status of the payment will never change again. Called only about wallets' transfers.
    func isDecided(_ payment: PaymentReference) async -> Bool

    /// True if a declined payment may be paid in another way.
    var canBePaidAfterRefusal: Bool { get }

    /// The false statement of a receipt, or nil.
    func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String?

    /// Changes the price of an unpaid payment, if the service does such things.
    func reprice(_ payment: PaymentReference, _ random: SeededRandomSource) async

    /// The id of the payment whose money `request` can move, or nil. Such a request must find its step on the disk.
    func payment(movedBy request: HTTPRequest) -> String?

    /// The id of the payment that `request` captures, refunds or cancels for its payee, and the act's name, or nil.
    func act(of request: HTTPRequest) -> (payment: String, name: String)?

    // MARK: What comes from outside

    /// The URLs by which a payer may return, sooner, later, or twice.
    func returns(of payment: PaymentReference) async -> [String]

    /// All notifications of the service that are not yet too old to be accepted, oldest first.
    func notifications() async -> [IncomingNotification]

    /// Notifications that must be rejected: altered ones, ones that report `payment` as paid and are signed with
    /// another secret, and ones that are too old.
    func forgeries(about payment: PaymentReference) async -> [IncomingNotification]

    /// A refund that a merchant may request; nil if none is possible.
    ///
    /// - Parameter number: the number of the refund; ``MarketPayment/excessive`` exceeds the paid amount.
    func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest?

    /// The number of times that the service paid a refund.
    func givenBack(_ refund: RefundRequest) async -> Int

    /// The amounts of all refunds of a payment, in minor units.
    func givenBack(of payment: PaymentReference) async -> [UInt128]

    /// A capture that a merchant may request of a paid payment; nil if none is possible.
    ///
    /// - Parameter number: the number of the capture; ``MarketPayment/excessive`` exceeds the paid amount.
    func capture(_ number: Int, of payment: PaymentReference) async -> CaptureRequest?

    /// The amounts that merchants captured of a payment, in minor units.
    func collections(of payment: PaymentReference) async -> [UInt128]

    /// The number of times that the service cancelled a payment.
    func cancellations(of payment: PaymentReference) async -> Int
}

extension Market {
    package var merchant: (any PaymentService)? { nil }
    package var readers: [any InstructionReader] { [] }
    package func surround(_ context: ProviderContext) -> ProviderContext { context }
    package func isPayee(_ payment: PaymentReference) -> Bool { false }
    /// Accounts and keys are enough for most.
    package func equip(_ payer: inout Payer) {}
    package func identity(of reference: String) -> String { reference }
    package func isReturned(_ payment: PaymentReference) async -> Bool { false }
    package func isPaidByOthers(_ payment: PaymentReference) async -> Bool { false }
    package var breaches: [String] { [] }
    package func isDecided(_ payment: PaymentReference) async -> Bool { false }
    package var canBePaidAfterRefusal: Bool { false }
    package func reprice(_ payment: PaymentReference, _ random: SeededRandomSource) async {}
    package func act(of request: HTTPRequest) -> (payment: String, name: String)? { nil }
    package func returns(of payment: PaymentReference) async -> [String] { [] }
    package func notifications() async -> [IncomingNotification] { [] }
    package func forgeries(about payment: PaymentReference) async -> [IncomingNotification] { [] }
    package func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest? { nil }
    package func givenBack(_ refund: RefundRequest) async -> Int { 0 }
    package func givenBack(of payment: PaymentReference) async -> [UInt128] { [] }
    package func capture(_ number: Int, of payment: PaymentReference) async -> CaptureRequest? { nil }
    package func collections(of payment: PaymentReference) async -> [UInt128] { [] }
    package func cancellations(of payment: PaymentReference) async -> Int { 0 }
}

/// A payment at a market.
package struct MarketPayment: Sendable {
    /// The payment, by its one identity.
    package let reference: PaymentReference
    /// The spellings of the paid link; the first is the usual one.
    package let links: [String]
    /// True if the service never reports an outcome once money was taken.
    package let isEndless: Bool
    /// True if other devices of the payer, with separate journals, may pay it too: the service takes it only once.
    package let isForAll: Bool
    /// True if its settler loses what it was asked for: an attempt that has asked it stays open until a person ends it.
    package let isForgotten: Bool

    package init(
        reference: PaymentReference, links: [String], isEndless: Bool = false, isForAll: Bool = false,
        isForgotten: Bool = false
    ) {
        self.reference = reference
        self.links = links
        self.isEndless = isEndless
        self.isForAll = isForAll
        self.isForgotten = isForgotten
    }
}

/// Opens a market in a world.
package struct MarketMaker: Sendable {
    /// The weight of payments to this market, relative to the others.
    package let share: Int
    /// Opens the market.
    package let open: @Sendable (SimulatedWorld) throws -> any Market

    package init(share: Int, open: @escaping @Sendable (SimulatedWorld) throws -> any Market) {
        self.share = share
        self.open = open
    }
}

extension MarketPayment {
    /// The number of a refund or a capture that exceeds the paid amount.
    package static let excessive = 2
}

extension HTTPRequest {
    /// Returns the segments of its path, if it is one to `host`.
    package func path(at host: String) -> [Substring]? {
        url.authority == host ? url.path.split(separator: "/") : nil
    }
}

extension SeededRandomSource {
    package func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    package func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    package func happens(_ probability: Double) -> Bool { fraction() < probability }
}

// MARK: - The markets of a world

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
        // In order: a seed always gives the same history.
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

    /// True if this names a payee. Each payment to a payee is another one.
    func isPayee(_ payment: PaymentReference) -> Bool { markets[payment.provider]?.isPayee(payment) ?? false }

    /// True if only the payer's settler sees payments of this provider.
    func isSettledByPayer(_ payment: PaymentReference) -> Bool {
        markets[payment.provider]?.provider is any SettlingProvider
    }

    /// True if the payment's service has links that only the service can resolve.
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
