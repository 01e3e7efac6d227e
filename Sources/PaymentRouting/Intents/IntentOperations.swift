public import PaymentCore

/// Payments on behalf of others: requests as stored values (``PaymentIntent``).
///
/// None of these calls throws. An error is not an outcome. The ledger makes the statement from the journal's records,
/// the service's report, and the error.
extension PaymentRouter {
    /// Carries an intent out, or resumes it: quote, choice, steps, outcome.
    ///
    /// Repeated calls with the same key are one payment, also after a crash and from several processes. Another intent
    /// for the same payment is waited for, at most ``LeasePolicy/timeout``; what it has paid is stated here as well. A
    /// payment that it has begun with other terms is asked about and not resumed with this payer.
    ///
    /// - Parameters:
    ///   - intent: the request.
    ///   - quote: the quote that the caller has seen, if it is still at hand; nil requests one. A quote of a payee's
    ///     link can be used by several intents, each for another payment.
    ///   - payer: the payer; its chooser is asked if the intent has made no choice.
    ///   - bind: stores the intent as bound to its first quote: the option at the amount that is first shown.
    public func carryOut(
        _ intent: PaymentIntent, quote: PaymentQuote? = nil, as payer: Payer,
        binding bind: @escaping PaymentIntent.Binding = { _, _ in }
    ) async -> PaymentStatement {
        let subject: Subject
        do { subject = try self.subject(of: intent, as: payer) } catch { return await unrouted(intent, error) }
        let serviceClient = subject.serviceClient
        do {
            let (request, shown) = try subject.taking(quote, for: intent)
            let outcome: PaymentOutcome
            if intent.key == nil, let payee = subject.payee, quote == nil {
                outcome = try await pay(request, to: payee, serviceClient, for: intent, bind)
            } else {
                outcome = try await once(
                    request.reference, to: subject.payee, for: intent.key, about: { request.reference }
                ) {
                    if let payee = subject.payee {
                        try await abandonUnsent(to: payee, besides: request.reference, serviceClient)
                    }
                    return try await leases.with(request.reference) { journal in
                        var engine = engine(serviceClient, journal, request.reference)
                        (engine.intent, engine.bind) = (intent, bind)
                        return try await engine.pay(request, shown: shown)
                    } orElse: {
                        $0
                    }
                }
            }
            return .stated(try await checkedOwn(outcome, of: request.reference, request.link, serviceClient))
        } catch {
            return await statement(on: error, of: subject.request.reference, subject.request.link, serviceClient)
        }
    }

    /// Returns the payment that an intent asks for; nil if its link leads to none. If the intent has no key, a payment
    /// to a payee has another name each time.
    public func payment(of intent: PaymentIntent) -> PaymentReference? {
        (try? subject(of: intent, as: Payer()))?.request.reference
    }

    /// Resumes an intent that was begun, and begins nothing; otherwise returns what ``outcome(of:as:)`` does.
    public func resume(_ intent: PaymentIntent, as payer: Payer) async -> PaymentStatement {
        guard let subject = try? subject(of: intent, as: payer),
            let histories = try? await effects.journal.histories(of: subject.request.reference),
            histories.contains(where: { !$0.isFinished })
        else { return await outcome(of: intent, as: payer) }
        return await carryOut(intent, as: payer)
    }

    /// Cancels an intent: nothing is begun for it any more. Answers immediately.
    ///
    /// An attempt of the intent that has sent nothing is abandoned. An attempt that may have moved money is not undone,
    /// and neither is another intent's attempt at the same payment. Its state is returned, which is not cancelled. If a
    /// task carries the intent out, cancel that task first: while it runs, the intent is in use.
    ///
    /// - Returns: ``PaymentStatement/notBegun(_:)`` with `cancelled` if nothing was handed out and nothing will be.
    public func cancel(_ intent: PaymentIntent) async -> PaymentStatement {
        let subject: Subject
        do { subject = try self.subject(of: intent, as: Payer()) } catch { return await unrouted(intent, error) }
        let (request, serviceClient) = (subject.request, subject.serviceClient)
        do {
            let failure = try await leases.with(request.reference, waiting: false) { journal in
                var engine = engine(serviceClient, journal, request.reference)
                engine.intent = intent
                return try await engine.cancelIntent(at: request.reference)
            } orElse: { _ in
                PaymentError(.attemptEnded, "the payment has ended", phase: .answered)
            }
            return await statement(on: failure, of: request.reference, request.link, serviceClient)
        } catch {
            let failure = PaymentError(thrown: error, at: request.reference.provider)
            return await statement(on: failure, of: request.reference, request.link, serviceClient)
        }
    }

    /// Returns what is known of an intent: from the journal if its payment has ended there, otherwise from the service
    /// or the payer's settler. An attempt that has ended there ends in the journal, too. Nothing is sent that could
    /// move money.
    ///
    /// - Parameters:
    ///   - intent: the request.
    ///   - payer: the payer, whose settler is asked.
    public func outcome(of intent: PaymentIntent, as payer: Payer = Payer()) async -> PaymentStatement {
        let subject: Subject
        do { subject = try self.subject(of: intent, as: payer) } catch { return await unrouted(intent, error) }
        let (request, serviceClient) = (subject.request, subject.serviceClient)
        do {
            let histories = try await journaled(at: request.reference.provider) {
                try await $0.histories(of: request.reference)
            }
            guard let last = histories.last else {
                throw PaymentError(.notFound, "nothing was begun for it", provider: request.reference.provider)
            }
            if last.isFinished, effects.isSound(last), !last.authorities.settlerHasRefused {
                guard let outcome = last.outcome else {
                    throw PaymentError(
                        .cancelled, "the attempt was abandoned before anything was sent",
                        provider: request.reference.provider)
                }
                try serviceClient.identity.distinguish(request.link, from: last.attempt)
                return .stated(outcome)
            }
            return .stated(try await conclude(request.reference, as: payer))
        } catch {
            let failure = PaymentError(thrown: error, at: request.reference.provider)
            return await statement(on: failure, of: request.reference, request.link, serviceClient)
        }
    }

