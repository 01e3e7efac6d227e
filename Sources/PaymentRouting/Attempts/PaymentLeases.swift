import PaymentCore

/// The leases that one router holds.
actor PaymentLeases {
    private struct Holding {
        let lease: PaymentLease
        var users: Int
    }

    private let effects: RouterEffects
    private let policy: LeasePolicy
    private var holdings: [PaymentReference: Holding] = [:]

    init(_ effects: RouterEffects, _ policy: LeasePolicy) {
        self.effects = effects
        self.policy = policy
    }

    /// Does `work` while holding the lease of `payment`.
    ///
    /// When another router holds it, waits for it; when that one brought its attempt to an outcome meanwhile, that
    /// is the outcome, and `work` is not done.
    ///
    /// - Parameter sharing: whether `work` may go on beside other work of this router on the same payment.
    nonisolated func with<Outcome: Sendable>(
        _ payment: PaymentReference, sharing: Bool = true, waiting: Bool = true,
        _ work: @Sendable (LeasedJournal) async throws -> Outcome,
        orElse take: @Sendable (PaymentOutcome) -> Outcome
    ) async throws -> Outcome {
        var finishedBefore: Set<AttemptID>?
        var lease = try await tryTake(payment, sharing: sharing)
        if lease == nil, waiting {
            finishedBefore = Set(try await finished(payment).map(\.attempt.id))
            lease = try await wait(for: payment)
        }
        guard let lease else { throw PaymentError.inUse(payment.provider) }
        let ending: Result<Outcome, any Error>
        do {
            if let finishedBefore,
                let outcome = try await finished(payment).last(where: { !finishedBefore.contains($0.attempt.id) })?
                    .outcome, outcome.isFinal
            {
                ending = .success(take(outcome))
            } else {
                ending = .success(try await work(LeasedJournal(base: effects.journal, lease: lease)))
            }
        } catch {
            ending = .failure(error)
        }
        await drop(lease)
        return try ending.get()
    }

    /// Asks for the lease again and again, until patience ends.
    private nonisolated func wait(for payment: PaymentReference) async throws -> PaymentLease? {
        var waited = Duration.zero
        var pause = Duration.milliseconds(20)
        while waited < policy.patience {
            // Who gives up waiting leaves a payment that goes on: not a cancelled one.
            do { try await effects.clock.sleep(for: pause) } catch { return nil }
            waited += pause
            pause = min(pause * 2, .milliseconds(500))
            if let lease = try await tryTake(payment, sharing: true) { return lease }
        }
        return nil
    }

    private func tryTake(_ payment: PaymentReference, sharing: Bool) async throws -> PaymentLease? {
        if let holding = holdings[payment] {
            guard sharing else { return nil }
            holdings[payment]?.users += 1
            return holding.lease
        }
        let lease = PaymentLease(payment: payment, holder: effects.random.hex(32), duration: policy.duration)
        let isTaken: Bool
        do { isTaken = try await effects.journal.acquire(lease, at: effects.clock.now) } catch {
            throw PaymentError(.journal, "the journal failed: \(error)", provider: payment.provider)
        }
        guard isTaken else { return nil }
        // Only one of several that asked at once gets the journal's lease, so no holding is overwritten here.
        holdings[payment] = Holding(lease: lease, users: 1)
        return lease
    }

    private func drop(_ lease: PaymentLease) async {
        guard let holding = holdings[lease.payment], holding.lease == lease else { return }
        holdings[lease.payment]?.users -= 1
        guard holding.users == 1 else { return }
        holdings[lease.payment] = nil
        // A lease that cannot be given back runs out by itself.
        try? await effects.journal.release(lease)
    }

    private nonisolated func finished(_ payment: PaymentReference) async throws -> [AttemptHistory] {
        do { return try await effects.journal.histories(of: payment).filter(\.isFinished) } catch {
            throw PaymentError(.journal, "the journal failed: \(error)", provider: payment.provider)
        }
    }
}
