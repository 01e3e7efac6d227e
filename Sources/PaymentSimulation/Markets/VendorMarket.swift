package import PaymentCore
package import PaymentTesting
import Synchronization

/// A simulated vendor as a market: its payments, with the scenarios drawn, and what is true about them.
package final class VendorMarket: Market {
    /// The vendor's part in a history, beyond its description.
    package struct Play: Sendable {
        /// Names of scenarios that are not drawn.
        package var without: Set<String> = []
        /// Names of scenarios that are drawn more often, in addition to all that end paid.
        package var usual: Set<String> = []
        /// Returns the price of the payment of this number; nil for the scenario's own.
        package var price: @Sendable (Int) -> Money? = { _ in nil }
        /// Returns a service that stands before the vendor's own.
        package var front: @Sendable (any SandboxService) -> any SandboxService = { $0 }
        /// Wraps the provider's context as the application does.
        package var surround: @Sendable (ProviderContext) -> ProviderContext = { $0 }
        /// Changes the price of an unpaid payment.
        package var reprice: @Sendable (PaymentReference, SeededRandomSource) async -> Void = { _, _ in }
        /// Returns the id of the payment that `request` captures, refunds or cancels for its payee, and the act's name.
        package var act: @Sendable (HTTPRequest) -> (payment: String, name: String)? = { _ in nil }
        /// True if a declined payment may be paid in another way.
        package var canBePaidAfterRefusal = false
        /// True if every receipt has to state the amount.
        package var demandsAmounts = false

        package init() {}
    }

    /// A payment that was made.
    private struct Entry {
        let id: String
        let payment: any SimulatedPayment
        /// True if its merchant may capture it. If the vendor has a scenario that ends authorized, only such payments
        /// are.
        let awaitsCapture: Bool
    }

    /// The reason why a vendor cannot be played.
    private struct Unplayable: Error, CustomStringConvertible {
        let description: String
    }

    /// The header that names the attempt: no real service receives attempts.
    private static let mark = "X-Simulated-Attempt"

    package let provider: any PaymentProvider
    package let merchant: (any PaymentService)?
    private let vendor: any SimulatedVendor
    private let play: Play
    /// In the order in which they were made.
    private let payments = Mutex<[Entry]>([])
    /// The attempts whose requests moved the money last, by the payments' ids.
    private let takers = Mutex<[String: String]>([:])

    /// - Throws: an error in words, when the vendor takes no payers.
    package init(_ vendor: any SimulatedVendor, in world: SimulatedWorld, _ play: Play = Play()) throws {
        guard let provider = vendor.services.lazy.compactMap({ $0 as? any PaymentProvider }).first else {
            throw Unplayable(description: "the vendor has no provider: it takes no payers")
        }
        self.provider = provider
        merchant = vendor.services.first { !($0 is any PaymentProvider) }
        self.vendor = vendor
        self.play = play
        for (host, service) in vendor.hosts.sorted(by: { $0.key < $1.key }) {
            world.connect(Front(service: play.front(service), market: self), to: host)
        }
    }

    /// Creates the maker of a vendor's market.
    package static func maker(
        share: Int, _ play: Play = Play(), _ open: @escaping @Sendable (SimulatedWorld) throws -> any SimulatedVendor
    ) -> MarketMaker {
        MarketMaker(share: share) { try VendorMarket(try open($0), in: $0, play) }
    }

    // MARK: Payments

    /// Three of four are ordinary payments: they have the most to lose.
    package func makePayment(_ number: Int, _ random: SeededRandomSource) async throws -> MarketPayment {
        let all = vendor.scenarios.filter { !play.without.contains($0.name) }
        guard !all.isEmpty else { throw Unplayable(description: "the vendor has no scenario") }
        let usual = all.filter { play.usual.contains($0.name) || play.usual.isEmpty && $0.ending == .paid }
        let scenario = random.pick(random.happens(0.75) && !usual.isEmpty ? usual : all)
        let payment = try await vendor.makePayment(scenario, over: play.price(number))
        let awaitsCapture = scenario.ending == .authorized || !vendor.scenarios.contains { $0.ending == .authorized }
        let entry = Entry(id: vendor.id(of: payment.reference.id), payment: payment, awaitsCapture: awaitsCapture)
        payments.withLock { $0.append(entry) }
        return MarketPayment(
            reference: payment.reference, links: payment.links, isEndless: scenario.ending == .open,
            isForAll: payment.isForEveryDevice)
    }

    private func entry(of payment: PaymentReference) -> Entry? {
        let id = vendor.id(of: payment.id)
        return payments.withLock { $0.first { $0.id == id } }
    }

    private func truth(of payment: PaymentReference) async -> PaymentTruth {
        await entry(of: payment)?.payment.truth() ?? PaymentTruth()
    }

    package func identity(of reference: String) -> String { vendor.id(of: reference) }

    package func surround(_ context: ProviderContext) -> ProviderContext {
        let inner = play.surround(context)
        return inner.copy(http: Marking(base: inner.http))
    }

    /// The payer's wallets, data and pages, for what is the vendor's: neither faults nor crashes of the process reach
    /// them.
    package func equip(_ payer: inout Payer) {
        let (own, hosts) = (vendor.payer, Set(vendor.hosts.keys))
        if let show = own.browser {
            payer.browser = { [other = payer.browser] page in
                try await (hosts.contains(page.url.authority) ? show : other)?(page)
            }
        }
        if let collect = own.dataCollector {
            payer.dataCollector = { [other = payer.dataCollector] request in
                if let values = try await collect(request), request.isAnswered(by: values) { return values }
                return try await other?(request)
            }
        }
        payer.appLauncher = own.appLauncher ?? payer.appLauncher
        payer.codeDisplay = own.codeDisplay ?? payer.codeDisplay
    }

    // MARK: Truth

    package func captures(of payment: PaymentReference) async -> Int { await truth(of: payment).taken.count }

    package func isPaid(_ payment: PaymentReference) async -> Bool { await truth(of: payment).isPaid }

    package func isReturned(_ payment: PaymentReference) async -> Bool { await truth(of: payment).isReturned }

    package func isDecided(_ payment: PaymentReference) async -> Bool { await truth(of: payment).isFinal }

    package func wasCaptured(_ attempt: PaymentAttempt) async -> Bool {
        let truth = await truth(of: attempt.reference)
        guard !truth.isReturned else { return false }
        if let takers = truth.takers {
            return !takers.isDisjoint(with: [attempt.id.rawValue, attempt.idempotencyKey, attempt.option.id])
        }
        let last = takers.withLock { $0[vendor.id(of: attempt.reference.id)] }
        return last == attempt.id.rawValue && truth.isPaid
    }

    package var canBePaidAfterRefusal: Bool { play.canBePaidAfterRefusal }

    package func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String? {
        let truth = await truth(of: payment)
        if let id = receipt.transactionID, !truth.transactions.contains(id) {
            return "names the transaction \(id) instead of \(truth.transactions.sorted())"
        }
        guard let amount = receipt.amount else { return play.demandsAmounts ? "states no amount" : nil }
        let isTrue = truth.amounts.contains {
            $0.minorUnits == amount.minorUnits && $0.currency.denotesSame(as: amount.currency)
        }
        return isTrue ? nil : "states \(amount) instead of \(truth.amounts)"
    }

    package func reprice(_ payment: PaymentReference, _ random: SeededRandomSource) async {
        await play.reprice(payment, random)
    }

    package func payment(movedBy request: HTTPRequest) -> String? {
        payments.withLock { $0.first { $0.payment.isMoved(by: request) }?.id }
    }

    package func act(of request: HTTPRequest) -> (payment: String, name: String)? { play.act(request) }

    // MARK: What comes from outside

    package func returns(of payment: PaymentReference) async -> [String] {
        await entry(of: payment)?.payment.messages().returns ?? []
    }

    package func notifications() async -> [IncomingNotification] {
        var all: [IncomingNotification] = []
        for entry in payments.withLock(\.self) { all += await entry.payment.messages().notifications }
        return all
    }

    package func forgeries(about payment: PaymentReference) async -> [IncomingNotification] {
        guard let messages = await entry(of: payment)?.payment.messages() else { return [] }
        return (messages.foreignNotifications ?? []) + (messages.staleNotifications ?? [])
    }

    /// A part, another part or the whole, too much.
    package func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest? {
        guard let service = (merchant ?? provider) as? any RefundingService,
            let price = entry(of: payment)?.payment.price
        else { return nil }
        // Two refunds of the same amount could not be distinguished.
        guard !service.refundsOnce || number != 1 else { return nil }
        let second = price.minorUnits.isMultiple(of: 200) ? price.minorUnits : 51
        let units = service.refundsOnce ? price.minorUnits : [50, second][min(number, 1)]
        return Self.money(number == MarketPayment.excessive ? price.minorUnits + 1_000_000 : units, price).map {
            RefundRequest(of: payment, amount: $0, id: "credit-\(payment.id)-\(number)")
        }
    }

    package func givenBack(_ refund: RefundRequest) async -> Int {
        await truth(of: refund.payment).refunded.count { $0 == refund.amount.minorUnits }
    }

    package func givenBack(of payment: PaymentReference) async -> [UInt128] { await truth(of: payment).refunded }

    package func capture(_ number: Int, of payment: PaymentReference) async -> CaptureRequest? {
        guard (merchant ?? provider) is any CapturingService, let entry = entry(of: payment), entry.awaitsCapture,
            let price = entry.payment.price
        else { return nil }
        let units = [price.minorUnits, 40, price.minorUnits + 1_000_000][min(number, MarketPayment.excessive)]
        return Self.money(units, price).map { CaptureRequest(of: payment, amount: $0) }
    }

    private static func money(_ units: UInt128, _ price: Money) -> Money? {
        try? Money(minorUnits: units, currency: price.currency, exponent: price.exponent)
    }

    package func collections(of payment: PaymentReference) async -> [UInt128] { await truth(of: payment).captured }

    package func cancellations(of payment: PaymentReference) async -> Int { await truth(of: payment).cancellations }

    // MARK: Network

    /// Marks each request of an attempt with its id.
    private struct Marking: HTTPTransport {
        let base: any HTTPTransport

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            var request = request
            request.headers[VendorMarket.mark] = Acting.attempt?.id.rawValue
            return try await base.send(request)
        }
    }

    /// Notes the attempt whose request moves the money.
    private struct Front: SandboxService {
        let service: any SandboxService
        let market: VendorMarket

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            var request = request
            let attempt = request.headers[VendorMarket.mark]
            request.headers[VendorMarket.mark] = nil
            guard let attempt, let id = market.payment(movedBy: request) else {
                return await service.respond(to: request)
            }
            let before = market.takers.withLock { $0[id] }
            // Before the answer: the effect of the request may already be visible.
            market.takers.withLock { $0[id] = attempt }
            let response = await service.respond(to: request)
            if (400..<500).contains(response.status) { market.takers.withLock { $0[id] = before } }
            return response
        }
    }
}

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
            play.demandsAmounts = true
            return try VendorMarket(KeyedVendor(provider, at: service), in: world, play)
        }
    }
}
