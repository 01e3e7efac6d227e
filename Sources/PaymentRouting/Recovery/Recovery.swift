public import PaymentCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Settles interrupted attempts repeatedly, until it is stopped. A server runs this loop in addition to its payments.
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
/// Several processes may run one over the same journal. Each payment is settled by the holder of its lease.
public struct RecoveryService: Sendable {
    private let router: PaymentRouter
    private let payer: Payer
    private let rhythm: Rhythm
    private let report: @Sendable (RecoveryReport) async -> Void
    private let failed: @Sendable (PaymentError) async -> Void

    /// The pauses between two looks.
    public struct Rhythm: Sendable, Hashable {
        /// The longest pause between two looks. Work that another process left is found within this time.
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
    /// A payment that is being settled then stays in a state that the next look can resume.
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

/// The result of recovering one unfinished attempt.
public struct RecoveryReport: Sendable, Hashable {
    /// The attempt.
    public let attempt: PaymentAttempt
    /// The outcome, or the error that ended the attempt. An error whose phase is ``PaymentError/Phase/maybeSent``
    /// leaves it open, even if nothing was sent for it so far: another worker may resume it. Any other error means that
    /// nothing was paid.
    public let result: Result<PaymentOutcome, PaymentError>
    /// The date to recover again; nil if the attempt is settled.
    public let askAgain: Date?
    /// The time from the report to that date.
    package let pause: Duration?

    /// True if nothing more will happen to the attempt.
    public var isSettled: Bool { askAgain == nil }

    init(_ attempt: PaymentAttempt, _ result: Result<PaymentOutcome, PaymentError>, now: Date) {
        self.attempt = attempt
        self.result = result
        let isOpen: Bool
        var wish: Duration?
        switch result {
        case .success(.pending(let wait)): (isOpen, wish) = (true, wait)
        case .success(let outcome): isOpen = !outcome.isFinal
        case .failure(let error):
            isOpen = error.phase == .maybeSent || [.journal, .unroutable].contains(error.code)
            wish = error.retry.wait
        }
        let seconds = Self.pause(wish: wish, age: now.timeIntervalSince(attempt.startedAt))
        pause = isOpen ? .seconds(seconds) : nil
        askAgain = isOpen ? now.addingTimeInterval(seconds) : nil
    }

    /// Returns the seconds until an attempt is asked about again. If the service states no wait, queries become rarer
    /// the longer the outcome stays unknown.
    package static func pause(wish: Duration?, age: Double) -> Double {
        wish.map { min(max($0 / .seconds(1), 1), 3600) } ?? min(max(age / 2, 5), 3600)
    }
}

extension RecoveryReport: CustomStringConvertible {
    /// One line for people and logs: the attempt, its result, and the date to ask again.
    public var description: String {
        let end =
            switch result {
            case .success(let outcome): outcome.description
            case .failure(let error): error.message
            }
        return "\(attempt): \(end)" + (askAgain.map { "; ask again at \(HTTPDate.text($0))" } ?? "")
    }
}

/// Attempts that were interrupted.
extension PaymentRouter {
    /// Resumes an interrupted attempt. Steps that ended are not run again. Its option was chosen before, so the payer
    /// needs no chooser.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/notFound`` when the journal has no such attempt or it was
    ///   abandoned before anything was paid, ``PaymentError/Code/optionChanged`` when the service demands something
    ///   other than what was chosen: pay from the link again.
    public func resume(_ attempt: AttemptID, as payer: Payer) async throws(PaymentError) -> PaymentOutcome {
        let history = try await history(of: attempt)
        // An ended attempt needs no lease, which a page that never returns may hold.
        if let outcome = history.outcome, history.isFinished, outcome.isFinal, effects.isSound(history),
            history.state == .paid || !history.authorities.settlerHasRefused
        {
            await (try? serviceClient(for: history, payer: payer))?.notifyPayee(of: history)
            return outcome
        }
        do throws(PaymentError) {
            let serviceClient = try serviceClient(for: history, payer: payer)
            // Read again with the lease: another worker may have ended it in between.
            return try await carryOnce(history.attempt.reference) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).resume(attempt)
            }
        } catch {
            throw await about(history, error)
        }
    }

    /// Settles every unfinished attempt that no living worker has, after a crash or a loss of the network.
    ///
    /// Steps that ended are not run again. Steps that may have moved money are settled by the service's status, or sent
    /// again only if the service recognises the repetition. An attempt that had sent nothing resumes as the payer
    /// agreed. Recover as an empty ``Payer`` to abandon such attempts instead. Reservations to be spent without a
    /// question (``AutoPay``) for attempts that have ended, or never began, are settled as well.
    ///
    /// - Parameters:
    ///   - payer: the payer for attempts that have sent nothing yet; an empty one abandons them.
    ///   - width: the number of payments settled at the same time, at least one.
    ///   - bound: the time for one attempt. After it, the attempt is reported as open and the others continue: a wallet
    ///     or service may never return. A later recovery asks about it again.
    /// - Returns: a report on each attempt, oldest first.
    /// - Throws: ``PaymentError`` when the journal cannot be read.
    public func recover(
        as payer: Payer, width: Int = 4, bound: Duration = .seconds(300)
    ) async throws(PaymentError) -> [RecoveryReport] {
        let histories = try await journaled { try await $0.unfinished() }
        let reports = await recover(histories, as: payer, width: width, bound: bound)
        await settleSpendings()
        return reports
    }

