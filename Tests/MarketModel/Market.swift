package import PaymentCore
package import PaymentTesting

/// One payment service of a simulated world: it makes payments, and knows the truth about them.
///
/// To simulate another provider, write one file with a conforming type that connects its sandbox to the world, and add
/// it to `MarketMaker.all`. Histories, faults, crashes and the judgement are the same for all.
///
/// Payments are called by their one identity here: what ``identity(of:)`` makes of a provider's reference.
package protocol Market: Sendable {
    /// The provider under test, without any layer.
    var provider: any PaymentProvider { get }

    /// What merchants use in the provider's place on their servers; nil when it is the provider itself, or there is
    /// none.
    var merchant: (any PaymentService)? { get }

    /// What the application puts around the provider's world.
    func surround(_ context: ProviderContext) -> ProviderContext

    /// Makes a payment. What becomes of it is drawn; most can be paid.
    ///
    /// - Parameter number: another one for every payment of a history, from 0.
    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment

    /// Gives the payer what its payments need beyond accounts and keys: wallets, pages.
    func equip(_ payer: inout Payer)

    /// The one name of a payment, whatever its link is called.
    func identity(of reference: String) -> String

    /// How often the service took money for a payment; what a wallet sent by itself is not counted here.
    func captures(of payment: PaymentReference) async -> Int

    /// Whether the payee had the money at some time, from whomever.
    func isPaid(_ payment: PaymentReference) async -> Bool

    /// Whether the service took money by this very attempt and keeps it; what a wallet sent by itself does not count.
    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool

    /// Whether the service's word on the payment will never change again. Asked about what wallets have sent, only.
    func isDecided(_ payment: PaymentReference) async -> Bool

    /// Whether a payment that was declined may be paid in another way.
    var canBePaidAfterRefusal: Bool { get }

    /// What is not true of a receipt, or nil.
    func untruth(in receipt: PaymentReceipt, of payment: PaymentReference) async -> String?

    /// The id of the payment whose money `request` can move, or nil. Such a request must find its step on the disk.
    func payment(movedBy request: HTTPRequest) -> String?

    // MARK: What comes from outside

    /// The URLs by which a payer may come back, sooner, later, or twice.
    func returns(of payment: PaymentReference) -> [String]

    /// Every notification that the service has sent and that is not too old to be believed, oldest first.
    func notifications() async -> [IncomingNotification]

    /// Notifications that are not to be believed: altered ones, ones that say that `payment` is paid and are signed
    /// with another secret, and ones that are too old.
    func forgeries(about payment: PaymentReference) async -> [IncomingNotification]

    /// A refund that a merchant may ask for; nil where none can be.
    ///
    /// - Parameter number: which one; ``MarketPayment/excessiveRefund`` is over more than was paid.
    func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest?

    /// How often the service gave money back for a refund.
    func givenBack(_ refund: RefundRequest) async -> Int

    /// Every time that the service gave money of a payment back, with how much of it in minor units.
    func givenBack(of payment: PaymentReference) async -> [UInt128]

    /// How often the service called a payment off.
    func cancellations(of payment: PaymentReference) async -> Int
}

extension Market {
    package var merchant: (any PaymentService)? { nil }
    package func surround(_ context: ProviderContext) -> ProviderContext { context }
    /// Accounts and keys are enough for most.
    package func equip(_ payer: inout Payer) {}
    package func identity(of reference: String) -> String { reference }
    package func isDecided(_ payment: PaymentReference) async -> Bool { false }
    package var canBePaidAfterRefusal: Bool { false }
    package func returns(of payment: PaymentReference) -> [String] { [] }
    package func notifications() async -> [IncomingNotification] { [] }
    package func forgeries(about payment: PaymentReference) async -> [IncomingNotification] { [] }
    package func refund(_ number: Int, of payment: PaymentReference) async -> RefundRequest? { nil }
    package func givenBack(_ refund: RefundRequest) async -> Int { 0 }
    package func givenBack(of payment: PaymentReference) async -> [UInt128] { [] }
    package func cancellations(of payment: PaymentReference) async -> Int { 0 }
}

/// A payment at a market.
package struct MarketPayment: Sendable {
    /// The payment, by its one identity.
    package let reference: PaymentReference
    /// The spellings of the link that is paid; the first is the usual one.
    package let links: [String]
    /// Whether the service never says how it ends, once money was taken.
    package let isEndless: Bool
    /// Whether other devices of the payer's, with journals of their own, may pay it too: the service takes it only
    /// once.
    package let isForAll: Bool

    package init(reference: PaymentReference, links: [String], isEndless: Bool = false, isForAll: Bool = false) {
        self.reference = reference
        self.links = links
        self.isEndless = isEndless
        self.isForAll = isForAll
    }
}

/// Opens a market in a world.
package struct MarketMaker: Sendable {
    /// The weight with which payments go there, beside those of the other markets.
    package let share: Int
    /// Opens it.
    package let open: @Sendable (SimulatedWorld) throws -> any Market

    package init(share: Int, open: @escaping @Sendable (SimulatedWorld) throws -> any Market) {
        self.share = share
        self.open = open
    }
}

extension MarketPayment {
    /// The number of a refund over more than was paid.
    package static let excessiveRefund = 2
}

extension SeededRandomSource {
    package func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    package func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
    package func happens(_ probability: Double) -> Bool { fraction() < probability }
}
