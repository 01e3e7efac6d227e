public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settles what was interrupted, again and again, until it is stopped: the loop that a server runs beside its payments.
///
/// ```swift
/// let recovery = RecoveryService(router) { report in logger.info("\(report)") }
/// try await withThrowingTaskGroup { group in
///     group.addTask { await recovery.run() }
///     group.addTask { try await server.run() }
///     try await group.next()
///     group.cancelAll()
/// }
/// ```
///
/// Several processes may run one over the same journal: each payment is settled by whoever has its lease.
public struct RecoveryService: Sendable {
    private let router: PaymentRouter
    private let payer: Payer
    private let rhythm: Rhythm
    private let report: @Sendable (RecoveryReport) async -> Void
    private let failed: @Sendable (PaymentError) async -> Void

    /// When it looks.
    public struct Rhythm: Sendable, Hashable {
        /// The longest pause between two looks: work that another process left is found after so long.
        public var longest: Duration
        /// The shortest pause between two looks.
        public var shortest: Duration

        /// Creates a rhythm.
        public init(longest: Duration = .seconds(60), shortest: Duration = .seconds(1)) {
            self.longest = longest
            self.shortest = shortest
        }
    }

    /// Creates a service. It does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - router: whose journal is looked after.
    ///   - payer: who goes on with attempts that have sent nothing yet. An empty payer gives these up, as a server does
    ///     whose payers are elsewhere.
    ///   - rhythm: when it looks.
    ///   - report: hears what became of each attempt, every time.
    ///   - failed: hears that the journal could not be read; it is looked again later.
    public init(
        _ router: PaymentRouter, as payer: Payer = Payer(), rhythm: Rhythm = Rhythm(),
        report: @escaping @Sendable (RecoveryReport) async -> Void = { _ in },
        failed: @escaping @Sendable (PaymentError) async -> Void = { _ in }
    ) {
        self.router = router
        self.payer = payer
        self.rhythm = rhythm
        self.failed = failed
        self.report = report
    }

    /// Settles what is due, waits until something is due again, and goes on so, until the task is cancelled.
    ///
    /// A payment that is being settled then is left in a state from which the next look goes on.
    public func run() async {
        let clock = router.effects.clock
        while !Task.isCancelled {
            let pause = await settle()
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Looks once.
    ///
    /// - Returns: how long until the next look is due.
    private func settle() async -> Duration {
        do {
            let reports = try await router.recover(as: payer)
            for one in reports { await report(one) }
            let due = reports.compactMap(\.askAgain).min()
            let wait = due.map { Duration.seconds($0.timeIntervalSince(router.effects.clock.now)) } ?? rhythm.longest
            return max(rhythm.shortest, min(wait, rhythm.longest))
        } catch {
            await failed(error)
            return rhythm.longest
        }
    }
}
