public import PaymentCore

/// Attempts that people end.
extension PaymentRouter {
    /// Ends an attempt by a person's decision, if nothing else ever will. The provider need not be registered, and is
    /// not asked, so resume the attempt first.
    ///
    /// The journal keeps the decision with the person, the evidence and the date, and the outcome states them:
    /// ``PaymentReceipt/decision``, or ``DeclineReason/Code/decided``. After `paid` the payment is not made again;
    /// after the others it can be. Its reservation counts as spent, or is released. An attempt whose record cannot be
    /// trusted is ended in this way only. If the payer's settler was asked to pay, it ends its order first. The order
    /// of another settler stays open there.
    ///
    /// - Parameters:
    ///   - attempt: an attempt that is open.
    ///   - decision: the decision.
    ///   - person: the name of the person who decides.
    ///   - evidence: the facts that the decision rests on, such as a statement of account; no secrets.
    ///   - payer: the payer with the settler that was asked to pay, if one was.
    /// - Returns: the outcome that is stored.
    /// - Throws: ``PaymentError``. Nothing is stored then, except that the decision may be stored after `journal`.
    ///   `notFound` when the journal has no such attempt, `attemptEnded` when it has ended, `decisionRefused` when
    ///   person or evidence are missing, when the attempt was resumed just now, for ``PaymentDecision/notPaid`` while
    ///   the wallet or settler has reported a transaction, for both refusals while the service has a signature that
    ///   still pays, or while the settler says that it pays, or has paid, `payer` when the settler does not answer,
    ///   `inUse` while another worker has the payment: look at it again when that is done.
    public func end(
        _ attempt: AttemptID, as decision: PaymentDecision, by person: String, evidence: String,
        as payer: Payer = Payer()
    ) async throws(PaymentError) -> PaymentOutcome {
        guard [person, evidence].allSatisfy({ text in text.contains { !$0.isWhitespace } }) else {
            throw PaymentError(.decisionRefused, "an attempt is ended by a person, with evidence: state both")
        }
        let seen = try await history(of: attempt)
        let payment = seen.attempt.reference
        do {
            // A worker that this waits for may begin something that it cannot store, after the person has looked.
            return try await leases.with(payment, waiting: false) { journal in
                try await journal.inTurn {
                    try await end(
                        seen, as: decision, "\(person) decided: \(evidence)", with: payer.settler, journal)
                }
            } orElse: {
                $0
            }
        } catch {
            throw PaymentError(thrown: error, at: payment.provider)
        }
    }

    /// Ends the order at the settler that was asked to pay.
    private func endOrder(
        of history: AttemptHistory, _ settler: (any PaymentSettler)?, because words: String
    ) async throws(PaymentError) {
        let attempt = history.attempt
        guard effects.isSound(history), let settler, settler.name == history.authorities.settler else { return }
        let state: SettlementState
        do { state = try await settler.end(attempt.key(for: StepKind.settlementName), because: words) } catch {
            throw .settlerUnanswered(error, hasAsked: true)
        }
        switch state {
        case .nothingSent, .settledElsewhere: return
        case .settled, .inFlight, .registered:
            throw PaymentError(
                .decisionRefused,
                "the payer's settler has paid, or is about to: resume the attempt \(attempt.id), and look at it again",
                provider: attempt.reference.provider, phase: .maybeSent)
        }
    }

    /// Within the journal's turn.
    ///
    /// - Parameter seen: the record when the person decided.
    private func end(
        _ seen: AttemptHistory, as decision: PaymentDecision, _ words: String,
        with settler: (any PaymentSettler)?, _ journal: LeasedJournal
    ) async throws -> PaymentOutcome {
        let id = seen.attempt.id
        let history = try await history(of: id)
        let payment = history.attempt.reference
        guard !history.isFinished else { throw Self.ended(id, payment, history.outcome) }
        guard history.entries.count == seen.entries.count else {
            throw PaymentError(
                .decisionRefused, "the attempt \(id) was resumed meanwhile: look at it again, and decide then",
                provider: payment.provider, phase: .maybeSent)
        }
        let outcome = try Ledger([history], effects).outcome(of: history, decided: decision, words)
        // Only a decision that nothing contradicts ends the order.
        if decision != .paid { try await endOrder(of: history, settler, because: words) }
        let entry = JournalEntry(date: effects.clock.now, event: .outcome(outcome))
        do { try await journal.decide(entry, on: history) } catch JournalError.leaseLost {
            throw PaymentError.inUse(payment.provider)
        } catch {
            throw PaymentError(
                .journal, "the journal failed: \(error); look at the attempt again", provider: payment.provider,
                phase: .maybeSent, cause: error)
        }
        // A settlement that cannot be stored here is repeated by the next recovery.
        try? await effects.settleSpending(of: id, isPaid: entry.provesPayment)
        effects.emit(.outcome(outcome), of: history.attempt)
        return outcome
    }

    private static func ended(
        _ id: AttemptID, _ payment: PaymentReference, _ outcome: PaymentOutcome?
    ) -> PaymentError {
        PaymentError(
            .attemptEnded,
            "the attempt \(id) has ended already" + (outcome.map { ": \($0)" } ?? "; look at the payment's outcome"),
            provider: payment.provider, phase: .answered)
    }
}
