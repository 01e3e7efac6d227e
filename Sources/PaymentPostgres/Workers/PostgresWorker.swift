import Dispatch
public import PaymentCore
public import PaymentRouting
import Synchronization

/// Settles open attempts together with any number of workers on other machines: each attempt when it is due, and by one
/// worker at a time. It also handles notifications that ``PostgresJournal/keep(_:from:checkedBy:)`` stored, and passes
/// the ends of attempts on to the application.
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
/// asked for, or as soon as its lease was released. A worker claims due attempts for a time, by the server's clock; if
/// the worker dies, others take them over when that time and the payment's lease are over, not before. A worker decides
/// only when an attempt is looked at. The payment's lease and the journal keep it from being made twice.
///
/// A worker sleeps until the next attempt is due. The server's notification wakes it for attempts that are due sooner.
/// If the notification is lost, the worker finds them within ``Rhythm/longest``.
///
/// The end of an attempt is passed on at least once, and by one worker at a time while its claim lasts. A failure is
/// tried again after 5 seconds, then at ever longer intervals, an hour at most, until it succeeds.
///
/// A worker also charges plans that are due, by a `RecurringScheduler` of `PaymentRecurring`:
///
/// ```swift
/// let worker = PostgresWorker(router, journal, plans: { try await scheduler.lookIfDue() })
/// ```
public struct PostgresWorker: Sendable {
    /// The pauses of a worker, and the share of the work that it takes.
    public struct Rhythm: Sendable, Hashable {
        /// The longest pause between two looks. Due attempts are found within this time even if no notification
        /// arrives.
        public var longest: Duration
        /// The shortest pause after a notification, however many arrive.
        public var shortest: Duration
        /// The time for which a claim keeps other workers from an attempt whose lease nothing holds.
        public var claim: Duration
        /// The number of attempts settled at the same time, at least one. It also holds for notifications, and for
        /// ends.
        public var width: Int
        /// The time for one attempt. After it, the attempt is reported as open and the others continue. A notification
        /// or an end has this time or that of a claim, the shorter one.
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
    private let rhythm: Rhythm
    private let report: @Sendable (RecoveryReport) async -> Void
    private let failed: @Sendable (any Error) async -> Void
    private let ended: (@Sendable (AttemptHistory) async throws -> Void)?
    private let notified: (@Sendable (HandledNotification) async throws -> Void)?
    private let plans: (@Sendable () async throws -> Duration?)?
    private let random: any RandomSource = SystemRandomSource()

    /// Creates a worker. It does nothing before ``run()``.
    ///
    /// - Parameters:
    ///   - router: the router that settles the attempts.
    ///   - journal: the journal of this router.
    ///   - payer: the payer for attempts that have sent nothing yet. An empty payer abandons them, for a server whose
    ///     payers are elsewhere.
    ///   - rhythm: the pauses, and the share of the work.
    ///   - report: receives the result of each attempt, every time.
    ///   - failed: called when the server could not be used, or a notification or an end could not be handled; the
    ///     worker looks again later. An error with `untrustedNotification` or `integrity` is about a notification whose
    ///     content is not used any more. The service is asked about its payment instead.
    ///   - ended: receives each attempt that ended, also one that sent nothing, if the journals report ends
    ///     (``PostgresJournal/init(_:reportsEnds:)``); nil if other workers receive them. It is called again when it
    ///     throws, does not return in time, or the worker dies. Recognise a repetition by the attempt's id.
    ///   - notified: receives each notification that the journal keeps (``PostgresJournal/keep(_:from:checkedBy:)``),
    ///     with the outcome to state; nil leaves notifications to other workers. It is the only report on payments and
    ///     refunds without an attempt in the journal, such as a merchant's charges, and on everything after an
    ///     attempt's end. Like `ended` it is called again when it throws, does not return in time, or the worker dies.
    ///     If the outcome is unknown, ask for the payment's status.
    ///   - plans: charges the plans that are due, and returns the time until the next one is; nil where it has charged
    ///     some, or there is none. After that, as after a failure, it is called again in ``Rhythm/longest``. Without it,
    ///     plans are charged elsewhere.
    public init(
        _ router: PaymentRouter, _ journal: PostgresJournal, as payer: Payer = Payer(),
        rhythm: Rhythm = Rhythm(),
        report: @escaping @Sendable (RecoveryReport) async -> Void = { _ in },
        failed: @escaping @Sendable (any Error) async -> Void = { _ in },
        ended: (@Sendable (AttemptHistory) async throws -> Void)? = nil,
        notified: (@Sendable (HandledNotification) async throws -> Void)? = nil,
        plans: (@Sendable () async throws -> Duration?)? = nil
    ) {
        self.router = router
        self.journal = journal
        self.payer = payer
        self.rhythm = rhythm
        self.report = report
        self.failed = failed
        self.ended = ended
        self.notified = notified
        self.plans = plans
    }

