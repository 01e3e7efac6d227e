import PaymentCore

/// The service's status of an attempt, and the rules for believing it.
extension AttemptEngine {
    /// Asks for the status, a few times, after an ending that leaves the payment's fate open.
    ///
    /// - Parameter claimed: the provider's outcome: reported instead of the status when both say that no money moved.
    func settle(
        _ attempt: PaymentAttempt, after failure: PaymentError, claimed: PaymentOutcome? = nil,
        in context: ProviderContext
    ) async -> PaymentOutcome {
        var waits = RetryPolicy.settling.waits()
        // Where there is no service, the settler was asked already.
        while !Task.isCancelled, !serviceClient.isSettledByPayer {
            let (word, wish) = await askStatus(of: attempt, in: context)
            if let word { return Ledger.isFinalWithoutPayment(word) ? claimed ?? word : word }
            guard let wait = waits.next(askedFor: wish) else { break }
            effects.emit(.waiting(wait), of: attempt)
            guard (try? await effects.clock.sleep(for: wait)) != nil else { break }
        }
        let message = failure.code == .cancelled ? "stopped while the payment was in progress" : failure.message
        return .unknown(UnknownOutcome(reference: attempt.reference, message: message))
    }

    /// The reported end of an attempt.
    struct ReportedOutcome {
        let outcome: PaymentOutcome
        /// The number of entries of the attempt when the report was confirmed; nil where nothing sent later can refute
        /// it.
        let entries: Int?
    }

    /// Returns the report to store when a message says `outcome` of `attempt`: that money moved, always; that none did,
    /// only as far as the service's status confirms it, when anything was sent for the attempt. Nil when it is not
    /// known.
    func confirm(_ outcome: PaymentOutcome, of attempt: PaymentAttempt) async throws -> ReportedOutcome? {
        guard Ledger.isFinalWithoutPayment(outcome), let before = try await history(of: attempt) else {
            return ReportedOutcome(outcome: outcome, entries: nil)
        }
        let seen = before.entries.count
        guard before.mayHaveMovedMoney else { return ReportedOutcome(outcome: outcome, entries: seen) }
        guard let word = await askStatus(of: attempt).word else { return nil }
        // Requests sent meanwhile are not in the status yet.
        return ReportedOutcome(outcome: Ledger.isFinalWithoutPayment(word) ? outcome : word, entries: seen)
    }

    /// Returns the outcome of an attempt that a message would have ended.
    func unconfirmed(_ attempt: PaymentAttempt) -> PaymentOutcome {
        .unknown(
            UnknownOutcome(
                reference: attempt.reference,
                message: "money may have moved, and the service's status is not final yet; ask again later"))
    }

    /// Asks for the status.
    ///
    /// - Returns: the service's status, if it is final and sound; otherwise the wait that the service asks for, if any.
    private func askStatus(
        of attempt: PaymentAttempt, in context: ProviderContext? = nil
    ) async -> (word: PaymentOutcome?, wish: Duration?) {
        let outcome: PaymentOutcome
        do { outcome = try await serviceClient.status(of: attempt, in: context) } catch {
            return (nil, (error as? PaymentError)?.retry.wait)
        }
        if case .pending(let wait) = outcome { return (nil, wait) }
        guard outcome.isFinal else { return (nil, nil) }
        if let elsewhere = try? await paidElsewhere(outcome, attempt) { return (elsewhere, nil) }
        return (try? serviceClient.checked(outcome, of: attempt), nil)
    }

    /// Returns the end of an attempt whose payment is paid in another currency, while none of the requests that it sent
    /// was accepted: another payer has paid, or the payer with another device.
    ///
    /// - Parameter isUnsent: true if nothing was ever sent for the attempt; then any other amount proves the same.
    func paidElsewhere(
        _ outcome: PaymentOutcome, _ attempt: PaymentAttempt, isUnsent: Bool = false
    ) async throws -> PaymentOutcome? {
        guard case .succeeded(let receipt) = outcome, receipt.reference == attempt.reference, attempt.refund == nil,
            let paid = receipt.amount, let history = try await history(of: attempt), !history.hasAcceptedMutation
        else { return nil }
        let isForeign =
            isUnsent
            ? (try? serviceClient.checked(outcome, of: attempt)) == nil
            : !paid.currency.denotesSame(as: attempt.option.amount.currency)
        guard isForeign else { return nil }
        return .declined(
            DeclineReason(
                .paidElsewhere, "the payment is paid already, with \(paid) instead of \(attempt.option.amount)"))
    }

    /// Returns the outcome to store for an attempt that is reported as ended.
    ///
    /// - Returns: nil when more has been sent since the report was confirmed.
    func storable(_ reported: ReportedOutcome, of attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        if case .succeeded = reported.outcome { return reported.outcome }
        guard let history = try await history(of: attempt) else { return reported.outcome }
        if let seen = reported.entries, Ledger.isFinalWithoutPayment(reported.outcome), history.entries.count != seen,
            history.mayHaveMovedMoney
        {
            return nil
        }
        return Ledger([history], effects).verdict(on: reported.outcome, at: .run)
    }
}
