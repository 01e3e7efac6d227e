import PaymentCore

/// Carries one payment or refund through, durably, while the lease of it is held.
///
/// What is done stands in files of its own, in the order in which it is done: what earlier attempts left (`+Earlier`),
/// the choice (`+Choosing`), the opening of an attempt (`+Opening`), its run (`+Running`), the service's status where
/// the run leaves the payment's fate open (`+Settling`), and how it ends (`+Ending`). `+Returns` and `+Merchants` are
/// what comes from elsewhere: payers who come back, refunds, cancellations, notifications.
struct AttemptEngine: Sendable {
    /// Whom it is paid at, and by whom.
    let serviceClient: ServiceClient
    /// The journal, for writing about this payment.
    let journal: LeasedJournal
    /// Hears how an attempt has ended.
    var hasEnded: @Sendable (PaymentReference, PaymentOutcome) async -> Void = { _, _ in }
    /// Gives back what is reserved for attempts that have ended, or never began.
    var settleOthers: @Sendable () async -> Void = {}

    var descriptor: ProviderDescriptor { serviceClient.descriptor }
    var payer: Payer { serviceClient.payer }
    var effects: RouterEffects { serviceClient.effects }

    /// Pays the payment of `request`: what was begun before is gone on with, otherwise quote, choice, attempt.
    func pay(_ request: QuoteRequest) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: request.reference, for: request.link) {
            return outcome
        }
        // A service may change its mind while the payer chooses; one that always does is not worth asking for ever.
        for _ in 1..<Self.mostChoices {
            do { return try await payByChoice(request) } catch let failure as PaymentError
                where failure.code == .optionChanged && failure.phase == .beforeSend
            {
                effects.emit(.note(failure.message), at: descriptor.id, request.reference)
            }
        }
        return try await payByChoice(request)
    }

    /// How often the payer is asked to choose at most, while what is chosen changes at the service.
    private static let mostChoices = 3

    /// Quotes, has the payer choose, and pays what was chosen.
    private func payByChoice(_ request: QuoteRequest) async throws -> PaymentOutcome {
        let quote = try await serviceClient.quote(request)
        if let outcome = try await attemptUnderAnotherID(quote) { return outcome }
        if let outcome = quote.outcome {
            return try await report(try serviceClient.checked(outcome, of: quote.reference), of: quote.reference)
        }
        switch try await choose(from: quote) {
        case .option(let option): return try await open(quote, option)
        case .unasked(let option, let id): return try await openReserved(quote, option, id)
        case .ended(let outcome): return try await report(outcome, of: request.reference)
        }
    }

    /// What is told of a payment for which no attempt was opened. The service's answer, or the payer's, may have been
    /// long under way: that nothing was paid holds only while nobody else has taken the payment over.
    func report(_ outcome: PaymentOutcome, of payment: PaymentReference) async throws -> PaymentOutcome {
        if Self.isFinalWithoutPayment(outcome) {
            try await journaled { try await journal.renew(at: effects.clock.now) }
        }
        effects.emit(.outcome(outcome), at: descriptor.id, payment)
        return outcome
    }

    /// Pays `option` of `quote`, which the payer has chosen.
    func pay(_ quote: PaymentQuote, _ option: PaymentMethodOption) async throws -> PaymentOutcome {
        if let outcome = try await resumeOrReturnEarlierAttempt(at: quote.reference, for: quote.link?.reveal()) {
            return outcome
        }
        if let outcome = try await attemptUnderAnotherID(quote) { return outcome }
        return try await open(quote, option)
    }

    // MARK: What all of it uses

    /// What the journal holds of `attempt` by now.
    func history(of attempt: PaymentAttempt) async throws -> AttemptHistory? {
        try await journaled { try await journal.history(of: attempt.id) }
    }

    /// What the journal holds of a payment or refund, oldest first.
    func histories(of payment: PaymentReference) async throws -> [AttemptHistory] {
        try await journaled { try await journal.histories(of: payment) }
    }

    /// Uses the journal, and says what its failures mean.
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