    /// Settles due attempts, handles notifications and passes on ends, until the task is cancelled.
    ///
    /// After the cancellation it claims nothing more, and returns when the work that it has begun has ended, or
    /// its time is over.
    public func run() async {
        let (bell, shift) = (Bell(), Shift(width: rhythm.width))
        let kinds: [DeliveryRows.Kind] = (notified == nil ? [] : [.notification]) + (ended == nil ? [] : [.end])
        // Each kind has places that no other one occupies.
        let deliveries = kinds.map { (kind: $0, shift: Shift(width: rhythm.width)) }
        async let listening: Void = listen(bell)
        async let charging: Void = lookAtPlans()
        var isBegun = false
        while !Task.isCancelled {
            var pause = rhythm.longest
            do {
                if !isBegun { try await journal.due.adopt() }
                isBegun = true
                var next = try await look(bell, shift)
                for (kind, places) in deliveries where !Task.isCancelled {
                    next = min(next, try await deliver(kind, bell, places))
                }
                pause = next
            } catch { await failed(error) }
            if pause > .zero { await bell.wait(for: pause) }
        }
        await shift.drain()
        for (_, places) in deliveries { await places.drain() }
        await listening
        await charging
    }

    /// Claims due attempts, as many as can be begun now, and begins them.
    ///
    /// - Returns: the time until the next look, unless the bell rings.
    private func look(_ bell: Bell, _ shift: Shift) async throws -> Duration {
        let free = shift.free
        // The bell rings when a work ends.
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
        return pause(try await journal.due.untilNext())
    }

    /// Returns the time until the next look, from that until something is due.
    private func pause(_ next: Duration?) -> Duration {
        min(max(next ?? rhythm.longest, rhythm.shortest), rhythm.longest)
    }

    /// Charges plans when they are due, until the task is cancelled. A look that was begun is not cancelled.
    private func lookAtPlans() async {
        guard let plans else { return }
        while !Task.isCancelled {
            let look = Task { try await plans() }
            var wait: Duration?
            do { wait = try await look.value } catch { await failed(error) }
            try? await Task.sleep(for: pause(wait))
        }
    }

    /// Looks at one claimed attempt. When the server cannot be used in the meantime, its claim ends by itself.
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

    // MARK: Notifications and ends

    /// The time for a notification or an end.
    private var limit: Duration { min(rhythm.claim, rhythm.bound) }

    /// Claims notifications or ends that are due, as many as can be begun now, and begins to pass them on.
    ///
    /// - Returns: the time until the next look, unless the bell rings.
    private func deliver(_ kind: DeliveryRows.Kind, _ bell: Bell, _ shift: Shift) async throws -> Duration {
        let free = shift.free
        guard free > 0 else { return rhythm.longest }
        // The claim ends after its work in any case.
        let claims = try await journal.deliveries.claim(
            kind, as: random.hex(16), most: free, for: limit + .seconds(1))
        for claim in claims {
            shift.begin {
                do { try await deliver(claim) } catch { await failed(error) }
            } ended: {
                bell.ring()
            }
        }
        guard claims.count < free else { return .zero }
        return pause(try await journal.deliveries.untilNext(kind))
    }

    /// Passes on one claimed notification or end. When the server cannot be used in the meantime, its claim ends by
    /// itself.
    private func deliver(_ claim: DeliveryRows.Claim) async throws {
        let rows = journal.deliveries
        let result = await TimeBound(limit, SystemPaymentClock()).result { () -> Result<Bool, any Error> in
            do { return .success(try await pass(on: claim.content)) } catch { return .failure(error) }
        }
        switch result ?? .failure(late) {
        case .success(true): try await rows.remove(claim)
        case .success(false): try await rows.replaceByInquiry(claim)
        case .failure(let error):
            try await rows.putOff(claim)
            await failed(error)
        }
    }

