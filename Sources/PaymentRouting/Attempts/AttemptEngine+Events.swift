import PaymentCore

/// Events from outside the run of a payment: returns of payers, captures, refunds, cancellations and notifications.
extension AttemptEngine {
    /// Completes the unfinished attempt at `payment` whose payer returned through `callback`; nil when there is none.
    func complete(
        _ callback: PaymentLink, of payment: PaymentReference
    ) async throws -> PaymentOutcome? {
        guard let history = try await histories(of: payment).last(where: { !$0.isFinished }) else { return nil }
        if let outcome = try await statusOfUnsealedAttempt(among: [history], isNamed: true) { return outcome }
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

    /// Captures money: once, however often it is requested. While an earlier capture may have been made, or was, none
    /// of another amount is.
    func capture(_ request: CaptureRequest) async throws -> PaymentOutcome {
        let other = try await histories(of: request.reference).first {
            guard $0.attempt.capture != request else { return false }
            return !$0.isFinished || $0.mayHaveMovedMoney && $0.outcome?.deniesPayment != true
        }
        if let other {
            throw error(
                .integrity, "another capture of the payment, over \(other.attempt.option.amount), was made or is open")
        }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        let option = PaymentMethodOption(id: "capture", title: "Capture", amount: request.amount)
        return try await open(request.reference, option)
    }

    /// Refunds money: once, however often it is requested.
    func refund(_ request: RefundRequest) async throws -> PaymentOutcome {
        guard try await histories(of: request.reference).allSatisfy({ $0.attempt.refund == request }) else {
            throw error(.integrity, "the refund '\(request.id)' was asked for before, with other particulars")
        }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        let option = PaymentMethodOption(id: "refund", title: "Refund", amount: request.amount)
        return try await open(request.reference, option)
    }

    /// Cancels a payment, and ends its attempt when the outcome is cancelled.
    func cancel(_ payment: PaymentReference) async throws -> PaymentOutcome {
        let steps = UnstoredSteps()
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, about: payment, journal: journal)
        let report: CheckedReport
        do { report = try await serviceClient.cancel(payment, in: context) } catch {
            // A failure after the request does not prove that it was not carried out.
            let failure = PaymentError(thrown: error, at: descriptor.id)
            throw await steps.mayHaveChangedSomething ? failure.withOpenFate : failure
        }
        let open = try await journal.inTurn {
            if report.deniesPayment { await journal.steps.endPayment() }
            return try await openAttempt(at: payment)?.attempt
        }
        guard let attempt = open else {
            var histories: [AttemptHistory] = []
            for reference in serviceClient.identity.references(of: payment) {
                histories += try await self.histories(of: reference)
            }
            return Ledger(histories, effects).verdict(on: report, at: .question)
        }
        guard let (confirmed, seen) = try await confirm(try report.checked(against: attempt), of: attempt) else {
            return unconfirmed(attempt)
        }
        return try await end(attempt, as: confirmed, seen: seen)
    }

    /// Ends the open attempt at a payment or refund by the service's own message, when its outcome is final. Messages
    /// come late: one that says that no money moved may be about an earlier attempt, and ends none that has sent
    /// nothing yet.
    func endByMessage(_ message: GenuineNotification) async throws {
        guard message.report.isFinal, let history = try await openAttempt(at: message.reference) else { return }
        let attempt = history.attempt
        let report = try message.report.checked(against: attempt)
        if report.deniesPayment, !history.mayHaveMovedMoney, history.outcome == nil { return }
        guard let (confirmed, seen) = try await confirm(report, of: attempt) else { return }
        do { try await end(attempt, byMessage: confirmed, seen: seen) } catch is AttemptEndedError {}
    }

    /// Returns the last attempt at `payment` that has not ended, if its record is sound.
    private func openAttempt(at payment: PaymentReference) async throws -> AttemptHistory? {
        let history = try await histories(of: payment).last { !$0.isFinished }
        return history.flatMap { effects.isSound($0) ? $0 : nil }
    }
}
