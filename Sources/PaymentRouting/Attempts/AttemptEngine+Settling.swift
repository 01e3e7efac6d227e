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

    /// A report of the end of an attempt that holds as far as its record is known.
    struct ConfirmedReport {
        let report: CheckedReport
        /// The number of entries of the attempt when the report was confirmed; nil where nothing sent later can refute
        /// it.
        let entries: Int?
    }

    /// Returns the report to store when a message says `report` of `attempt`: that money moved, always; that none did,
    /// only as far as the service's status confirms it, when anything was sent for the attempt. Nil when it is not
    /// known.
    func confirm(_ report: CheckedReport, of attempt: PaymentAttempt) async throws -> ConfirmedReport? {
        guard report.deniesPayment, let before = try await history(of: attempt) else {
            return ConfirmedReport(report: report, entries: nil)
        }
        let seen = before.entries.count
        guard before.mayHaveMovedMoney else { return ConfirmedReport(report: report, entries: seen) }
        guard let status = await askStatus(of: attempt).report else { return nil }
        // Requests sent meanwhile are not in the status yet.
        return ConfirmedReport(report: status.deniesPayment ? report : status, entries: seen)
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
    /// - Returns: nil when more has been sent since the report was confirmed.
    func storable(_ confirmed: ConfirmedReport, of attempt: PaymentAttempt) async throws -> PaymentOutcome? {
        let report = confirmed.report
        // What is paid is paid, whatever the journal says.
        let history = report.affirmsPayment ? nil : try await history(of: attempt)
        if let history, let seen = confirmed.entries, report.deniesPayment, history.entries.count != seen,
            history.mayHaveMovedMoney
        {
            return nil
        }
        return Ledger(history.map { [$0] } ?? [], effects).verdict(on: report, at: .run)
    }
}
