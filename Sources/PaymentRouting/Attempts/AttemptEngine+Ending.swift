import PaymentCore

/// Another worker has ended the attempt: one that handled the payer's return or a notification.
struct AttemptEndedError: Error {}

/// The endings of attempts in the journal.
extension AttemptEngine {
    /// Stores the reported end of an attempt, if the report still holds then. Between the check of its entries and the
    /// ending nothing more is begun.
    ///
    /// - Parameter seen: the number of entries for which the report was confirmed; nil where nothing refutes it.
    /// - Returns: the outcome, or the one that another worker has stored before.
    func end(_ attempt: PaymentAttempt, as report: CheckedReport, seen: Int? = nil) async throws -> PaymentOutcome {
        try await journal.inTurn {
            guard let outcome = try await storable(report, seen: seen, of: attempt) else {
                return unconfirmed(attempt)
            }
            return try await store(outcome, of: attempt)
        }
    }

    private func store(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) async throws -> PaymentOutcome {
        do {
            try await write(.outcome(outcome), to: attempt)
            if outcome.isFinal { await hasEnded(attempt.reference, outcome) }
            // Storing may have taken longer than the lease, and another attempt may be in progress by now.
            if outcome.deniesPayment {
                try await journaled { try await journal.renew(at: effects.clock.now) }
            }
        } catch let failure as PaymentError
            where failure.code == .inUse && outcome.deniesPayment
        {
            // Another worker has taken the payment over, and may have paid it since.
            throw failure
        } catch is AttemptEndedError {
            // A success stays one, whichever caller received it first; and a transfer that may have moved money here is
            // not undone there.
            if case .succeeded = outcome {
                try? await effects.settleSpending(of: attempt.id, isPaid: true)
                return outcome
            }
            if let stored = await storedEnding(of: attempt), outcome.isFinal || !stored.deniesPayment {
                return stored
            }
        } catch {
            // The outcome is true even when it cannot be stored; the next look will ask the service again.
        }
        effects.emit(.outcome(outcome), of: attempt)
        return outcome
    }

    /// Stores a notification's end of an attempt, if the report still holds then.
    ///
    /// - Throws: also when it cannot be stored: the service sends it again then.
    func end(_ attempt: PaymentAttempt, byMessage report: CheckedReport, seen: Int?) async throws {
        let outcome = try await journal.inTurn { () async throws -> PaymentOutcome? in
            guard let outcome = try await storable(report, seen: seen, of: attempt) else { return nil }
            try await write(.outcome(outcome), to: attempt)
            return outcome
        }
        guard let outcome else { return }
        effects.emit(.outcome(outcome), of: attempt)
        await hasEnded(attempt.reference, outcome)
    }

    /// Stores that an attempt that has moved nothing is abandoned.
    ///
    /// - Throws: `failure` with another phase when it cannot be stored: recovery then resumes the attempt, and a caller
    ///   that heard that nothing was sent may have paid otherwise.
    func abandon(_ attempt: PaymentAttempt, after failure: PaymentError) async throws {
        do { try await close(attempt, .abandoned(reason: failure.message)) } catch is AttemptEndedError {
        } catch {
            throw PaymentError(
                failure.code,
                "\(failure.message); nothing was sent, but that could not be stored, so the attempt \(attempt.id) may "
                    + "still be resumed: resume it before you pay otherwise",
                provider: descriptor.id, phase: .maybeSent, retry: .later, vendorCode: failure.vendorCode,
                cause: failure.cause)
        }
    }

    /// Stores an event that ends an attempt, or an outcome that leaves it open.
    ///
    /// - Throws: ``AttemptEndedError``, ``PaymentError``.
    func close(_ attempt: PaymentAttempt, _ event: JournalEntry.Event) async throws {
        try await journal.inTurn { try await write(event, to: attempt) }
        if case .abandoned(let reason) = event { effects.emit(.abandoned(reason: reason), of: attempt) }
    }

    /// Within the journal's turn.
    private func write(_ event: JournalEntry.Event, to attempt: PaymentAttempt) async throws {
        let entry = JournalEntry(date: effects.clock.now, event: event)
        try await journaled { try await journal.write(entry, to: attempt.id) }
        // A settlement that cannot be stored here is repeated by the next recovery.
        await effects.settleSpending(of: attempt.id)
    }

    /// Returns the ending of `attempt` that another worker has stored.
    func storedEnding(of attempt: PaymentAttempt) async -> PaymentOutcome? {
        guard let history = try? await history(of: attempt), effects.isSound(history) else { return nil }
        return history.outcome.flatMap { $0.isFinal ? $0 : nil }
    }
}