    /// Settles these attempts, as ``recover(as:width:bound:)`` does. Those that another worker has are left out.
    package func recover(
        _ histories: [AttemptHistory], as payer: Payer, width: Int, bound: Duration
    ) async -> [RecoveryReport] {
        await Recovery(clock: effects.clock, width: width, bound: bound).run(histories) { history in
            do throws(PaymentError) { return .success(try await recoverAlone(history, as: payer)) } catch {
                return .failure(error)
            }
        }
    }

    /// Resumes an interrupted attempt and reports on it as ``recover(as:width:bound:)`` does.
    ///
    /// - Throws: ``PaymentError``, `notFound`, when the journal has no such attempt.
    public func recover(_ attempt: AttemptID, as payer: Payer) async throws(PaymentError) -> RecoveryReport {
        let history = try await history(of: attempt)
        let result: Result<PaymentOutcome, PaymentError>
        do { result = .success(try await resume(attempt, as: payer)) } catch { result = .failure(error) }
        return RecoveryReport(history.attempt, result, now: effects.clock.now)
    }

    /// Resumes an attempt unless another worker has it.
    private func recoverAlone(_ history: AttemptHistory, as payer: Payer) async throws(PaymentError) -> PaymentOutcome {
        let attempt = history.attempt
        do {
            let serviceClient = try serviceClient(for: history, payer: payer)
            return try await leases.with(attempt.reference, waiting: false) { journal in
                try await AttemptEngine(serviceClient: serviceClient, journal: journal).resume(attempt.id)
            } orElse: {
                $0
            }
        } catch {
            let failure = await about(history, PaymentError(thrown: error, at: attempt.reference.provider))
            // The worker that has it reports its end.
            if failure.code != .inUse { effects.emit(.failed(failure), of: attempt) }
            throw failure
        }
    }

    func history(of attempt: AttemptID) async throws(PaymentError) -> AttemptHistory {
        let history = try await journaled { try await $0.history(of: attempt) }
        guard let history else { throw PaymentError(.notFound, "the journal has no attempt \(attempt)") }
        return history
    }

    /// Returns an error about an attempt. While the attempt is open, or cannot be read, another worker may be resuming
    /// it, and a caller that receives "nothing sent" may pay in another way. No worker resumes an attempt whose record
    /// was changed.
    private func about(_ history: AttemptHistory, _ error: PaymentError) async -> PaymentError {
        guard let now = try? await effects.journal.history(of: history.attempt.id),
            now.isFinished || !effects.isSound(now)
        else { return error.withOpenFate }
        return error.about(now)
    }

    /// Returns the client for an attempt's service. Without its provider nothing is known about the attempt, and it may
    /// have been paid.
    private func serviceClient(for history: AttemptHistory, payer: Payer) throws(PaymentError) -> ServiceClient {
        let provider = history.attempt.reference.provider
        do { return try serviceClient(for: provider, payer: payer) } catch {
            throw PaymentError(
                error.code, "\(error.message); register it and recover again", provider: provider, phase: error.phase)
        }
    }
}

/// Settles attempts, some at a time.
struct Recovery: Sendable {
    let clock: any PaymentClock
    let width: Int
    let bound: Duration

    /// Settles `histories` with `settle` and reports on them in their order. Attempts at one payment take turns. Those
    /// that another worker has are left out. One that takes longer than the bound is reported as open, and the others
    /// continue.
    func run(
        _ histories: [AttemptHistory],
        _ settle: @escaping @Sendable (AttemptHistory) async -> Result<PaymentOutcome, PaymentError>
    ) async -> [RecoveryReport] {
        // Oldest first: a dictionary's order differs in every process.
        let payments = Dictionary(grouping: histories.enumerated(), by: \.element.attempt.reference).values
            .sorted { $0[0].offset < $1[0].offset }
        return await withTaskGroup(of: [(Int, RecoveryReport)].self) { group in
            var reports: [(Int, RecoveryReport)] = []
            var running = 0
            for payment in payments {
                if running >= max(1, width) {
                    reports += await group.next() ?? []
                    running -= 1
                }
                running += 1
                group.addTask {
                    var reports: [(Int, RecoveryReport)] = []
                    for (index, history) in payment {
                        let result =
                            await TimeBound(bound, clock).result { await settle(history) } ?? .failure(late(history))
                        if case .failure(let error) = result, error.code == .inUse { continue }
                        reports.append((index, RecoveryReport(history.attempt, result, now: clock.now)))
                    }
                    return reports
                }
            }
            for await more in group { reports += more }
            return reports.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func late(_ history: AttemptHistory) -> PaymentError {
        let seconds = bound.components.seconds
        return PaymentError(
            .network, "nothing has come back within \(seconds) s; the attempt stays open, and is asked about again",
            provider: history.attempt.reference.provider, phase: .maybeSent, retry: .later)
    }
}
