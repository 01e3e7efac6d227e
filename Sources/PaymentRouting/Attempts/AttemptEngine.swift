import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Carries one payment from its quote to an outcome, durably.
struct AttemptEngine: Sendable {
    let service: any PaymentService
    let descriptor: ProviderDescriptor
    let payer: Payer
    let effects: RouterEffects
    /// The journal, for writing about the payment that this engine carries.
    let journal: LeasedJournal
    /// Hears how an attempt has ended.
    var hasEnded: @Sendable (PaymentReference, PaymentOutcome) async -> Void = { _, _ in }

    /// Pays the payment of `request`: quote, choice, attempt.
    func pay(_ request: QuoteRequest) async throws -> PaymentOutcome {
        if let outcome = try await goOn(with: request.reference, request.link) { return outcome }
        // A service may change its mind while the payer chooses; one that always does is not worth asking for ever.
        for _ in 1..<Self.mostChoices {
            do { return try await choose(request) } catch let failure as PaymentError
                where failure.code == .optionChanged && failure.phase == .beforeSend
            {
                effects.log(PaymentEvent(provider: descriptor.id, attempt: nil, kind: .note, message: failure.message))
            }
        }
        return try await choose(request)
    }

    /// How often the payer is asked to choose at most, while what is chosen changes at the service.
    private static let mostChoices = 3

    /// Quotes, has the payer choose, and carries the choice out.
    private func choose(_ request: QuoteRequest) async throws -> PaymentOutcome {
        let quote = try await asker.quote(request)
        if let outcome = try await begunElsewhere(quote) { return outcome }
        if let outcome = quote.outcome {
            // The answer may have been long under way: a refusal holds only while nobody has taken the payment over.
            if Self.claimsNoEffect(outcome) { try await journaled { try await journal.renew(at: effects.clock.now) } }
            return try checked(outcome, of: quote.reference)
        }
        switch try await choice(from: quote) {
        case .option(let option): return try await begin(quote, option)
        case .ended(let outcome): return outcome
        }
    }

    /// Pays `option` of `quote`.
    func pay(_ quote: PaymentQuote, _ option: PaymentOption) async throws -> PaymentOutcome {
        if let outcome = try await goOn(with: quote.reference, quote.link?.reveal()) { return outcome }
        if let outcome = try await begunElsewhere(quote) { return outcome }
        return try await begin(quote, option)
    }

    /// The ending of an earlier attempt at `payment` that must not be repeated: one that succeeded, or one that may
    /// have moved money and is carried on here. Nil when a new attempt may begin.
    func goOn(with payment: PaymentReference, _ link: PaymentLink?) async throws -> PaymentOutcome? {
        let histories = try await journaled { try await journal.histories(of: payment) }
        for history in histories {
            guard case .succeeded? = history.outcome, effects.isSound(history) else { continue }
            try asker.distinguish(link, from: history.attempt)
            return history.outcome
        }
        if let broken = broken(histories) { return try await distrusted(broken, isNamed: true) }
        // An outcome that is not final says that the payment goes on elsewhere: a second attempt could pay twice.
        if let interrupted = histories.last(where: { !$0.isFinished && ($0.mayHaveMovedMoney || $0.outcome != nil) }) {
            try asker.distinguish(link, from: interrupted.attempt)
            return try await carryOut(interrupted, link)
        }
        for history in histories where !history.isFinished {
            try await close(history.attempt, .abandoned(reason: "a new attempt was started"))
        }
        return nil
    }

    var asker: Enquiry {
        Enquiry(service: service, descriptor: descriptor, payer: payer, effects: effects)
    }

    /// Opens an attempt with `option` and carries it out.
    private func begin(_ quote: PaymentQuote, _ option: PaymentOption) async throws -> PaymentOutcome {
        let now = effects.clock.now
        if let end = quote.expiresAt, end <= now {
            let outcome = try await overdue(quote.reference)
            // The quote may be old: this can be told only while nobody else has taken the payment over, and paid it.
            try await journaled { try await journal.renew(at: effects.clock.now) }
            return outcome
        }
        if let end = option.expiresAt, end <= now {
            throw error(.unusableOption, "the price of this option has expired; quote again for a new one")
        }
        return try await open(quote.reference, option, until: quote.expiresAt, link: quote.link?.reveal())
    }

