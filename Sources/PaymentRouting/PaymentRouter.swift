public import PaymentCore

/// Routes payment links to providers and carries payments through.
///
/// Routing is pure and synchronous. Paying is durable: every step is stored before and after it runs, the same
/// payment started twice is carried out once, and what cannot be known is ``PaymentOutcome/unknown(_:)``, never
/// guessed.
public struct PaymentRouter: Sendable {
    /// The providers.
    public let registry: ProviderRegistry
    private let readers: [any InstructionReader]
    let effects: RouterEffects
    let flights = InFlightPayments()
    let leases: PaymentLeases

    /// Makes a router.
    ///
    /// - Parameters:
    ///   - registry: the providers.
    ///   - transport: the network; providers see it limited to the hosts they declare.
    ///   - journal: the durable memory of attempts. Routers may share one, also from several processes.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    ///   - leases: how long routers that share a journal wait for each other.
    ///   - journalKey: by which this router knows its own journal again; all routers that share the journal need the
    ///     same. Nil trusts the journal as it is.
    public init(
        registry: ProviderRegistry, transport: any HTTPTransport, journal: any PaymentJournal,
        readers: [any InstructionReader] = [], clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), secrets: any SecretStore = NoSecrets(),
        log: PaymentLog = .silent, leases: LeasePolicy = LeasePolicy(), journalKey: JournalKey? = nil
    ) {
        self.registry = registry
        self.readers = readers
        effects = RouterEffects(
            transport: transport, journal: journal, clock: clock, random: random, secrets: secrets, log: log,
            journalKey: journalKey)
        self.leases = PaymentLeases(effects, leases)
    }

    // MARK: Routing

    /// Says what `text` is and where it goes. Never fails: a text that is no link is ``RouteDecision/rejected(_:)``.
    public func route(_ text: String) -> RouteDecision {
        do {
            return registry.route(try PaymentLink(text), readers: readers)
        } catch {
            return .rejected(error)
        }
    }

    /// Says where `link` goes.
    public func route(_ link: PaymentLink) -> RouteDecision {
        registry.route(link, readers: readers)
    }

    // MARK: Paying

    /// Asks what the link of `route` wants paid, and marks the options that `payer` cannot fulfil.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(
        _ route: Route, as payer: Payer, acceptingUnverified: Bool = false
    ) async throws(PaymentError) -> PaymentQuote {
        let request = try quoteRequest(route, acceptingUnverified: acceptingUnverified)
        let enquiry = try enquiry(for: route.provider, payer: payer)
        do { return try await enquiry.quote(request) } catch {
            throw AttemptEngine.paymentError(error, provider: route.provider)
        }
    }

    /// Pays the link of `route`: quote, choice, steps, outcome. Joins a payment of the same reference under way, and
    /// goes on with an interrupted one.
    ///
    /// - Parameter acceptingUnverified: consent to a link that does not prove where it leads.
    /// - Returns: the outcome; a refusal by the service or the payer is an outcome. When the calling task is
    ///   cancelled after something was sent, the outcome is unknown, never cancelled.
    /// - Throws: ``PaymentError`` when it could not be carried on; its phase says whether money can have moved.
    ///   ``PaymentError/Code/noChooser`` when there is something to choose and `payer` has neither a chooser nor a policy.
    public func pay(
        _ route: Route, as payer: Payer, acceptingUnverified: Bool = false
    ) async throws(PaymentError) -> PaymentOutcome {
        let request = try quoteRequest(route, acceptingUnverified: acceptingUnverified)
        let enquiry = try enquiry(for: route.provider, payer: payer)
        let outcome = try await fly(request.reference) { try await enquiry.engine($0).pay(request) }
        return try await own(outcome, of: request.reference, request.link, enquiry)
    }

    /// Routes `text` and pays it.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/rejectedLink``, `unroutable` or `ambiguous` when it cannot be
    ///   routed.
    public func pay(
        _ text: String, as payer: Payer, acceptingUnverified: Bool = false
    ) async throws(PaymentError) -> PaymentOutcome {
        let decision = route(text)
        switch decision {
        case .matched(let route):
            return try await pay(route, as: payer, acceptingUnverified: acceptingUnverified)
        case .rejected: throw PaymentError(.rejectedLink, decision.explanation)
        case .ambiguous: throw PaymentError(.ambiguous, decision.explanation)
        case .recognized, .defective, .unclear, .unroutable: throw PaymentError(.unroutable, decision.explanation)
        }
    }

    /// Pays an option of a quote that was shown to the payer. No other option is ever taken instead.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/unusableOption`` when the quote has no such option,
    ///   ``PaymentError/Code/optionChanged`` when the service asks for something else by now: quote again.
    public func pay(
        _ quote: PaymentQuote, option id: PaymentOption.ID, as payer: Payer
    ) async throws(PaymentError) -> PaymentOutcome {
        try quote.checkOptionIDs()
        guard let option = quote.options.first(where: { $0.id == id }), option.needs.allSatisfy(payer.canFulfil) else {
            throw PaymentError(.unusableOption, "the quote has no option '\(id)' that this payer can fulfil")
        }
        let enquiry = try enquiry(for: quote.reference.provider, payer: payer)
        try enquiry.checkIsPayment(quote.reference)
        let outcome = try await fly(quote.reference) { try await enquiry.engine($0).pay(quote, option) }
        return try await own(outcome, of: quote.reference, quote.link?.reveal(), enquiry)
    }

    /// Refuses a success that belongs to another link with the same name: one whose payment this start joined, or that
    /// another router brought about meanwhile.
    private func own(
        _ outcome: PaymentOutcome, of payment: PaymentReference, _ link: PaymentLink?, _ enquiry: Enquiry
    ) async throws(PaymentError) -> PaymentOutcome {
        guard case .succeeded = outcome, enquiry.service is any PaymentDistinguishingProvider else { return outcome }
        let histories = try await journaled(at: payment.provider, .maybeSent) { try await $0.histories(of: payment) }
        for history in histories {
            if case .succeeded? = history.outcome { try enquiry.distinguish(link, from: history.attempt) }
        }
        return outcome
    }

    /// Asks what has become of a payment. Where the payer's wallet may have sent the money by itself, as the journal knows,
    /// no refusal of the service is the last word; nor is it while an attempt is open that has sent nothing yet, and still
    /// may: ``resume(_:as:)`` or ``recover(as:width:)`` ends it.
    ///
    /// - Throws: ``PaymentError``.
    public func status(of payment: PaymentReference, as payer: Payer = Payer()) async throws(PaymentError)
        -> PaymentOutcome
    {
        let enquiry = try enquiry(for: payment.provider, payer: payer)
        let outcome: PaymentOutcome
        do { outcome = try await enquiry.status(of: payment) } catch {
            throw AttemptEngine.paymentError(error, provider: payment.provider)
        }
        guard AttemptEngine.claimsNoEffect(outcome) else { return outcome }
        return try await journaled(at: payment.provider, .answered) { try await $0.histories(of: payment) }
            .filter(effects.isSound).reduce(outcome, AttemptEngine.lasting)
    }

    /// Goes on with an interrupted attempt: steps that ended are not run again. Its option was chosen before, so the
    /// payer needs no chooser.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/notFound`` when the journal has no such attempt or it was
    ///   given up before anything was paid, ``PaymentError/Code/optionChanged`` when the service asks for something
    ///   else than was chosen: pay from the link again.
    public func resume(_ attempt: AttemptID, as payer: Payer) async throws(PaymentError) -> PaymentOutcome {
        let history = try await journaled { try await $0.history(of: attempt) }
        guard let history else { throw PaymentError(.notFound, "the journal has no attempt \(attempt)") }
        // What has ended needs no lease, which a page that never returns may hold.
        if let outcome = history.outcome, history.isFinished, outcome.isFinal, effects.isSound(history) {
            return outcome
        }
        let payment = history.attempt.reference
        let enquiry = try enquiry(for: history, payer: payer)
        // Read again within the flight: another one may have ended in between.
        do { return try await fly(payment) { try await enquiry.engine($0).resume(attempt) } } catch {
            throw await about(history, error)
        }
    }

    /// Settles every unfinished attempt that no living worker has, after a crash or a loss of the network.
    ///
    /// Steps that ended are not run again. What may have moved money is settled by the service's word, or sent again
    /// only where the service recognises the repetition. An attempt that had sent nothing goes on as the payer agreed;
    /// recover as an empty ``Payer`` to have such attempts given up instead.
    ///
    /// - Parameter width: how many payments are settled at the same time; at least one is.
    /// - Returns: a report on each attempt, oldest first.
    /// - Throws: ``PaymentError`` when the journal cannot be read.
    public func recover(as payer: Payer, width: Int = 4) async throws(PaymentError) -> [RecoveryReport] {
        let histories = try await journaled { try await $0.unfinished() }
        return await Recovery(clock: effects.clock, width: width).run(histories) { history in
            do { return .success(try await settle(history, as: payer)) } catch {
                return .failure(AttemptEngine.paymentError(error, provider: history.attempt.reference.provider))
            }
        }
    }

    /// Goes on with an interrupted attempt and reports on it as ``recover(as:width:)`` does.
    ///
    /// - Throws: ``PaymentError``, `notFound`, when the journal has no such attempt.
    public func recover(_ attempt: AttemptID, as payer: Payer) async throws(PaymentError) -> RecoveryReport {
        let history = try await journaled { try await $0.history(of: attempt) }
        guard let history else { throw PaymentError(.notFound, "the journal has no attempt \(attempt)") }
        let result: Result<PaymentOutcome, PaymentError>
        do { result = .success(try await resume(attempt, as: payer)) } catch { result = .failure(error) }
        return RecoveryReport(history.attempt, result, now: effects.clock.now)
    }

    private func settle(_ history: AttemptHistory, as payer: Payer) async throws -> PaymentOutcome {
        let enquiry = try enquiry(for: history, payer: payer)
        do {
            return try await leases.with(history.attempt.reference, waiting: false) {
                try await enquiry.engine($0).resume(history.attempt.id)
            } orElse: {
                $0
            }
        } catch {
            throw await about(
                history, AttemptEngine.paymentError(error, provider: history.attempt.reference.provider))
        }
    }

    // MARK: Helpers

    /// Reads the journal.
    ///
    /// - Parameter phase: what can be said of the payment when the journal fails, whichever journal it is.
    func journaled<Value>(
        at provider: ProviderID? = nil, _ phase: PaymentError.Phase = .beforeSend,
        _ read: (any PaymentJournal) async throws -> Value
    ) async throws(PaymentError) -> Value {
        do { return try await read(effects.journal) } catch {
            throw PaymentError(.journal, "the journal failed: \(error)", provider: provider, phase: phase)
        }
    }

    /// An error about an attempt. Somebody else may have gone on with the attempt since it was read.
    private func about(_ history: AttemptHistory, _ error: PaymentError) async -> PaymentError {
        let now = try? await effects.journal.history(of: history.attempt.id)
        return error.about(now ?? history)
    }

    private func quoteRequest(_ route: Route, acceptingUnverified: Bool) throws(PaymentError) -> QuoteRequest {
        if case .unverified(let reason) = route.match.trust, !acceptingUnverified {
            throw PaymentError(.untrustedLink, "the link is not trusted: \(reason)", provider: route.provider)
        }
        guard route.match.role == .payment, let id = route.match.reference else {
            throw PaymentError(.notAPayment, "the link does not ask for a payment", provider: route.provider)
        }
        return QuoteRequest(
            link: route.link, match: route.match, reference: PaymentReference(provider: route.provider, id: id))
    }

    func enquiry(for id: ProviderID, payer: Payer) throws(PaymentError) -> Enquiry {
        guard let index = registry.index(of: id) else {
            throw PaymentError(.unroutable, "no provider called \(id) is registered")
        }
        return Enquiry(
            service: registry.services[index], descriptor: registry.descriptors[index], payer: payer, effects: effects)
    }

    /// The enquiry about an attempt. Without its provider nothing can be said of it: least of all that it was not paid.
    private func enquiry(for history: AttemptHistory, payer: Payer) throws(PaymentError) -> Enquiry {
        let provider = history.attempt.reference.provider
        do { return try enquiry(for: provider, payer: payer) } catch {
            throw PaymentError(
                error.code, "\(error.message); register it and recover again", provider: provider, phase: error.phase
            ).about(history)
        }
    }
}

extension PaymentError {
    /// The same about an attempt: when it may have moved money before, that nothing left now does not say that none has;
    /// nor does a refusal that another start of the payment got, which this one has joined.
    fileprivate func about(_ history: AttemptHistory) -> PaymentError {
        guard phase != .maybeSent, history.mayHaveMovedMoney || history.outcome != nil else { return self }
        return PaymentError(
            code, message, provider: provider, phase: .maybeSent, retry: retry == .never ? .later : retry,
            vendorCode: vendorCode)
    }
}
