import PaymentCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The leases that one router holds.
actor PaymentLeases {
    /// The role of a lease's holder.
    enum Role: Sendable {
        /// Carries an attempt out: one at a time, also within this router.
        case carrier
        /// Captures, refunds or cancels the payment: one at a time. Works in addition to the carrier, whose payer may
        /// never return.
        case merchant
        /// Handles an outside event of an attempt. Works in addition to the carrier, which may be waiting for that
        /// event.
        case visitor
    }

    private struct Holding {
        let journal: LeasedJournal
        var users: Int
        /// The roles in use that only one user may have.
        var roles: Set<Role>
    }

    private let effects: RouterEffects
    nonisolated let policy: LeasePolicy
    private var holdings: [PaymentReference: Holding] = [:]
    /// Leases that the journal failed to release. Until they run out, they belong to this router alone, and it takes
    /// them again.
    private var unreleased: [PaymentReference: PaymentLease] = [:]

    init(_ effects: RouterEffects, _ policy: LeasePolicy) {
        self.effects = effects
        self.policy = policy
    }

    /// Does `work` while holding the lease of `payment`. A capture, a cancellation or a refund also needs the lease of
    /// its payment, since services show refunds of one payment by their number only. A refund also needs the lease of
    /// its id, which stands for one refund of the account. All callers take the leases in one order, so no two wait for
    /// each other: that of `payment`, that of the refund's id, that of the payment it is of.
    ///
    /// If another router holds the lease, this waits for it. If that router's attempt reached an outcome in the
    /// meantime, this returns that outcome and does not do `work`.
    ///
    /// - Parameter waiting: true to wait; otherwise a payment in use is an error immediately.
    nonisolated func with<Outcome: Sendable>(
        _ payment: PaymentReference, as role: Role = .carrier, waiting: Bool = true,
        _ work: @Sendable (LeasedJournal) async throws -> Outcome,
        orElse take: @Sendable (PaymentOutcome) -> Outcome
    ) async throws -> Outcome {
        var finishedBefore: Set<AttemptID>?
        var journal = try await tryTake(payment, role)
        if journal == nil, waiting {
            let before = try await finished(payment)
            // There is nothing to wait for, and the holder of the lease may never return.
            if let success = before.compactMap(\.outcome).first(where: Self.isSuccess) { return take(success) }
            finishedBefore = Set(before.map(\.attempt.id))
            journal = try await wait(for: payment, role)
        }
        guard let journal else { throw PaymentError.inUse(payment.provider) }
        let ending: Result<Outcome, any Error>
        do {
            if let finishedBefore,
                let outcome = try await finished(payment).last(where: { !finishedBefore.contains($0.attempt.id) })?
                    .outcome, outcome.isFinal
            {
                ending = .success(take(outcome))
            } else {
                ending = .success(
                    try await holding(of: role == .carrier ? payment : nil, waiting: waiting, journal, work))
            }
        } catch {
            ending = .failure(error)
        }
        let giving = effects.clock.uptime
        await drop(journal.lease, role)
        let outcome = try ending.get()
        // Releasing the lease may have taken so long that another worker has paid since. Results other than outcomes
        // state nothing about money.
        let isLate = (effects.clock.uptime - giving) * 2 >= policy.duration
        if isLate, (outcome as? PaymentOutcome)?.deniesPayment == true { throw PaymentError.inUse(payment.provider) }
        return outcome
    }

    /// Does `work` on a capture, a cancellation or a refund while holding the leases of the refund's id and of the
    /// payment it is of, if any.
    private nonisolated func holding<Outcome: Sendable>(
        of movement: PaymentReference?, waiting: Bool, _ journal: LeasedJournal,
        _ work: @Sendable (LeasedJournal) async throws -> Outcome
    ) async throws -> Outcome {
        var inner = journal
        let ending: Result<Outcome, any Error>
        do {
            for outer in [movement?.refundName, movement?.handledPayment].compactMap(\.self) {
                inner.outer.append(try await merchantsJournal(of: outer, waiting: waiting))
            }
            ending = .success(try await work(inner))
        } catch {
            ending = .failure(error)
        }
        for journal in inner.outer.reversed() { await drop(journal.lease, .merchant) }
        return try ending.get()
    }

    private nonisolated func merchantsJournal(
        of outer: PaymentReference, waiting: Bool
    ) async throws -> LeasedJournal {
        var journal = try await tryTake(outer, .merchant)
        if journal == nil, waiting { journal = try await wait(for: outer, .merchant) }
        if let journal { return journal }
        let what = outer.isRefund ? "a refund with this id" : "another capture, cancellation or refund of this payment"
        throw PaymentError(
            .inUse, "\(what) is in progress; ask again when it has ended", provider: outer.provider,
            phase: .maybeSent, retry: .later)
    }

    private static func isSuccess(_ outcome: PaymentOutcome) -> Bool {
        if case .succeeded = outcome { true } else { false }
    }

    /// Asks for the lease again and again, until the timeout.
    private nonisolated func wait(for payment: PaymentReference, _ role: Role) async throws -> LeasedJournal? {
        var waited = Duration.zero
        var waits = RetryPolicy.lease.waits()
        while waited < policy.timeout, let pause = waits.next() {
            // A caller that abandons waiting leaves a payment in progress: not a cancelled one.
            do { try await effects.clock.sleep(for: pause) } catch { return nil }
            waited += pause
            if let journal = try await tryTake(payment, role) { return journal }
        }
        return nil
    }

    private func tryTake(_ payment: PaymentReference, _ role: Role) async throws -> LeasedJournal? {
        if let holding = holdings[payment] {
            guard !holding.roles.contains(role) else { return nil }
            if role != .visitor { holdings[payment]?.roles.insert(role) }
            holdings[payment]?.users += 1
            return holding.journal
        }
        let lease =
            unreleased[payment]
            ?? PaymentLease(payment: payment, holder: effects.random.uuid(), duration: policy.duration)
        let isTaken: Bool
        do { isTaken = try await effects.journal.acquire(lease, at: effects.clock.now) } catch {
            throw PaymentError(.journal, "the journal failed: \(error)", provider: payment.provider, cause: error)
        }
        unreleased[payment] = nil
        guard isTaken else { return nil }
        // Another caller that asked for the same unreleased lease has it by now.
        if holdings[payment] != nil { return try await tryTake(payment, role) }
        // Only one of several that asked at once gets the journal's lease, so no holding is overwritten here.
        let writer = effects.journalKey.map { SealedWriter(effects.journal, $0) }
        let journal = LeasedJournal(base: effects.journal, lease: lease, writer: writer)
        holdings[payment] = Holding(journal: journal, users: 1, roles: role == .visitor ? [] : [role])
        return journal
    }

    private func drop(_ lease: PaymentLease, _ role: Role) async {
        guard let holding = holdings[lease.payment], holding.journal.lease == lease else { return }
        holdings[lease.payment]?.roles.remove(role)
        holdings[lease.payment]?.users -= 1
        guard holding.users == 1 else { return }
        holdings[lease.payment] = nil
        do { try await effects.journal.release(lease) } catch {
            // It runs out by itself.
            if holdings[lease.payment] == nil { unreleased[lease.payment] = lease }
        }
    }

    private nonisolated func finished(_ payment: PaymentReference) async throws -> [AttemptHistory] {
        do {
            return try await effects.journal.histories(of: payment).filter { $0.isFinished && effects.isSound($0) }
        } catch {
            throw PaymentError(.journal, "the journal failed: \(error)", provider: payment.provider, cause: error)
        }
    }
}

