package import MarketModel
package import PaymentCore
package import PaymentRouting
package import PaymentTesting

/// What a history is made of; mistakes are planted here, never in the product.
package struct Variation: Sendable {
    /// Takes a notification in for a merchant, and says what it read.
    package typealias Taking =
        @Sendable (
            IncomingNotification, ProviderID, PaymentRouter, any PaymentJournal, any PaymentClock
        ) async throws -> PaymentNotification

    /// The services that payments are made at.
    package var markets = MarketMaker.all
    /// Puts a layer around every process's network.
    package var transport: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
    /// Puts a layer around every process's journal, for which the clock is the process's.
    package var journal: @Sendable (any PaymentJournal, any PaymentClock) -> any PaymentJournal = { journal, _ in
        journal
    }
    /// Changes what was drawn.
    package var faults: @Sendable (inout SimulatedFaults) -> Void = { _ in }
    /// Takes notifications in.
    package var taking: Taking = { notification, provider, router, _, _ in
        try await router.handle(notification, from: provider)
    }
    /// How often two processes live at once.
    package var pairs = 0.4
    /// How often the payer has a second device, with a journal of its own.
    package var devices = 0.25
    /// How often a history has an upgrade that renames steps.
    package var upgrades = 0.1
    /// How often a process lacks one of the providers.
    package var gaps = 0.08
    /// How often a payment is named by another spelling of its link.
    package var spellings = 0.2
    /// How often nobody pays for hours between two phases.
    package var breaks = 0.1
    /// Which histories have limits for what is paid without a question: those whose seed leaves this when divided by 3.
    package var autoPayShare: UInt64 = 1
    /// How often a process hears from outside: returns, notifications, merchants who cancel or give money back.
    package var merchantCalls = 0.5
    /// Whether requests are checked to be covered by durable records when they leave.
    package var checksDurability = true
    /// What has to be kept. Breaches of anything else are listed apart.
    package var promises = Promise.kept

    /// Everything, without mistakes.
    package init() {}
}
