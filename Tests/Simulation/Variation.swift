package import PaymentCore
package import PaymentTesting

/// What a history is made of; mistakes are planted here, never in the product.
package struct Variation: Sendable {
    /// The services that payments are made at.
    package var markets = MarketMaker.all
    /// Puts a layer around every process's network.
    package var transport: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
    /// Puts a layer around every process's journal.
    package var journal: @Sendable (any PaymentJournal) -> any PaymentJournal = { $0 }
    /// Changes what was drawn.
    package var faults: @Sendable (inout SimulatedFaults) -> Void = { _ in }
    /// How often two processes live at once.
    package var pairs = 0.4
    /// Whether requests are checked to be covered by durable records when they leave.
    package var checksDurability = true

    /// Everything, without mistakes.
    package init() {}
}