    /// Handles a notification and calls its handler, or calls the handler of an ended attempt.
    ///
    /// - Returns: false if the service is to be asked about the notification's payment.
    private func pass(on content: DeliveryRows.Content) async throws -> Bool {
        switch content {
        case .notification(let notification, let provider, let payment):
            let (handled, isUsed) = try await handle(notification, from: provider, about: payment)
            try await notified?(handled)
            if case .unknown = handled.outcome { return false }
            return isUsed
        case .end(let attempt):
            if let history = try await journal.history(of: attempt) { try await ended?(history) }
        }
        return true
    }

    /// Handles a notification.
    ///
    /// - Returns: what to pass on, and false if that is not from the notification, which was genuine when it was
    ///   stored, but cannot be used by now.
    private func handle(
        _ notification: IncomingNotification, from provider: ProviderID, about payment: PaymentReference
    ) async throws -> (HandledNotification, isUsed: Bool) {
        do throws(PaymentError) { return (try await router.handle(notification, from: provider), true) } catch {
            guard error.code == .untrustedNotification || error.code == .integrity else { throw error }
            await failed(error)
            return (HandledNotification(reference: payment, outcome: try await inquire(payment)), false)
        }
    }

    /// Asks about a payment whose notification was genuine when it was stored, and cannot be used by now: its signature
    /// is too old, or it does not fit the open attempt.
    private func inquire(_ payment: PaymentReference) async throws -> PaymentOutcome {
        do throws(PaymentError) { return try await router.status(of: payment) } catch {
            guard [.notAPayment, .notFound, .requestRefused].contains(error.code) else { throw error }
            let message = "a notification about it came, and cannot be checked any more; ask the service what it says"
            return .unknown(UnknownOutcome(reference: payment, message: message))
        }
    }

    private var late: PaymentError {
        PaymentError(
            .network, "nothing has come back within \(limit); the notification or end is handled again later",
            phase: .maybeSent, retry: .later)
    }

    // MARK: Waking

    /// Rings the bell for notifications until the task is cancelled or the store closed. Earlier notifications are
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

/// A bell that wakes a loop that waits between two looks. Rings while the loop does not wait are kept as one.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiting: OneShot<Void>?
    }

    private let state = Mutex(State())
    private static let queue = DispatchQueue(label: "postgres-bell")

    /// Wakes the loop.
    func ring() {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.isRung = true }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.finish(())
    }

    /// Waits for a ring, the end of a time, or the task's cancellation.
    func wait(for duration: Duration) async {
        let waiting = OneShot<Void>()
        let isRung = state.withLock { state in
            defer { state.isRung = false }
            if !state.isRung { state.waiting = waiting }
            return state.isRung
        }
        guard !isRung else { return }
        let timer = DispatchWorkItem { waiting.finish(()) }
        Self.queue.asyncAfter(deadline: .now() + duration / .seconds(1), execute: timer)
        await withTaskCancellationHandler {
            await waiting.value()
        } onCancel: {
            waiting.finish(())
        }
        timer.cancel()
        state.withLock { if $0.waiting === waiting { $0.waiting = nil } }
    }
}

/// The work that a worker has begun. It is not cancelled with the worker's task.
final class Shift: Sendable {
    private struct State {
        var works: [Int: Task<Void, Never>] = [:]
        var number = 0
    }

    private let width: Int
    private let state = Mutex(State())

    /// - Parameter width: the number of works at the same time.
    init(width: Int) { self.width = max(1, width) }

    /// The number of works that can be begun now.
    var free: Int { state.withLock { width - $0.works.count } }

    /// Begins a work.
    ///
    /// - Parameter ended: called when it has ended and no longer counts.
    func begin(_ work: @escaping @Sendable () async -> Void, ended: @escaping @Sendable () -> Void) {
        let start = OneShot<Void>()
        state.withLock { state in
            state.number += 1
            let number = state.number
            state.works[number] = Task {
                await start.value()
                await work()
                self.state.withLock { _ = $0.works.removeValue(forKey: number) }
                ended()
            }
        }
        start.finish(())
    }

    /// Waits until all works have ended.
    func drain() async {
        while let work = state.withLock({ $0.works.values.first }) { await work.value }
    }
}