    func open(
        _ reference: PaymentReference, _ option: PaymentOption, until end: Date? = nil, refund: RefundRequest? = nil,
        link: PaymentLink? = nil
    ) async throws -> PaymentOutcome {
        let attempt = PaymentAttempt(
            id: AttemptID(rawValue: "att_" + effects.random.hex(24)), reference: reference, option: option,
            idempotencyKey: effects.random.uuid(), startedAt: effects.clock.now, expiresAt: end, refund: refund)
        try await journaled { try await journal.open(attempt) }
        return try await carryOut(AttemptHistory(attempt: attempt), link)
    }

    /// Goes on with the attempt called `id`.
    func resume(_ id: AttemptID) async throws -> PaymentOutcome {
        guard let history = try await journaled({ try await journal.history(of: id) }) else {
            throw error(.notFound, "the journal has no attempt \(id)")
        }
        guard effects.isSound(history) else { return try await distrusted(history, isNamed: false) }
        guard history.isFinished else {
            guard history.mayHaveMovedMoney || history.outcome != nil else { return try await begun(history) }
            return try await carryOut(history)
        }
        guard let outcome = history.outcome, outcome.isFinal else {
            throw error(.notFound, "the attempt \(id) was given up before anything was paid; start a new payment")
        }
        return outcome
    }

    /// Goes on with an attempt that has sent nothing, unless its time is over.
    private func begun(_ history: AttemptHistory) async throws -> PaymentOutcome {
        let (attempt, now) = (history.attempt, effects.clock.now)
        if let end = attempt.expiresAt, end <= now {
            let outcome = try await overdue(attempt.reference)
            return try await ended(attempt, try checked(outcome, attempt))
        }
        if let end = attempt.option.expiresAt, end <= now {
            // Only the price is over: the payment can still be paid, with another attempt.
            let failure = error(.unusableOption, "the price of this option has expired; quote again for a new one")
            try await close(attempt, .abandoned(reason: failure.message))
            throw failure
        }
        return try await carryOut(history)
    }

    /// What is told of a payment whose time is over by this device's clock, which alone says nothing final: another
    /// device may have paid, and the clock may be wrong.
    private func overdue(_ payment: PaymentReference) async throws -> PaymentOutcome {
        let outcome = try await asker.status(of: payment)
        guard !outcome.isFinal else { return outcome }
        throw error(
            .unusableOption,
            "the payment's time is over by this device's clock, but its service has not ended it (\(outcome)); check "
                + "the clock, or ask again later")
    }

