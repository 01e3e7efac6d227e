import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Earlier attempts: at the same payment, and at one that may be the same under another name.
extension AttemptEngine {
    /// Returns the ending of an earlier attempt at `payment` that must not be repeated: one that succeeded, or one that
    /// may have moved money and is resumed here. Nil when a new attempt may begin: attempts that have sent nothing are
    /// abandoned.
    ///
    /// - Parameter link: the link to be paid; refused when the earlier attempt was about something else.
    func resumeOrReturnEarlierAttempt(
        at payment: PaymentReference, for link: PaymentLink?
    ) async throws -> PaymentOutcome? {
        let histories = try await histories(of: payment)
        if let paid = Ledger(histories, effects).recordedPayment {
            try serviceClient.identity.distinguish(link, from: paid.attempt)
            await serviceClient.notifyPayee(of: paid)
            if let outcome = paid.outcome { effects.emit(.outcome(outcome), of: paid.attempt) }
            return paid.outcome
        }
        if let outcome = try await statusOfUnsealedAttempt(among: histories, isNamed: true) { return outcome }
        if let outcome = try await corrected(histories, link) { return outcome }
        // An outcome that is not final means that the payment continues elsewhere. A second attempt could pay twice.
        if let interrupted = histories.last(where: { !$0.isFinished && ($0.mayHaveMovedMoney || $0.outcome != nil) }) {
            try serviceClient.identity.distinguish(link, from: interrupted.attempt)
            // A payment that another intent has begun with other terms is asked about. This payer is asked for nothing
            // for it.
            guard mayResume(interrupted.attempt) else {
                var stranger = self
                stranger.serviceClient = serviceClient.with(Payer())
                return try await stranger.resume(interrupted)
            }
            return try await resume(interrupted, link)
        }
        for history in histories where !history.isFinished {
            if let intent, intent.owns(history.attempt), intent.covers(history.attempt.option) {
                return try await resumeUnsent(history)
            }
            try await close(history.attempt, .abandoned(reason: "a new attempt was started"))
        }
        return nil
    }

    /// Returns the outcome of a payment that was stated to be unpaid, if the settler that was asked to pay it says
    /// otherwise by now. Nil if it does not, or cannot be asked.
    private func corrected(_ histories: [AttemptHistory], _ link: PaymentLink?) async throws -> PaymentOutcome? {
        for history in histories where history.isFinished && history.hasSpentName {
            guard let report = try? await serviceClient.settlement(of: history), !report.deniesPayment else { continue }
            // A person's decision stands while the settler does not say that it has paid.
            guard report.affirmsPayment || history.authorities.settlerHasRefused else { continue }
            try serviceClient.identity.distinguish(link, from: history.attempt)
            guard report.affirmsPayment else {
                return .unknown(
                    UnknownOutcome(
                        reference: history.attempt.reference,
                        message:
                            "the payer's settler, which said that it had sent nothing, says otherwise now: \(report)"))
            }
            return try await correct(history, by: report)
        }
        return nil
    }

    /// Stores that an attempt that ended unpaid was paid after all.
    func correct(_ history: AttemptHistory, by report: CheckedReport) async throws -> PaymentOutcome {
        let attempt = history.attempt
        let outcome = Ledger([], effects).verdict(on: report, at: .run)
        let entry = JournalEntry(date: effects.clock.now, event: .outcome(outcome))
        try await journal.inTurn { try await journaled { try await journal.decide(entry, on: history) } }
        // A settlement that cannot be stored here is repeated by the next recovery.
        try? await effects.settleSpending(of: attempt.id, isPaid: true)
        effects.emit(.corrected(outcome), of: attempt)
        await hasEnded(attempt.reference, outcome)
        return outcome
    }

    /// Asks the settler again about an attempt that it has refused; nil if its refusal stands.
    func corrected(_ history: AttemptHistory) async throws -> PaymentOutcome? {
        // If another attempt has paid, the settler's name may be the same.
        let isPaid = Ledger(try await histories(of: history.attempt.reference), effects).recordedPayment != nil
        return isPaid ? nil : try await corrected([history], nil)
    }

    /// Abandons an attempt in favour of a new payment to the same payee, unless something was sent for it by now.
    func abandonUnsent(_ attempt: PaymentAttempt) async throws {
        guard let history = try await history(of: attempt), !history.isFinished, !history.mayHaveMovedMoney,
            history.outcome == nil
        else { return }
        try await close(attempt, .abandoned(reason: "a new payment to the same payee was started"))
    }

