import PaymentCore

/// Refunds, cancellations and notifications.
extension AttemptEngine {
    /// Gives money back: once, however often it is asked for.
    func refund(_ request: RefundRequest) async throws -> PaymentOutcome {
        let histories = try await journaled { try await journal.histories(of: request.reference) }
        guard histories.allSatisfy({ $0.attempt.refund == request }) else {
            throw error(.integrity, "the refund '\(request.id)' was asked for before, with other particulars")
        }
        if let outcome = try await goOn(with: request.reference, nil) { return outcome }
        let option = PaymentOption(id: "refund", title: "Refund", amount: request.amount)
        return try await open(request.reference, option, refund: request)
    }

    /// Calls a payment off, and ends its attempt when that is what became of it.
    func cancel(_ payment: PaymentReference, with canceller: any CancellingService) async throws -> PaymentOutcome {
        let context = effects.context(for: descriptor, payer: payer, steps: UnstoredSteps(), journal: journal)
        let outcome = try asker.checked(try await canceller.cancel(payment, in: context), of: payment)
        let histories = try await journaled { try await journal.histories(of: payment) }
        guard let history = histories.last(where: { !$0.isFinished }), effects.isSound(history) else { return outcome }
        let word = try await confirmed(try checked(outcome, history.attempt), of: history.attempt)
        return if let word { try await ended(history.attempt, word) } else { unconfirmed(history.attempt) }
    }

    /// Takes the service's own word on a payment, when it is the last one. Messages come late: one that says that no
    /// money moved may be about an earlier attempt, and ends none that has sent nothing yet.
    func note(_ outcome: PaymentOutcome, on payment: PaymentReference) async throws {
        let histories = try await journaled { try await journal.histories(of: payment) }
        guard outcome.isFinal, let history = histories.last(where: { !$0.isFinished }), effects.isSound(history) else {
            return
        }
        let sound = try checked(outcome, history.attempt)
        if Self.claimsNoEffect(sound), !history.mayHaveMovedMoney, history.outcome == nil { return }
        guard let confirmed = try await confirmed(sound, of: history.attempt) else { return }
        let word = try await believable(confirmed, of: history.attempt)
        do {
            try await close(history.attempt, .outcome(word))
            await hasEnded(payment, word)
        } catch is AttemptHasEnded {}
    }

    // MARK: Attempts at a payment or a refund

    func perform(_ attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        guard let refund = attempt.refund else { return try await asker.provider.pay(attempt, in: context) }
        return try await refunder.refund(refund, in: context)
    }

    func status(of attempt: PaymentAttempt, in context: ProviderContext) async throws -> PaymentOutcome {
        guard let refund = attempt.refund else { return try await service.status(of: attempt.reference, in: context) }
        return try await refunder.status(of: refund, in: context)
    }

    private var refunder: any RefundingService {
        get throws {
            guard let refunder = service as? any RefundingService else {
                throw error(.unsupported, "\(descriptor.name) gives no money back")
            }
            return refunder
        }
    }
}
