import PaymentCore

/// The service's status of an attempt, and the rules for believing it.
extension AttemptEngine {
    /// Asks for the status, a few times, after an ending that leaves the payment's fate open.
    ///
    /// - Parameter claimed: the provider's report: believed instead of the status when both say that no money moved.
    func settle(
        _ attempt: PaymentAttempt, after failure: PaymentError, claimed: CheckedReport? = nil,
        in context: ProviderContext
    ) async -> CheckedReport {
        var waits = RetryPolicy.settling.waits()
        // Where there is no service, the settler was asked already.
        while !Task.isCancelled, !serviceClient.isSettledByPayer {
            let (report, wish) = await askStatus(of: attempt, in: context)
            if let report { return report.deniesPayment ? claimed ?? report : report }
            guard let wait = waits.next(askedFor: wish) else { break }
            effects.emit(.waiting(wait), of: attempt)
            guard (try? await effects.clock.sleep(for: wait)) != nil else { break }
        }
        let message = failure.code == .cancelled ? "stopped while the payment was in progress" : failure.message
        return .unknown(message, of: attempt.reference)
    }

    /// Returns the report to store when a message says `report` of `attempt`: that money moved, always; that none did,
    /// only as far as the service's status confirms it, when anything was sent for the attempt. Nil when it is not
    /// known. A message that names a refund is the service's own word about it, unless an earlier one under its id has
    /// failed.
    ///
    /// - Returns: `seen`: the number of entries of the attempt for which it was confirmed; nil where nothing sent later
    ///   can refute it.
    func confirm(
        _ report: CheckedReport, of attempt: PaymentAttempt
    ) async throws -> (report: CheckedReport, seen: Int?)? {
        guard report.deniesPayment, let before = try await history(of: attempt) else { return (report, nil) }
        let seen = before.entries.count
        guard before.mayHaveMovedMoney else { return (report, seen) }
        if attempt.refund != nil, try await histories(of: attempt.reference).count == 1 { return (report, seen) }
        guard let status = await askStatus(of: attempt).report else { return nil }
        // Requests sent meanwhile are not in the status yet.
        return (status.deniesPayment ? report : status, seen)
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
    ) async -> (report: CheckedReport?, wish: Duration?) {
        let report: CheckedReport
        do { report = try await serviceClient.status(of: attempt, in: context) } catch {
            return (nil, (error as? PaymentError)?.retry.wait)
        }
        guard report.isFinal else { return (nil, report.wait) }
        if let history = try? await history(of: attempt) { return (try? report.checked(against: history), nil) }
        return (try? report.checked(against: attempt), nil)
    }

    /// Returns the outcome to store for an attempt that is reported as ended.
    ///
    /// - Parameter seen: the number of the attempt's entries for which the report was confirmed; nil where nothing sent
    ///   later can refute it.
    /// - Returns: nil when more has been sent since the report was confirmed.
    func storable(_ report: CheckedReport, seen: Int?, of attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        // What is paid is paid, whatever the journal says.
        let history = report.affirmsPayment ? nil : try await history(of: attempt)
        if let history, let seen, report.deniesPayment, history.entries.count != seen,
            history.mayHaveMovedMoney
        {
            return nil
        }
        return Ledger(history.map { [$0] } ?? [], effects).verdict(on: report, at: .run)
    }
}
