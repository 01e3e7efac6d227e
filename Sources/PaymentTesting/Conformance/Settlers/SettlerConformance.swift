import PaymentCore

/// Probes a settler. Every settler gets the same probes: they spend the money of its test wallet.
///
/// ```swift
/// let report = await SettlerConformance.check(
///     SettlerSubject("my node") {
///         let node = try await Node.regtest()
///         return SettlerSubject.Wallet(node.settler, invoice: node.newInvoice, payments: node.countPayments)
///     })
/// #expect(report.isPassed, "\(report)")
/// ```
public enum SettlerConformance {
    /// One rule that every settler must keep.
    @nonexhaustive
    public enum Probe: String, Sendable, Hashable, CaseIterable {
        /// Of something that was never requested there is no order.
        case question = "a question sends nothing"
        /// A registered name is known, also after a restart, and never replaces what is known under it.
        case registered = "a registered name is known, and sends nothing"
        /// A repeated request returns the first one's state.
        case once = "a key is paid once"
        /// Simultaneous requests under one key are one.
        case race = "of many who ask at once, one is paid"
        /// A key's first invoice is its only one: with another one it returns the first one's state.
        case first = "a key keeps its first invoice"
        /// An invoice that was paid under one key is paid under no other, and reported as paid under no other.
        case invoice = "an invoice is paid once, under one key"
        /// Nothing is sent under an abandoned key, and a payment that was made is not abandoned.
        case abandoned = "under an abandoned key nothing is sent"
        /// A refusal is final for its key, and for no other.
        case refused = "a refusal is final for its key"
        /// Payments and refusals are known after a restart.
        case restart = "a restart forgets nothing"
    }

    /// The results of probing a settler.
    public typealias Report = ConformanceReport<Probe>

    /// Runs all probes, each with its own wallet.
    public static func check(_ subject: SettlerSubject) async -> Report {
        await Report.probing(subject.name) {
            SettlerTrial(try await subject.make())
        } _: {
            try await run($0, $1)
        }
    }

    private static func run(_ probe: Probe, _ trial: SettlerTrial) async throws {
        switch probe {
        case .question: try await trial.question()
        case .registered: try await trial.registered()
        case .once: try await trial.once()
        case .race: try await trial.race()
        case .first: try await trial.first()
        case .invoice: try await trial.invoice()
        case .abandoned: try await trial.abandoned()
        case .refused: try await trial.refused()
        case .restart: try await trial.restart()
        }
    }
}
