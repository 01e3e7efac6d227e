import PaymentCore

/// Returns of payers from outside the application.
extension AttemptEngine {
    /// Completes the unfinished attempt at `payment` whose payer returned through `callback`; nil when there is none.
    func complete(
        _ callback: PaymentLink, of payment: PaymentReference
    ) async throws -> PaymentOutcome? {
        guard let history = try await histories(of: payment).last(where: { !$0.isFinished }) else { return nil }
        guard effects.isSound(history) else { return try await statusOfUnsealedAttempt(history, isNamed: true) }
        let attempt = history.attempt
        let steps = StepLog(
            history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects, isVisit: true)
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, about: payment, attempt: attempt.id, journal: journal)
        let report: CheckedReport
        do {
            report = try await serviceClient.complete(callback, for: attempt, in: context).checked(against: attempt)
        } catch {
            // Another worker carries the attempt out already.
            guard await steps.isLeftToOthers else { throw error }
            return .pending(retryAfter: nil)
        }
        // The payer may return from an earlier attempt, while the last one is not known at the service yet.
        guard let (confirmed, seen) = try await confirm(report, of: attempt) else { return unconfirmed(attempt) }
        return try await end(attempt, as: confirmed, seen: seen)
    }
}
