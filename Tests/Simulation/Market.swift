package import PaymentCore
package import PaymentTesting

/// One payment service of a simulated world: it makes payments, and knows the truth about them.
///
/// To simulate another provider, write one file with a conforming type that connects its sandbox to the world, and add it
/// to ``MarketMaker/all``. Histories, faults, crashes and the judgement are the same for all.
package protocol Market: Sendable {
    /// The provider under test.
    var provider: any PaymentProvider { get }

    /// Makes a payment. What becomes of it is drawn; most can be paid.
    ///
    /// - Parameter number: another one for every payment of a history, from 0.
    func makePayment(_ number: Int, _ random: SeededRandomSource) async -> MarketPayment

    /// Gives the payer what its payments need beyond accounts and keys: wallets, pages.
    func equip(_ payer: inout Payer)

    /// How often money was taken for a payment.
    func captures(of payment: PaymentReference) async -> Int

    /// Whether the payee has the money, from whomever.
    func isPaid(_ payment: PaymentReference) async -> Bool

    /// Whether money was taken by this very attempt.
    func wasCaptured(_ attempt: PaymentAttempt) async -> Bool

    /// The id of the payment whose money `request` can move, or nil. Such a request must find its step on the disk.
    func payment(movedBy request: HTTPRequest) -> String?
}

extension Market {
    /// Accounts and keys are enough for most.
    package func equip(_ payer: inout Payer) {}
}

/// A payment at a market.
package struct MarketPayment: Sendable {
    /// The payment, by the provider's name for it.
    package let reference: PaymentReference
    /// The link that is paid.
    package let link: String
    /// Whether the service never says how it ends, once money was taken.
    package let isEndless: Bool

    package init(reference: PaymentReference, link: String, isEndless: Bool = false) {
        self.reference = reference
        self.link = link
        self.isEndless = isEndless
    }
}

/// Opens a market in a world.
package struct MarketMaker: Sendable {
    /// The weight with which payments go there, beside those of the other markets.
    package let share: Int
    /// Opens it.
    package let open: @Sendable (SimulatedWorld) throws -> any Market

    /// Every market that there is.
    package static let all = [
        WalletConnectPayMarket.maker(share: 3), CitconMarket.maker(share: 3), PayrailsMarket.maker(share: 3),
        KeyedMarket.maker(share: 5),
    ]
}
