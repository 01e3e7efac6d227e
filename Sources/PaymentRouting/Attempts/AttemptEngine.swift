import PaymentCore

/// Carries one payment or refund out, durably, while its lease is held.
///
/// The stages are in separate files, in the order in which they run: earlier attempts (`+Earlier`), the choice
/// (`+Choosing`), the opening of an attempt and its run (`+Running`), the service's status where the run leaves the
/// payment's fate open (`+Settling`), and its end (`+Ending`). `+Events` handles what comes from outside: returns of
/// payers, captures, refunds, cancellations, notifications.
struct AttemptEngine: Sendable {
    /// The service that is paid at, and the payer.
    var serviceClient: ServiceClient
    /// The journal, for writing about this payment.
    let journal: LeasedJournal
    /// The request that is carried out; nil where a payer pays by itself.
    var intent: PaymentIntent?
    /// Called with the end of an attempt.
    var hasEnded: @Sendable (PaymentReference, PaymentOutcome) async -> Void = { _, _ in }
    /// Releases the reservations of attempts that have ended, or never began.
    var settleOthers: @Sendable () async -> Void = {}
    /// Called with the first quote for the intent, before an option is taken.
    var bind: PaymentIntent.Binding = { _, _ in }

    var descriptor: ProviderDescriptor { serviceClient.descriptor }
    var payer: Payer { serviceClient.payer }
    var effects: RouterEffects { serviceClient.effects }

    /// Pays the payment of `request`: resumes an earlier attempt, otherwise quote, choice, attempt.
    ///
    /// - Parameter shown: the quote that the payer has seen, which is tried first; nil for none.
    func pay(_ request: QuoteRequest, shown: PaymentQuote? = nil) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: request.link) {
            return outcome
        }
        try await checkMayBegin(request.reference)
        var shown = shown
        // A quote that was made before another attempt ended may be of a payment that is over.
        if shown != nil, try await histories(of: request.reference).contains(where: \.hasBegunMutation) { shown = nil }
        // A service may change its demand while the payer chooses; the number of repetitions is limited.
        var repetitions = 2
        while true {
            do {
                let (quote, report) = try await quote(request, shown)
                shown = nil
                if let outcome = try await attemptUnderAnotherID(quote, report) { return outcome }
                if let report { return try await state(report, of: quote.reference) }
                switch try await choose(from: quote) {
                case .option(let option): return try await open(quote, option)
                case .unasked(let option, let id): return try await openReserved(quote, option, id)
                case .ended(let report): return try await state(report, of: request.reference)
                }
            } catch let failure as PaymentError
                where failure.code == .optionChanged && failure.phase == .beforeSend && repetitions > 0
            {
                repetitions -= 1
                effects.emit(.note(failure.message), at: descriptor.id, request.reference)
            }
        }
    }

    private func quote(
        _ request: QuoteRequest, _ shown: PaymentQuote?
    ) async throws -> (terms: PaymentQuote, report: CheckedReport?) {
        guard let shown else { return try await serviceClient.quote(request) }
        return (
            serviceClient.marked(shown), try shown.outcome.map { try CheckedReport($0.report, of: shown.reference) }
        )
    }

    /// Returns the outcome of a payment for which no attempt was opened. The answer of the service or the payer may
    /// have taken long: that nothing was paid holds only while no other worker has taken the payment over.
    func state(_ report: CheckedReport, of payment: PaymentReference) async throws -> PaymentOutcome {
        if report.deniesPayment {
            try await journaled { try await journal.renew(at: effects.clock.now) }
        }
        let outcome = Ledger(try await histories(of: payment), effects).verdict(on: report, at: .question)
        effects.emit(.outcome(outcome), at: descriptor.id, payment)
        return outcome
    }

    /// Pays `option` of `quote`, which the payer has chosen.
    func pay(_ quote: PaymentQuote, _ option: PaymentMethodOption) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: quote.reference, for: quote.link?.reveal()) {
            return outcome
        }
        let report = try quote.outcome.map { try CheckedReport($0.report, of: quote.reference) }
        if let outcome = try await attemptUnderAnotherID(quote, report) { return outcome }
        return try await open(quote, option)
    }

    // MARK: What all of it uses

    /// Returns the journal's present record of `attempt`.
    func history(of attempt: PaymentAttempt) async throws -> AttemptHistory? {
        try await journaled { try await journal.base.history(of: attempt.id) }
    }

    /// Returns the journal's records of a payment or refund, oldest first.
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await journaled { try await journal.base.histories(of: payment) }
    }

    /// Uses the journal, and maps its failures.
    func journaled<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch JournalError.leaseLost {
            throw PaymentError.inUse(descriptor.id)
        } catch JournalError.finishedAttempt {
            throw AttemptEndedError()
        } catch is SealedWriter.SealFormatError {
            throw self.error(.integrity, "the journal's record of the attempt was changed by another program")
        } catch {
            throw self.error(.journal, "the journal failed: \(error)", cause: error)
        }
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend,
        cause: (any Error)? = nil
    ) -> PaymentError {
        serviceClient.error(code, message, phase: phase, cause: cause)
    }
}