    /// Asks for the outcome of a payment, and ends its open attempt if the outcome is final. Otherwise the attempt
    /// prevents every payment that may be the same under another name, until it is resumed. Nothing is sent that could
    /// move money.
    ///
    /// - Throws: ``PaymentError``.
    package func conclude(
        _ payment: PaymentReference, as payer: Payer
    ) async throws(PaymentError) -> PaymentOutcome {
        let outcome = try await status(of: payment, as: payer)
        guard outcome.isFinal, let report = try? CheckedReport(outcome.report, of: payment) else { return outcome }
        let serviceClient = try serviceClient(for: payment.provider, payer: payer)
        // The outcome is true even if it cannot be stored.
        try? await leases.with(payment, as: .visitor) {
            try await visitor($0, serviceClient).endOpenAttempt(at: payment, by: report)
        } orElse: { _ in
        }
        return outcome
    }

    /// Returns what to state of a payment after a call about it has thrown `error`. The journal's record is stated if
    /// it contradicts "nothing was handed out".
    ///
    /// - Parameters:
    ///   - error: the error of a call of this router.
    ///   - payment: the payment, capture or refund that the call was about; nil if the link named none.
    public func statement(
        on error: PaymentError, of payment: PaymentReference?
    ) async -> PaymentStatement {
        guard let payment, let serviceClient = try? serviceClient(for: payment.provider, payer: Payer()) else {
            return Ledger([], effects).statement(on: error, of: payment)
        }
        return await statement(on: error, of: payment, nil, serviceClient)
    }

    private func statement(
        on error: PaymentError, of payment: PaymentReference, _ link: PaymentLink?, _ serviceClient: ServiceClient
    ) async -> PaymentStatement {
        do {
            let histories = try await records(of: payment, serviceClient).filter { history in
                history.attempt.reference.isPayment
                    && (try? serviceClient.identity.distinguish(link, from: history.attempt)) != nil
            }
            return Ledger(histories, effects).statement(on: error, of: payment)
        } catch _ { return Ledger([], effects).statement(on: error.withOpenFate, of: payment) }
    }

    /// Returns what to state of an intent whose link leads nowhere now. Its provider may have been registered before.
    private func unrouted(_ intent: PaymentIntent, _ error: PaymentError) async -> PaymentStatement {
        do {
            var histories = try await effects.journal.unfinished()
            if let archive = effects.journal as? any AttemptArchive {
                histories += try await archive.attempts(AttemptQuery(state: .paid)).histories
            }
            return Ledger(histories.filter { intent.owns($0.attempt) }, effects).statement(on: error, of: nil)
        } catch let failure {
            let open = PaymentError(thrown: failure, at: "").withOpenFate
            return Ledger([], effects).statement(on: open, of: nil)
        }
    }

    // MARK: The subject

    /// The payment that an intent asks for, and its service.
    private struct Subject: Sendable {
        let request: QuoteRequest
        let serviceClient: ServiceClient
        /// The payee, if the link names no single payment.
        let payee: String?

        /// Returns the request and a quote under one name: that of the intent's payment, or the quote's if the intent
        /// has no key. So a quote is paid once for each key.
        ///
        /// - Throws: ``PaymentError``, `integrity`, if it is a quote for another link.
        func taking(
            _ quote: PaymentQuote?, for intent: PaymentIntent
        ) throws(PaymentError) -> (QuoteRequest, PaymentQuote?) {
            guard let quote else { return (request, nil) }
            try quote.checkOptionIDs()
            let isOwn =
                payee.map { quote.reference.id.hasPrefix($0 + "/") } ?? (quote.reference.id == request.reference.id)
            guard isOwn, quote.reference.provider == request.reference.provider, quote.reference.isPayment else {
                throw PaymentError(
                    .integrity, "the quote is for another payment than the link; ask for a new quote",
                    provider: request.reference.provider)
            }
            guard intent.key == nil else { return (request, quote.named(request.reference)) }
            return (QuoteRequest(link: request.link, match: request.match, reference: quote.reference), quote)
        }
    }

    private func subject(of intent: PaymentIntent, as payer: Payer) throws(PaymentError) -> Subject {
        let decision = route(intent.link.reveal())
        let route: Route
        switch decision {
        case .matched(let matched): route = matched
        case .rejected: throw PaymentError(.rejectedLink, decision.explanation)
        case .ambiguous: throw PaymentError(.ambiguous, decision.explanation)
        case .recognized, .defective, .unclear, .unroutable: throw PaymentError(.unroutable, decision.explanation)
        }
        let consent = Consent(unverified: intent.acceptsUnverified, unclear: intent.acceptsUnclear)
        let request = try quoteRequest(route, consent, for: intent)
        return Subject(
            request: request,
            serviceClient: try serviceClient(for: route.provider, payer: request.isUnclear ? payer.alwaysAsked : payer),
            payee: route.match.payee)
    }
}