/// The waiting times of routers that share a journal, and of callers that are cancelled.
public struct LeasePolicy: Sendable, Hashable {
    /// The time that a router may be silent about a payment before another may take it over. If the journal can detect
    /// that a process has ended, its payments are taken over immediately.
    public let duration: Duration
    /// The longest wait for a payment that another router is making.
    public let timeout: Duration
    /// The time for which a cancelled caller waits for the payment's true ending, in real time: a payer's page or
    /// wallet need not notice the cancellation. After that, the caller receives the journal's result.
    public let grace: Duration

    /// Creates a policy. The default lets a payer think for ten minutes, waits for half a minute, and for five seconds
    /// when cancelled.
    public init(
        duration: Duration = .seconds(600), timeout: Duration = .seconds(30), grace: Duration = .seconds(5)
    ) {
        self.duration = duration
        self.timeout = timeout
        self.grace = grace
    }
}

/// The journal as the holder of one payment's lease uses it.
struct LeasedJournal: Sendable {
    let base: any PaymentJournal
    let lease: PaymentLease
    /// The journals of the payment that is captured, cancelled or refunded here, and of the refund's id. Their leases
    /// are kept, and lost, together with this one.
    var outer: [LeasedJournal] = []
    /// Seals the entries, if the application provides a key.
    let writer: SealedWriter?
    /// The steps of all workers that use this lease.
    let steps = SharedSteps()
    /// The order of writes. The worker that carries the payment out and those that handle its outside events take
    /// turns.
    private let turns = AsyncMutex()

    /// Opens an attempt. Only within ``inTurn(_:)``.
    func open(_ attempt: PaymentAttempt) async throws {
        guard let writer else { return try await base.open(attempt, under: lease) }
        try await writer.open(attempt, under: lease)
    }

    /// Does `work` while no other user of this lease writes. Its writes, by ``write(_:to:)``, can depend on its reads.
    nonisolated(nonsending) func inTurn<Value>(_ work: () async throws -> Value) async throws -> Value {
        await turns.take()
        defer { turns.end() }
        return try await work()
    }

    /// Writes an entry. Only within ``inTurn(_:)``.
    func write(_ entry: JournalEntry, to attempt: AttemptID) async throws {
        for journal in outer { try await base.renew(journal.lease, at: entry.date) }
        guard let writer else { return try await base.append(entry, to: attempt, under: lease) }
        try await writer.append(entry, to: attempt, under: lease)
    }

    /// Writes a person's decision, which ends an attempt even if its record is not sound. Only within ``inTurn(_:)``.
    func decide(_ entry: JournalEntry, on history: AttemptHistory) async throws {
        let sealed = try writer?.sealed(entry, on: history) ?? entry
        try await base.append(sealed, to: history.attempt.id, under: lease)
    }

    func renew(at now: Date) async throws {
        for journal in outer { try await base.renew(journal.lease, at: now) }
        try await base.renew(lease, at: now)
    }
}

/// A clock for providers at work. A lease does not run out while its holder waits between two queries.
struct LeasedClock: PaymentClock {
    let base: any PaymentClock
    let journal: LeasedJournal

    var now: Date { base.now }
    var uptime: Duration { base.uptime }

    func sleep(for duration: Duration) async throws {
        // If the lease is lost or the journal fails, the next entry throws.
        try? await journal.renew(at: base.now)
        try await base.sleep(for: duration)
    }
}

/// A mutex for tasks: one holder at a time, in the order of arrival.
package final class AsyncMutex: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Waits for a turn. The holder ends it by ``end()``, and must not take a second one before.
    package func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the turn to the task that has waited longest.
    package func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resume()
    }
}