    /// Starts or goes on with an attempt.
    func carryOut(_ history: AttemptHistory, _ link: PaymentLink? = nil) async throws -> PaymentOutcome {
        if let outcome = try await yields(history) { return outcome }
        let attempt = history.attempt
        let steps = StepLog(history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects)
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, attempt: attempt.id, journal: journal, link: link)
        do {
            let outcome = try checked(try await perform(attempt, in: context), attempt)
            if Self.claimsNoEffect(outcome), await steps.mayHaveMovedMoney {
                let doubt = self.error(.network, "money may have moved; only the service's status can tell")
                // Where our request was answered, the provider may know better why it was refused.
                let reason = await steps.hasUnresolvedMutation ? nil : outcome
                return try await ended(
                    attempt, await settle(attempt, after: doubt, claimed: reason, in: context))
            }
            return try await ended(attempt, outcome)
        } catch {
            if await steps.hasEndedElsewhere, let outcome = await stored(attempt), await steps.agrees(with: outcome) {
                return outcome
            }
            let failure = Self.paymentError(error, provider: descriptor.id)
            // Whoever took the payment over settles it; asking here as well would only say the same.
            if failure.code == .inUse { throw failure }
            let mayHaveMovedMoney = await steps.mayHaveMovedMoney
            guard mayHaveMovedMoney || failure.phase == .maybeSent else {
                try await giveUp(attempt, after: failure)
                throw failure.code == .optionChanged ? await changed(failure, steps) : failure
            }
            return try await ended(attempt, await settle(attempt, after: failure, in: context))
        }
    }

    /// Completes the unfinished attempt at `payment` whose payer came back through `callback`; nil when there is none.
    func complete(
        _ callback: PaymentLink, of payment: PaymentReference, with provider: any RedirectCompletingProvider
    ) async throws -> PaymentOutcome? {
        let histories = try await journaled { try await journal.histories(of: payment) }
        guard let history = histories.last(where: { !$0.isFinished }) else { return nil }
        guard effects.isSound(history) else { return try await distrusted(history, isNamed: true) }
        let steps = StepLog(
            history, replayWindow: descriptor.replayWindow, journal: journal, effects: effects, isVisit: true)
        let context = effects.context(
            for: descriptor, payer: payer, steps: steps, attempt: history.attempt.id, journal: journal)
        let outcome: PaymentOutcome
        do {
            outcome = try checked(
                try await provider.complete(callback, for: history.attempt, in: context), history.attempt)
        } catch {
            // Whoever carries the attempt through is at it already.
            guard await steps.isLeftToOthers else { throw error }
            return .pending(retryAfter: nil)
        }
        // The payer may come back from an earlier attempt, while the service knows nothing of the last one yet.
        guard let word = try await confirmed(outcome, of: history.attempt) else { return unconfirmed(history.attempt) }
        return try await ended(history.attempt, word)
    }

    // MARK: Ending

    /// The integrity rules on a provider's word: a receipt must be for this payment and, where it states an amount,
    /// over what the payer agreed to.
    func checked(_ outcome: PaymentOutcome, _ attempt: PaymentAttempt) throws -> PaymentOutcome {
        guard case .succeeded(let receipt) = try checked(outcome, of: attempt.reference) else { return outcome }
        guard let paid = receipt.amount else { return outcome }
        let agreed = attempt.option.amount
        guard paid.currency.denotesSame(as: agreed.currency), paid.exponent == agreed.exponent else {
            throw error(.integrity, "the receipt is in another currency than the chosen option", phase: .maybeSent)
        }
        guard paid.minorUnits == agreed.minorUnits || attempt.option.isEstimate else {
            throw error(.integrity, "the receipt is over \(paid), but \(agreed) was agreed", phase: .maybeSent)
        }
        return outcome
    }

    /// A receipt must be for the payment that was asked about.
    private func checked(_ outcome: PaymentOutcome, of payment: PaymentReference) throws -> PaymentOutcome {
        try asker.checked(outcome, of: payment)
    }

    func close(_ attempt: PaymentAttempt, _ event: JournalEntry.Event) async throws {
        let entry = JournalEntry(date: effects.clock.now, event: event)
        try await journaled { try await journal.append(entry, to: attempt.id) }
    }

    func journaled<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch JournalError.leaseLost {
            throw PaymentError.inUse(descriptor.id)
        } catch JournalError.finishedAttempt {
            throw AttemptHasEnded()
        } catch is SealedWriter.Broken {
            throw self.error(.integrity, "the journal's record of the attempt was changed by somebody else")
        } catch {
            throw self.error(.journal, "the journal failed: \(error)")
        }
    }

    func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(code, message, provider: descriptor.id, phase: phase)
    }

    /// Whatever a provider throws, as a payment error of the provider that was asked: it may be registered by another id
    /// than its vendor's. Foreign errors may hold anything, so only their type is told.
    static func paymentError(_ error: any Error, provider: ProviderID) -> PaymentError {
        switch error {
        case let error as PaymentError where error.provider == nil || error.provider == provider: error
        case let error as PaymentError:
            PaymentError(
                error.code, error.message, provider: provider, phase: error.phase, retry: error.retry,
                vendorCode: error.vendorCode)
        case let error as TransportError: PaymentError(error, provider: provider, isMutation: false)
        case is AttemptHasEnded:
            PaymentError(.journal, "the attempt has ended meanwhile; ask again for its outcome", provider: provider)
        case is CancellationError:
            PaymentError(.cancelled, "cancelled before anything was sent", provider: provider)
        case is MoneyError, is JSONError, is CAIPError, is LinkDefect:
            PaymentError(
                .invalidResponse, "the provider could not read its service's answer: \(error)", provider: provider,
                phase: .answered)
        default:
            PaymentError(.providerFault, "the provider failed with \(type(of: error))", provider: provider)
        }
    }
}
