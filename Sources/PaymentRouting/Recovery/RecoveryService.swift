public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Settles interrupted attempts repeatedly, until it is stopped: the loop that a server runs beside its payments.
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
/// Several processes may run one over the same journal: each payment is settled by the holder of its lease.
public struct RecoveryService: Sendable {
    private let router: PaymentRouter
    private let payer: Payer
    private let rhythm: Rhythm
    private let report: @Sendable (RecoveryReport) async -> Void
    private let failed: @Sendable (PaymentError) async -> Void

    /// The pauses between two looks.
    public struct Rhythm: Sendable, Hashable {
        /// The longest pause between two looks: work that another process left is found within this time.
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
    ///   - router: the router whose journal is recovered.
    ///   - payer: the payer for attempts that have sent nothing yet. An empty payer abandons them, for a server whose
    ///     payers are elsewhere.
    ///   - rhythm: the pauses between two looks.
    ///   - report: receives the result of each attempt, every time.
    ///   - failed: called when the journal could not be read; the service looks again later.
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

    /// Settles due attempts, waits until the next is due, and repeats, until the task is cancelled.
    ///
    /// A payment that is being settled then is left in a state from which the next look resumes.
    public func run() async {
        let clock = router.effects.clock
        while !Task.isCancelled {
            let pause = await settle()
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }

    /// Looks once.
    ///
    /// - Returns: the time until the next look is due.
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
