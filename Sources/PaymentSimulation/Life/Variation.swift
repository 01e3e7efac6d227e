package import PaymentCore
package import PaymentRouting
package import PaymentTesting

/// The composition of a history; mistakes are planted here, never in the product.
package struct Variation: Sendable {
    /// Processes a notification for a merchant, and returns its content.
    package typealias Taking =
        @Sendable (
            IncomingNotification, ProviderID, PaymentRouter, any PaymentJournal, any PaymentClock
        ) async throws -> HandledNotification

    /// The target of the makefile that plays such histories.
    package var target = "simulate"
    /// The services at which payments are made.
    package var markets: [MarketMaker]
    /// Puts a layer around every process's network.
    package var transport: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 }
    /// Puts a layer around every process's journal, with the process's clock.
    package var journal: @Sendable (any PaymentJournal, any PaymentClock) -> any PaymentJournal = { journal, _ in
        journal
    }
    /// Returns the journal on a server that a process uses instead of the one on its disk, which then shows the same.
    package var server: (@Sendable (SimulatedProcess) -> any PaymentJournal & SpendingStore)?
    /// Creates a device's payer, with a wallet.
    package var wallet: CarefulPayer.Wallet = CarefulPayer.development
    /// Changes the drawn faults.
    package var faults: @Sendable (inout SimulatedFaults) -> Void = { _ in }
    /// Processes notifications.
    package var taking: Taking = { notification, provider, router, _, _ in
        try await router.handle(notification, from: provider)
    }
    /// The probability that two processes live at once.
    package var pairs = 0.4
    /// The probability that the payer has a second device, with a separate journal.
    package var devices = 0.25
    /// The probability that a history has an upgrade that renames steps.
    package var upgrades = 0.1
    /// The probability that an application calls its router from inside callbacks.
    package var reentries = 0.1
    /// The probability that an application carries its payments out for others, by keys that it cancels and asks about.
    package var intents = 0.25
    /// The probability that payments are those of two merchants' servers, with separate journals, which number refunds
    /// alike and get each other's notifications.
    package var servers = 0.1
    /// The probability that journals are restored from older copies between runs.
    package var restores = 0.06
    /// The probability that one payment's wallet and settler never answer while everything else heals.
    package var stuckPayers = 0.06
    /// The time that recovery gives one attempt.
    package var recoveryBound = Duration.seconds(300)
    /// True if a router does not learn that such a call comes from inside.
    package var hidesReentries = false
    /// The probability that a payment is quoted, in addition to the other calls about it.
    package var quotes = 0.2
    /// The probability that a history's journal key is added, changed or lost.
    package var keyChanges = 0.1
    /// True if quotes are asked by a router that does not have the journal.
    package var quotesWithoutJournal = false
    /// The probability that a process lacks one of the providers.
    package var gaps = 0.08
    /// The probability that a payment is named by another spelling of its link.
    package var spellings = 0.2
    /// The probability of hours without a payment between two phases.
    package var breaks = 0.1
    /// The time for which nothing happens after everything has healed.
    package var rest = Duration.zero
    /// True if the limits for payments without a question count bitcoin.
    package var countsCoins = false
    /// The histories with limits for payments without a question: those whose seed has this remainder when divided by
    /// 3.
    package var autoPayShare: UInt64 = 1
    /// The probability that a process gets calls from outside: returns, notifications, merchants who cancel or refund.
    package var merchantCalls = 0.5
    /// The probability that merchants who are called capture.
    package var captures = 0.3
    /// The probability that a merchant who cancels captures at the same time, in the same process.
    package var cancelsBesideCaptures = 0.0
    /// The probability that a call of a merchant's is followed by a refund of the payment.
    package var moreRefunds = 0.0
    /// True if payments are cancelled by a router that does not have the journal.
    package var cancelsWithoutJournal = false
    /// The probability that a rate cannot be had.
    package var missingRates = 0.0
    /// True if requests are checked to be covered by durable records when they leave.
    package var checksDurability = true
    /// Creates the interfaces by which tenants' applications pay in a history; nil if applications have a router.
    package var faces: (@Sendable () -> any PaymentFaces)?
    /// True if a server pays from its own wallet; otherwise its callers are asked.
    package var serverPays = false
    /// The promises that must be kept. Breaches of all others are listed separately.
    package var promises = Promise.kept

    /// Creates a variation without mistakes.
    package init(_ markets: [MarketMaker]) { self.markets = markets }

    /// Returns payments from the payer's own wallet, which are in flight for a day at most once everything has healed.
    ///
    /// Its proxy holds requests, for as long as its kind is waited for, and its clock is set, by the market itself.
    /// Copies of a request are the transports' matter, which mark their answers.
    package static func wallet(_ market: MarketMaker) -> Variation {
        var variation = Variation([market])
        variation.target = "simulate-wallets"
        variation.countsCoins = true
        variation.devices = 0.4
        variation.breaks = 0.3
        variation.rest = .seconds(100_000)
        variation.faults = { faults in
            let kinds: [WritableKeyPath<SimulatedFaults, Double>] = [
                \.delayed, \.duplicated, \.silentReplay, \.copyRefused, \.wrongClock,
            ]
            for kind in kinds { faults[keyPath: kind] = 0 }
        }
        return variation
    }
}
