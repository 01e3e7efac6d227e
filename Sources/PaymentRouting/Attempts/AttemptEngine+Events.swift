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
        let other = try await histories(of: request.reference).first { $0.attempt.capture != request && $0.bindsName }
        if let other {
            throw error(
                .integrity, "another capture of the payment, over \(other.attempt.option.amount), was made or is open")
        }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        let option = PaymentMethodOption(id: "capture", title: "Capture", amount: request.amount)
        return try await open(request.reference, option)
    }

    /// Refunds money: once, however often it is requested. While another refund has the id, none is made; nor is one
    /// over more than what is left of the payment.
    func refund(_ request: RefundRequest) async throws -> PaymentOutcome {
        if let other = try await refund(against: request) { throw isTaken(request, by: other) }
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: nil) { return outcome }
        if let excess = try await excess(of: request) { throw excess }
        let failures = try await histories(of: request.reference).count { $0.authorities.wereAccepted }
        return try await open(request.reference, .refund(request.amount, earlierFailures: failures))
    }

    /// Ends a refund that has sent nothing, where another one has its id, or left too little of the payment. One that
    /// lost its lease between the look for others and its opening is stopped here; so is one that is resumed after a
    /// crash.
    func endAsSecondRefund(_ history: AttemptHistory) async throws {
        guard let request = history.attempt.refund, !history.mayHaveMovedMoney, history.outcome == nil else { return }
        guard let failure = try await obstacle(to: request) else { return }
        try await abandon(history.attempt, after: failure)
        throw failure
    }

    /// Returns the error of a refund that another one stands against, by its id or by its amount.
    private func obstacle(to request: RefundRequest) async throws -> PaymentError? {
        if let other = try await refund(against: request) { return isTaken(request, by: other) }
        return try await excess(of: request)
    }

    /// Returns another refund that stands against `request`: one of another payment or amount under the same id, or,
    /// where the service refunds a payment once, one of the same payment under another id. Nothing else decides that.
    private func refund(against request: RefundRequest) async throws -> RefundRequest? {
        let isOnce = (try? serviceClient.refunder)?.refundsOnce ?? false
        return try await journaled { try await journal.base.refunds(relatedTo: request.reference) }.lazy
            .filter { $0.bindsName || !effects.isSound($0) }.compactMap(\.attempt.refund)
            .first { $0 != request && (isOnce || $0.reference.refundName == request.reference.refundName) }
    }

    /// Returns the error of a refund that is over more than what is left of its payment, by the journal.
    private func excess(of request: RefundRequest) async throws -> PaymentError? {
        let identity = serviceClient.identity
        let records = try await journaled { try await identity.records(of: request.payment, in: journal.base) }
        guard let excess = identity.ledger(records, effects).excess(of: request) else { return nil }
        // One in flight may still fail.
        let message = excess.mayEnd ? "\(excess.message) before that has ended" : excess.message
        return serviceClient.error(.refundTooLarge, message).with(retry: excess.mayEnd ? .later : .never)
    }

    private func isTaken(_ request: RefundRequest, by other: RefundRequest) -> PaymentError {
        let message =
            request.reference.refundName == other.reference.refundName
            ? "the refund '\(request.id)' was asked for before, with other particulars: \(other.amount) of the payment "
                + "\(other.payment.id). Use another id for another refund"
            : "\(descriptor.name) refunds a payment once, and the refund '\(other.id)' of it was asked for before"
        return error(.integrity, message)
    }

    /// Cancels a payment, once it is stored that this is begun, and ends the payment's own attempt when the outcome is
    /// cancelled. Runs while the leases of the cancellation and of the payment are held.
    ///
    /// - Returns: the outcome of the payment.
    func cancel(_ payment: PaymentReference) async throws -> PaymentOutcome {
        let (note, isNew) = try await openCancellation(of: payment)
        let steps = UnstoredSteps()
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, about: payment, journal: journal)
        let report: CheckedReport
        do { report = try await serviceClient.cancel(payment, in: context) } catch {
            // A failure after the request does not prove that it was not carried out.
            let failure = PaymentError(thrown: error, at: descriptor.id)
            guard await !steps.mayHaveChangedSomething else { throw failure.withOpenFate }
            if let note, isNew { try await abandon(note, after: failure) }
            throw isNew ? failure : failure.withOpenFate
        }
        if let note {
            if report.isFinal {
                _ = try await end(note, as: try Self.end(of: note, by: report))
            } else if isNew, await !steps.mayHaveChangedSomething {
                try await abandon(note, after: error(.requestRefused, "nothing was requested: \(report)"))
            }
        }
        guard let own = journal.outer.last(where: { $0.lease.payment == payment }) else {
            throw error(.providerFault, "a cancellation runs without its payment's lease", phase: .maybeSent)
        }
        return try await AttemptEngine(serviceClient: serviceClient, journal: own, hasEnded: hasEnded)
            .end(payment, afterCancelling: report)
    }

    /// Stores that a cancellation is begun, or continues one that was: what that one sent may still arrive.
    ///
    /// - Returns: the attempt; nil where the payment was cancelled before.
    private func openCancellation(of payment: PaymentReference) async throws -> (note: PaymentAttempt?, isNew: Bool) {
        let earlier = try await histories(of: payment.cancellation)
        if Ledger(earlier, effects).recordedPayment != nil { return (nil, true) }
        if let open = earlier.last(where: { !$0.isFinished }) {
            guard effects.isSound(open) else { throw error(.integrity, Ledger.distrust(of: open.attempt.id)) }
            return (open.attempt, false)
        }
        let attempt = try moneyless(payment.cancellation, (id: "cancel", title: "Cancellation"), at: effects.clock.now)
        try await journal.inTurn { try await journaled { try await journal.open(attempt) } }
        effects.emit(.began(attempt.option), of: attempt)
        return (attempt, true)
    }

    /// Returns the end of a cancellation by the report of its payment.
    private static func end(
        of note: PaymentAttempt, by report: CheckedReport
    ) throws(PaymentError) -> CheckedReport {
        guard report.isCancelled else {
            return .refused(.refused, "the payment was not cancelled: \(report)", of: note.reference)
        }
        return try CheckedReport(.succeeded(PaymentReceipt(reference: note.reference)), of: note.reference)
    }

    /// Ends the payment's own attempt by the report that its cancellation led to.
    private func end(
        _ payment: PaymentReference, afterCancelling report: CheckedReport
    ) async throws -> PaymentOutcome {
        let open = try await journal.inTurn {
            if report.deniesPayment { await journal.steps.endPayment() }
            return try await openAttempt(at: payment)?.attempt
        }
        let identity = serviceClient.identity
        guard let attempt = open else {
            let records = try await journaled { try await identity.records(of: payment, in: journal.base) }
            return identity.ledger(records, effects).verdict(on: report, at: .question)
        }
        guard let (confirmed, seen) = try await confirm(try report.checked(against: attempt), of: attempt) else {
            return unconfirmed(attempt)
        }
        return try await end(attempt, as: confirmed, seen: seen)
    }

    /// Ends the open attempt at a payment or refund by the service's own message or status, when that is final.
    /// Messages come late: one that says that no money moved may be about an earlier attempt, and ends none that has
    /// sent nothing yet.
    func endOpenAttempt(at payment: PaymentReference, by message: CheckedReport) async throws {
        guard message.isFinal, let history = try await openAttempt(at: payment) else { return }
        let attempt = history.attempt
        let report = try message.checked(against: attempt)
        if report.deniesPayment, !history.mayHaveMovedMoney, history.outcome == nil { return }
        guard let (confirmed, seen) = try await confirm(report, of: attempt) else { return }
        do { try await end(attempt, byMessage: confirmed, seen: seen) } catch is AttemptEndedError {}
    }

    /// Returns the last attempt at `payment` that has not ended, if its record is sound. No message is about one that
    /// stands for a cancellation.
    private func openAttempt(at payment: PaymentReference) async throws -> AttemptHistory? {
        let history = try await histories(of: payment).last { !$0.isFinished && !Self.isCancellation($0.attempt) }
        return history.flatMap { effects.isSound($0) ? $0 : nil }
    }
}
