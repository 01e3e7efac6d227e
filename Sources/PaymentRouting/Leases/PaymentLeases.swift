import PaymentCore

/// The leases that one router holds.
actor PaymentLeases {
    /// The role of a lease's holder.
    enum Role: Sendable {
        /// Carries an attempt out: one at a time, also within this router.
        case carrier
        /// Captures, refunds or cancels the payment: one at a time, beside the worker that carries the payment out,
        /// whose payer may never return.
        case merchant
        /// Handles an outside event of an attempt, beside the worker that carries it out and may be waiting for just
        /// this.
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
    /// Leases that the journal failed to release. Until they run out they belong to this router alone, which continues
    /// under the same one.
    private var unreleased: [PaymentReference: PaymentLease] = [:]

    init(_ effects: RouterEffects, _ policy: LeasePolicy) {
        self.effects = effects
        self.policy = policy
    }

    /// Does `work` while holding the lease of `payment` and, for a capture, a cancellation or a refund, those of the
    /// refund's id, which one refund of the account has, and of the payment it is of, since services show refunds of
    /// one payment by their number only. They are taken in this order by everybody, so that no two wait for each other.
    ///
    /// When another router holds it, waits for it; when that one brought its attempt to an outcome meanwhile, that is
    /// the outcome, and `work` is not done.
    ///
    /// - Parameter waiting: true to wait; otherwise a payment in use is an error at once.
    nonisolated func with<Outcome: Sendable>(
        _ payment: PaymentReference, as role: Role = .carrier, waiting: Bool = true,
        _ work: @Sendable (LeasedJournal) async throws -> Outcome,
        orElse take: @Sendable (PaymentOutcome) -> Outcome
    ) async throws -> Outcome {
        var finishedBefore: Set<AttemptID>?
        var journal = try await tryTake(payment, role)
        if journal == nil, waiting {
            let before = try await finished(payment)
            // Nothing to wait for: the holder of the lease may never return.
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
        // Releasing the lease may have taken so long that another worker has paid since. Other results than outcomes
        // say nothing of money.
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
