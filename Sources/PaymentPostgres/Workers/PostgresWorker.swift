public import PaymentCore
public import PaymentRecurring
public import PaymentRouting

/// Settles open attempts together with any number of workers on other machines: each attempt when it is due, and by one
/// worker at a time.
///
/// ```swift
/// let worker = PostgresWorker(router, journal) { report in logger.info("\(report)") }
/// try await withThrowingTaskGroup { group in
///     group.addTask { await worker.run() }
///     group.addTask { try await server.run() }
///     try await group.next()
///     group.cancelAll()
/// }
/// ```
///
/// An open attempt is due when its lease has ended, at the date of the next inquiry that the service or the last look
/// asked for, or as soon as its lease was released. A worker claims due attempts for a time, by the server's clock; of
/// a worker that dies they are taken over when that time and the payment's lease are over, not before. It decides only
/// when an attempt is looked at: the payment's lease and the journal keep it from being made twice, whatever looks at
/// it.
///
/// A worker sleeps until the next attempt is due. Attempts that are due sooner wake it by a notification of the server;
/// where that is lost, it finds them within ``Rhythm/longest``.
public struct PostgresWorker: Sendable {
    /// The pauses of a worker, and the share of the work that it takes.
    public struct Rhythm: Sendable, Hashable {
        /// The longest pause between two looks: due attempts are found within this time where no notification arrives.
        public var longest: Duration
        /// The shortest pause after a notification, however many arrive.
        public var shortest: Duration
        /// The time for which a claim keeps other workers from an attempt whose lease nothing holds.
        public var claim: Duration
        /// The number of attempts settled at the same time, at least one.
        public var width: Int
        /// The time for one attempt, after which it is reported as open and the others go on.
        public var bound: Duration

        /// Creates a rhythm.
        public init(
            longest: Duration = .seconds(10), shortest: Duration = .milliseconds(100), claim: Duration = .seconds(60),
            width: Int = 4, bound: Duration = .seconds(300)
        ) {
            self.longest = longest
            self.shortest = shortest
            self.claim = claim
            self.width = width
            self.bound = bound
        }
    }

    private let router: PaymentRouter
    private let journal: PostgresJournal
    private let payer: Payer
    private let scheduler: RecurringScheduler?
    private let rhythm: Rhythm
    private let report: @Sendable (RecoveryReport) async -> Void
    private let failed: @Sendable (any Error) async -> Void
    private let random: any RandomSource = SystemRandomSource()

    /// Creates a worker. It does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - router: the router that settles the attempts.
    ///   - journal: the journal of this router.
    ///   - payer: the payer for attempts that have sent nothing yet. An empty payer abandons them, for a server whose
    ///     payers are elsewhere.
    ///   - scheduler: a scheduler over a ``PostgresRecurringJournal`` in the same store, which looks when a plan or a
    ///     period is due by the server's clock, at most once in ``Rhythm/longest``; nil where plans are charged
    ///     elsewhere.
    ///   - rhythm: the pauses, and the share of the work.
    ///   - report: receives the result of each attempt, every time.
    ///   - failed: called when the server could not be used; the worker looks again later.
    public init(
        _ router: PaymentRouter, _ journal: PostgresJournal, as payer: Payer = Payer(),
        scheduler: RecurringScheduler? = nil, rhythm: Rhythm = Rhythm(),
        report: @escaping @Sendable (RecoveryReport) async -> Void = { _ in },
        failed: @escaping @Sendable (any Error) async -> Void = { _ in }
    ) {
        self.router = router
        self.journal = journal
        self.payer = payer
        self.scheduler = scheduler
        self.rhythm = rhythm
        self.report = report
        self.failed = failed
    }

    /// Settles due attempts until the task is cancelled.
    ///
    /// After the cancellation it claims no further attempts, and returns when those that it has begun are settled, or
    /// their time is over.
    public func run() async {
        let (bell, shift, charges) = (Bell(), Shift(width: rhythm.width), Shift(width: 1))
        async let listening: Void = listen(bell)
        var plans = ContinuousClock.now
        var isBegun = false
        while !Task.isCancelled {
            var pause = rhythm.longest
            do {
                if !isBegun { try await journal.due.adopt() }
                isBegun = true
                let next = try await look(bell, shift)
                if plans <= .now { plans = .now + (try await lookAtPlans(charges)) }
                pause = min(next, plans - .now)
            } catch { await failed(error) }
            if pause > .zero { await bell.wait(for: pause) }
        }
        await shift.drain()
        await charges.drain()
        await listening
    }

    /// Claims due attempts, as many as can be begun now, and begins them.
    ///
    /// - Returns: the time until the next look, unless the bell rings.
    private func look(_ bell: Bell, _ shift: Shift) async throws -> Duration {
        let free = shift.free
        // A work that ends rings.
        guard free > 0 else { return rhythm.longest }
        let (claims, found) = try await journal.due.claim(as: random.hex(16), most: free, for: rhythm.claim)
        for claim in claims {
            guard !Task.isCancelled else {
                try await journal.due.finish(claim, lookingAgainIn: .zero)
                continue
            }
            shift.begin {
                do { try await settle(claim) } catch { await failed(error) }
            } ended: {
                bell.ring()
            }
        }
        // More may be due.
        guard found < free else { return .zero }
        let next = try await journal.due.untilNext() ?? rhythm.longest
        return min(max(next, rhythm.shortest), rhythm.longest)
    }

    /// Lets the scheduler look, if a plan or a period is due and it is not looking already.
    ///
    /// - Returns: the time until plans are looked at again.
    private func lookAtPlans(_ charges: Shift) async throws -> Duration {
        guard let scheduler, charges.free > 0 else { return rhythm.longest }
        let wait = try await journal.due.untilPlans() ?? rhythm.longest
        guard wait <= .zero else { return min(wait, rhythm.longest) }
        charges.begin {
            do { try await scheduler.look() } catch { await failed(error) }
        } ended: {
        }
        return rhythm.longest
    }

    /// Looks at one claimed attempt. When the server cannot be used meanwhile, its claim ends by itself.
    private func settle(_ claim: DueRows.Claim) async throws {
        let due = journal.due
        if claim.payment == DueRows.spendings {
            await router.settleSpendings()
            try await due.adopt()
            return try await due.finish(claim, lookingAgainIn: .seconds(60))
        }
        guard let attempt = claim.attempt, let history = try await journal.history(of: attempt) else {
            return try await due.finish(claim, lookingAgainIn: nil)
        }
        let reports = await router.recover([history], as: payer, width: 1, bound: rhythm.bound)
        // Without a report a payer or worker has the payment.
        try await due.finish(claim, lookingAgainIn: reports.isEmpty ? .seconds(1) : reports.first?.pause)
        for one in reports { await report(one) }
    }

    /// Rings for notifications until the task is cancelled or the store closed. What was sent before it listens is
    /// found by a look.
    private func listen(_ bell: Bell) async {
        var pause = rhythm.shortest
        while !Task.isCancelled {
            do {
                let connection = try await journal.store.listen(to: journal.tables.channel)
                pause = rhythm.shortest
                bell.ring()
                while true {
                    try await connection.awaitNotification(until: .now + .seconds(3600))
                    bell.ring()
                    try await Task.sleep(for: rhythm.shortest)
                }
            } catch PostgresError.closed { return } catch {}
            try? await Task.sleep(for: pause)
            pause = max(min(pause * 2, rhythm.longest), rhythm.shortest)
        }
    }
}