    func resume(_ id: AttemptID) async throws -> PaymentOutcome {
        guard let history = try await journaled({ try await journal.base.history(of: id) }) else {
            throw error(.notFound, "the journal has no attempt \(id)")
        }
        if let outcome = try await statusOfUnsealedAttempt(among: [history], isNamed: false) { return outcome }
        if history.isFinished, let outcome = try await corrected(history) { return outcome }
        guard history.isFinished else {
            guard history.mayHaveMovedMoney || history.outcome != nil else { return try await resumeUnsent(history) }
            return try await resume(history)
        }
        guard let outcome = history.outcome, outcome.isFinal else {
            throw error(.notFound, "the attempt \(id) was abandoned before anything was paid; start a new payment")
        }
        return outcome
    }

    // MARK: Other names

    /// Returns the outcome to report for the payment of `quote` when something that may have moved money was begun for
    /// what may be the same payment, under another name. Nil when there is no such thing.
    func attemptUnderAnotherID(
        _ quote: PaymentQuote, _ report: CheckedReport?
    ) async throws -> PaymentOutcome? {
        let payee = quote.options.lazy.compactMap(serviceClient.identity.payee).first
        let others = try await possibleDuplicates(of: quote.reference, until: quote.expiresAt, payee)
            .filter { $0.mayHaveMovedMoney || !effects.isSound($0) }
        guard let last = others.last else { return nil }
        guard let report else { return try leftTo(last, quote.reference, payee) }
        guard report.deniesPayment else { return nil }
        // Any of them may be this payment.
        let outcome = Ledger(others, effects).verdict(on: report, at: .question)
        return outcome.isFinal ? nil : outcome
    }

    /// Ends an attempt that has moved nothing, if another one is open at what may be the same payment, or has paid it
    /// since the payer's quote by the service's report. Called after the attempt was stored: of two that begin at the
    /// same time, at least one sees the other.
    func endAsDuplicate(_ history: AttemptHistory) async throws -> PaymentOutcome? {
        let (attempt, identity) = (history.attempt, serviceClient.identity)
        let payment = attempt.reference
        guard payment.isPayment, !history.mayHaveMovedMoney, history.outcome == nil else { return nil }
        let payee = identity.payee(of: attempt.option)
        if let other = try await possibleDuplicates(of: payment, until: attempt.expiresAt, payee).last {
            try await abandon(attempt, after: error(.unusableOption, "another attempt may be at the same payment"))
            return try leftTo(other, payment, payee)
        }
        guard identity.hasAliases, let archive = journal.base as? any AttemptArchive else { return nil }
        let paid = try await journaled {
            try await archive.attempts(AttemptQuery(provider: descriptor.id, state: .paid)).histories
        }
        let ends = attempt.expiresAt.map { [$0] } ?? []
        guard paid.contains(where: { identity.mayBe(payment, until: ends, $0.attempt) }) else { return nil }
        let report = try await serviceClient.status(of: payment)
        return report.isFinal ? try await end(attempt, asUnsent: report) : nil
    }

    /// Returns the outcome of `payment` if another attempt may be at it.
    ///
    /// - Throws: ``PaymentError/Code/openPeriod`` if the other attempt is at a period of a plan, which is another
    ///   payment.
    private func leftTo(
        _ other: AttemptHistory, _ payment: PaymentReference, _ payee: String?
    ) throws -> PaymentOutcome {
        let id = other.attempt.id
        if let payee, PaymentIdentity.isPeriod(other.attempt.reference, of: payee),
            !PaymentIdentity.isPeriod(payment, of: payee)
        {
            throw PaymentError.openPeriod(other.attempt.reference)
        }
        let advice =
            effects.isSound(other)
            ? "whose end is not known; resume that one before you pay again" : "and \(Ledger.distrust(of: id))"
        return .unknown(
            UnknownOutcome(
                reference: payment,
                message: "this may be the payment that was begun as \(other.attempt.reference.id) (attempt \(id)), "
                    + advice))
    }

    /// Returns the open attempts at what may be `payment` under other names, or at payments to the same payee, oldest
    /// first.
    private func possibleDuplicates(
        of payment: PaymentReference, until end: Date?, _ payee: String?
    ) async throws -> [AttemptHistory] {
        let identity = serviceClient.identity
        guard payee != nil || identity.hasAliases else { return [] }
        return try await journaled { try await journal.base.unfinished() }.filter { history in
            let attempt = history.attempt
            if let payee, identity.isPayment(attempt, to: payee) { return attempt.reference != payment }
            return identity.mayBe(payment, until: end.map { [$0] } ?? [], attempt)
        }
    }
}
