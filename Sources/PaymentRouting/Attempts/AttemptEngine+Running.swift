import PaymentCore

/// The run of an attempt: every payment and every refund goes through here.
extension AttemptEngine {
    /// Starts or resumes an attempt: has the provider take its steps, checks the reported outcome, and stores the end.
    func run(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        if let outcome = try await endAsDuplicate(history) { return outcome }
        let attempt = history.attempt
        let steps = StepLog(history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects)
        let context = effects.context(
            for: descriptor, payer: try await payer(of: attempt), steps: steps, about: attempt.reference,
            attempt: attempt.id,
            journal: journal,
            link: link)
        do {
            let report = try await serviceClient.perform(attempt, in: context).checked(against: attempt)
            if report.deniesPayment, await steps.mayHaveMovedMoney {
                let doubt = self.error(.network, "money may have moved; ask the service for its status")
                // Where our request was answered, the provider may have a more precise reason for the refusal.
                let reason = await steps.hasUnresolvedMutation ? nil : report
                return try await end(
                    attempt, as: await settle(attempt, after: doubt, claimed: reason, in: context))
            }
            return try await end(attempt, as: report)
        } catch {
            if await steps.hasEndedElsewhere, let outcome = await storedEnding(of: attempt),
                await steps.agrees(with: outcome)
            {
                return outcome
            }
            let failure = PaymentError(thrown: error, at: descriptor.id)
            // The worker that took the payment over settles it; asking here as well would only repeat that.
            if failure.code == .inUse { throw failure }
            let mayHaveMovedMoney = await steps.mayHaveMovedMoney
            guard mayHaveMovedMoney || failure.phase == .maybeSent else {
                try await abandon(attempt, after: failure)
                throw failure.code == .optionChanged ? await changedOption(failure, steps) : failure
            }
            return try await end(attempt, as: await settle(attempt, after: failure, in: context))
        }
    }

    /// Resumes an attempt that was begun before.
    func resume(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        effects.emit(.continued(history.attempt.option), of: history.attempt)
        return try await run(history, link)
    }
}
