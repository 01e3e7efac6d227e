public import PaymentCore

/// Attempts that were interrupted.
extension PaymentRouter {
    /// Resumes an interrupted attempt: steps that ended are not run again. Its option was chosen before, so the payer
    /// needs no chooser.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/notFound`` when the journal has no such attempt or it was
    ///   abandoned before anything was paid, ``PaymentError/Code/optionChanged`` when the service asks for something
    ///   else than was chosen: pay from the link again.
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
            // Read again with the lease: another one may have ended it in between.
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
    /// again only where the service recognises the repetition. An attempt that had sent nothing resumes as the payer
    /// agreed; recover as an empty ``Payer`` to abandon such attempts instead. Reservations to be spent without a
    /// question (``AutoPay``) for attempts that have ended, or never began, are settled as well.
    ///
    /// - Parameters:
    ///   - payer: the payer for attempts that have sent nothing yet; an empty one abandons them.
    ///   - width: the number of payments settled at the same time, at least one.
    ///   - bound: the time for one attempt, after which it is reported as open and the others go on: a wallet or
    ///     service may never return. A later recovery asks about it again.
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

    /// Returns an error about an attempt. While that is open, or cannot be read, another worker may be resuming it, and
    /// a caller that is notified of "nothing sent" may pay otherwise. No worker resumes one whose record was changed.
    private func about(_ history: AttemptHistory, _ error: PaymentError) async -> PaymentError {
        guard let now = try? await effects.journal.history(of: history.attempt.id),
            now.isFinished || !effects.isSound(now)
        else { return error.withOpenFate }
        return error.about(now)
    }

    /// Returns the client for an attempt's service. Without its provider nothing is known of it: least of all that it
    /// was not paid.
    private func serviceClient(for history: AttemptHistory, payer: Payer) throws(PaymentError) -> ServiceClient {
        let provider = history.attempt.reference.provider
        do { return try serviceClient(for: provider, payer: payer) } catch {
            throw PaymentError(
                error.code, "\(error.message); register it and recover again", provider: provider, phase: error.phase)
        }
    }
}
