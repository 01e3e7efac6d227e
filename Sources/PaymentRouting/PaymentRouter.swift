public import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Routes payment links to providers and carries payments out.
///
/// Routing is pure and synchronous, and needs no router: `ProviderRegistry.route`. Paying is durable: every step is
/// stored before and after it runs, the same payment started twice is carried out once, and an outcome that cannot be
/// known is ``PaymentOutcome/unknown(_:)``, never guessed.
public struct PaymentRouter: Sendable {
    /// The providers.
    public let registry: ProviderRegistry
    private let readers: [any InstructionReader]
    let effects: RouterEffects
    let inFlight = InFlightPayments()
    let leases: PaymentLeases

    /// Creates a router.
    ///
    /// - Parameters:
    ///   - registry: the providers.
    ///   - transport: the network, which providers see limited to the hosts they declare.
    ///   - journal: the durable memory of attempts. Routers may share one, also from several processes.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    ///   - clock: the time of waiting and of entries. Alone it decides nothing final.
    ///   - random: keys and back-off; the default is cryptographically secure.
    ///   - secrets: the application's secrets, by the names that providers ask for.
    ///   - log: receives every event at once, in the task of the payment.
    ///   - leases: the waiting times of routers that share a journal.
    ///   - journalKey: the key that lets this router recognise its own journal. All routers that share the journal need
    ///     the same key. Nil trusts the journal as it is.
    ///   - autoPay: the payments made without a question; nil for none.
    public init(
        registry: ProviderRegistry, transport: any HTTPTransport, journal: any PaymentJournal,
        readers: [any InstructionReader] = [], clock: any PaymentClock = SystemPaymentClock(),
        random: any RandomSource = SystemRandomSource(), secrets: any SecretStore = NoSecrets(),
        log: PaymentLog = .silent, leases: LeasePolicy = LeasePolicy(), journalKey: JournalKey? = nil,
        autoPay: AutoPay? = nil
    ) {
        self.registry = registry
        self.readers = readers
        effects = RouterEffects(
            transport: transport, journal: journal, clock: clock, random: random, secrets: secrets, log: log,
            journalKey: journalKey, autoPay: autoPay)
        self.leases = PaymentLeases(effects, leases)
    }

    /// Creates a router of some providers, with the usual clock and without a log.
    ///
    /// - Parameters:
    ///   - providers: the providers, each with its own id.
    ///   - transport: the network, such as `.standard` of `PaymentTransport`.
    ///   - journal: the durable memory of attempts. The default one ends with the process, and so does the knowledge of
    ///     what was paid. With real money use a journal that stays, such as `SQLiteJournal` of `PaymentStore`.
    ///   - readers: readers of payment standards, asked in order about links that no provider claims.
    /// - Throws: ``RegistryError``, when two providers have one id or a pattern is not valid.
    public init(
        providers: [any PaymentService], transport: any HTTPTransport, journal: any PaymentJournal = InMemoryJournal(),
        readers: [any InstructionReader] = []
    ) throws(RegistryError) {
        self.init(
            registry: try ProviderRegistry(providers), transport: transport, journal: journal, readers: readers)
    }

    // MARK: Routing

    /// Returns the kind and the route of `text`. Never fails: a text that is no link is ``RouteDecision/rejected(_:)``.
    public func route(_ text: String) -> RouteDecision { registry.route(text, readers: readers) }

    /// Returns the route of `link`.
    public func route(_ link: PaymentLink) -> RouteDecision { registry.route(link, readers: readers) }

    // MARK: Paying

    /// Routes `text` and pays it.
    ///
    /// - Throws: ``PaymentError``; ``PaymentError/Code/rejectedLink``, `unroutable` or `ambiguous` when it cannot be
    ///   routed.
    public func pay(
        _ text: String, as payer: Payer, acceptingUnverified: Bool = false, acceptingUnclear: Bool = false
    ) async throws(PaymentError) -> PaymentOutcome {
        let decision = route(text)
        effects.emit(.routed(explanation: decision.explanation), at: decision.route?.provider)
        switch decision {
        case .matched(let route):
            return try await pay(
                route, as: payer, acceptingUnverified: acceptingUnverified, acceptingUnclear: acceptingUnclear)
        case .rejected: throw PaymentError(.rejectedLink, decision.explanation)
        case .ambiguous: throw PaymentError(.ambiguous, decision.explanation)
        case .recognized, .defective, .unclear, .unroutable: throw PaymentError(.unroutable, decision.explanation)
        }
    }

    /// Pays the link of `route`: quote, choice, steps, outcome. Joins a payment of the same reference in progress, and
    /// resumes an interrupted one. If the link names a payee, this holds for payments to the same payee. Paid again
    /// after that, such a link makes another payment.
    ///
    /// - Parameters:
    ///   - route: the route of the link.
    ///   - payer: the payer.
    ///   - acceptingUnverified: consent to a link that does not prove its destination.
    ///   - acceptingUnclear: a person's consent to exactly this text, which has an unknown part that could change the
    ///     payment. The payer's chooser decides then, never a policy.
    /// - Returns: the outcome; a refusal by the service or the payer is an outcome. When the calling task is
    ///   cancelled after something was sent, the outcome is unknown, never cancelled.
    /// - Throws: ``PaymentError`` when it could not continue; its phase states if money can have moved.
    ///   ``PaymentError/Code/noChooser`` when there is something to choose and `payer` has neither a chooser nor a
    ///   policy.
    public func pay(
        _ route: Route, as payer: Payer, acceptingUnverified: Bool = false, acceptingUnclear: Bool = false
    ) async throws(PaymentError) -> PaymentOutcome {
        let consent = Consent(unverified: acceptingUnverified, unclear: acceptingUnclear)
        let request = try quoteRequest(route, consent)
        let serviceClient = try serviceClient(for: route.provider, payer: request.isUnclear ? payer.alwaysAsked : payer)
        if let payee = route.match.payee {
            return try await pay(request, to: payee, serviceClient)
        }
        let outcome = try await carryOnce(request.reference) { journal in
            try await engine(serviceClient, journal, request.reference).pay(request)
        }
        return try await checkedOwn(outcome, of: request.reference, request.link, serviceClient)
    }

    /// Asks for the terms of the link of `route`, and marks the options that `payer` cannot fulfil.
    ///
    /// - Throws: ``PaymentError``; nothing has been paid then.
    public func quote(
        _ route: Route, as payer: Payer, acceptingUnverified: Bool = false, acceptingUnclear: Bool = false
    ) async throws(PaymentError) -> PaymentQuote {
        let consent = Consent(unverified: acceptingUnverified, unclear: acceptingUnclear)
        let request = try quoteRequest(route, consent)
        let serviceClient = try serviceClient(for: route.provider, payer: request.isUnclear ? payer.alwaysAsked : payer)
        do {
            var (quote, report) = try await serviceClient.quote(request)
            if let report {
                quote.outcome = try await verdict(
                    on: report, of: quote.reference, until: quote.expiresAt, serviceClient)
            }
            return quote
        } catch {
            let failure = PaymentError(thrown: error, at: route.provider)
            effects.emit(.failed(failure), at: route.provider, request.reference)
            throw failure
        }
    }

    /// Pays an option of a quote that was shown to the payer. No other option is ever taken instead.
    ///
    /// - Parameters:
    ///   - quote: the quote.
    ///   - id: the option; nil if the payer takes none, or can take none.
    ///   - payer: the payer.
    /// - Throws: ``PaymentError``; ``PaymentError/Code/unusableOption`` when the quote has no such option that this
    ///   payer can fulfil, ``PaymentError/Code/optionChanged`` when the service has changed its demand by now: quote
    ///   again.
    public func pay(
        _ quote: PaymentQuote, option id: PaymentMethodOption.ID?, as payer: Payer
    ) async throws(PaymentError) -> PaymentOutcome {
        try quote.checkOptionIDs()
        let serviceClient = try serviceClient(for: quote.reference.provider, payer: payer)
        try serviceClient.checkIsPayment(quote.reference)
        let option: PaymentMethodOption? = if let id { try serviceClient.option(id, of: quote) } else { nil }
        let outcome = try await carryOnce(quote.reference) { journal in
            let engine = AttemptEngine(serviceClient: serviceClient, journal: journal)
            guard let option else { return try await engine.decline(quote) }
            try await abandonUnsent(besides: quote.reference, option, serviceClient)
            return try await engine.pay(quote, option)
        }
        return try await checkedOwn(outcome, of: quote.reference, quote.link?.reveal(), serviceClient)
    }

    /// Asks for the outcome of a payment. A refusal of the service is not final if, by the journal, the payer's wallet
    /// may have sent the money by itself. It is not final either while an attempt is open that has sent nothing yet and
    /// still may. End that attempt by ``resume(_:as:)->PaymentOutcome`` or ``recover(as:width:bound:)``.
    ///
    /// - Throws: ``PaymentError``.
    public func status(of payment: PaymentReference, as payer: Payer = Payer()) async throws(PaymentError)
        -> PaymentOutcome
    {
        let serviceClient = try serviceClient(for: payment.provider, payer: payer)
        try serviceClient.checkIsPayment(payment)
        // If a name can come to stand for another payment, only the service knows which one it is now.
        if !serviceClient.identity.reusesNames, let histories = try? await effects.journal.histories(of: payment),
            let paid = Ledger(histories, effects).recordedPayment?.outcome
        {
            guard serviceClient.identity.isMerchants else { return paid }
            return try await verdict(on: try CheckedReport(paid.report, of: payment), of: payment, serviceClient)
        }
        if serviceClient.isSettledByPayer {
            let histories = try await journaled(at: payment.provider, .answered) { try await $0.histories(of: payment) }
            return try await settled(histories, of: payment, serviceClient)
        }
        let report: CheckedReport
        do { report = try await serviceClient.status(of: payment) } catch {
            throw PaymentError(thrown: error, at: payment.provider)
        }
        return try await verdict(on: report, of: payment, serviceClient)
    }

    /// Returns the outcome of a payment that only the payer's settler sees. The journal decides, and so does the
    /// settler if it was asked to pay and may say otherwise by now. The payment is denied only if the journal has not
    /// changed in the meantime.
    private func settled(
        _ histories: [AttemptHistory], of payment: PaymentReference, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> PaymentOutcome {
        if let outcome = try await correction(of: histories, of: payment, serviceClient) { return outcome }
        let outcome = Ledger(histories, effects).recorded(of: payment)
        guard outcome.deniesPayment else { return outcome }
        return try await denial(of: payment) { journal in
            let isStill = try await journal.base.histories(of: payment) == histories
            let message = "another attempt at it was made while the settler was asked; ask again"
            return isStill ? outcome : .unknown(UnknownOutcome(reference: payment, message: message))
        }
    }

    /// Returns the outcome that the settler states in addition to the journal; nil if it states none.
    private func correction(
        of histories: [AttemptHistory], of payment: PaymentReference, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> PaymentOutcome? {
        guard Ledger(histories, effects).recordedPayment == nil else { return nil }
        // An attempt that ended before its settler was asked has the name of the next one.
        for history in histories.reversed()
        where effects.isSound(history) && (!history.isFinished || history.hasSpentName) {
            let asked: CheckedReport?
            do { asked = try await serviceClient.settlement(of: history) } catch {
                guard history.isFinished, history.authorities.settlerHasRefused else { continue }
                let message = "the payer's settler had sent nothing, and cannot be asked now whether that stands"
                return .unknown(UnknownOutcome(reference: payment, message: message))
            }
            guard let report = asked, report.affirmsPayment || !history.isFinished && !report.isFinal else { continue }
            guard report.affirmsPayment, history.isFinished else {
                return Ledger([], effects).verdict(on: report, at: .question)
            }
            do {
                return try await leases.with(payment, as: .visitor) { journal in
                    try await visitor(journal, serviceClient).correct(history, by: report)
                } orElse: {
                    $0
                }
            } catch { return Ledger([], effects).verdict(on: report, at: .question) }
        }
        return nil
    }

    /// Returns the outcome to state if the service reports `report`.
    func verdict(
        on report: CheckedReport, of payment: PaymentReference, until end: Date? = nil, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> PaymentOutcome {
        let identity = serviceClient.identity
        guard report.deniesPayment else {
            // A payment that is paid or open is stated even without the journal.
            let isHandled = report.affirmsPayment && identity.isMerchants
            let records = isHandled ? try? await identity.records(of: payment, in: effects.journal) : nil
            return identity.ledger(records ?? [], effects).verdict(on: report, at: .question)
        }
        return try await denial(of: payment) { journal in
            let outcome = try await recorded(report, of: payment, until: end, serviceClient)
            switch outcome {
            // A payer that is still choosing here pays nothing any more.
            case .cancelled, .expired: await journal.steps.endPayment()
            default: break
            }
            return outcome
        } inUse: { () async throws(PaymentError) in
            try await recorded(report, of: payment, until: end, serviceClient)
        }
    }

    /// Returns the outcome of a payment that is to be denied, from `state`. That runs under the payment's lease and in
    /// turn, so nothing is begun in the meantime. If another process is at the payment, the outcome is unknown.
    ///
    /// - Parameter known: returns the outcome without the lease, which is stated if it does not deny the payment.
    private func denial(
        of payment: PaymentReference, _ state: @Sendable (LeasedJournal) async throws -> PaymentOutcome,
        inUse known: (() async throws(PaymentError) -> PaymentOutcome)? = nil
    ) async throws(PaymentError) -> PaymentOutcome {
        do {
            return try await leases.with(payment, as: .visitor, waiting: false) { journal in
                try await journal.inTurn { try await state(journal) }
            } orElse: {
                $0
            }
        } catch let failure as PaymentError where failure.code == .inUse {
            // No record shows yet that a payer is choosing in another process.
            if let outcome = try await known?(), !outcome.deniesPayment { return outcome }
            let message = "another process is at this payment, and may be about to pay it; ask again later"
            return .unknown(UnknownOutcome(reference: payment, message: message))
        } catch {
            throw PaymentError(thrown: error, at: payment.provider)
        }
    }

    /// Returns the outcome to state by the journal if the service denies a payment.
    private func recorded(
        _ report: CheckedReport, of payment: PaymentReference, until end: Date?, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> PaymentOutcome {
        serviceClient.identity.ledger(try await records(of: payment, until: end, serviceClient), effects)
            .verdict(on: report, at: .question)
    }

    /// Returns the journal's records of everything that may have moved the money of a payment, also under another name,
    /// and of its capture, cancellation and refunds.
    func records(
        of payment: PaymentReference, until end: Date? = nil, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> [AttemptHistory] {
        var histories = try await journaled(at: payment.provider, .answered) {
            try await serviceClient.identity.records(of: payment, in: $0)
        }
        if serviceClient.identity.hasAliases {
            let ends = end.map { [$0] } ?? histories.compactMap(\.attempt.expiresAt)
            histories += try await journaled(at: payment.provider, .answered) { try await $0.unfinished() }.filter {
                ($0.mayHaveMovedMoney || !effects.isSound($0))
                    && serviceClient.identity.mayBe(payment, until: ends, $0.attempt)
            }
        }
        return histories
    }

    /// Asks for the outcome of a payment under the name by which its merchant's service knows it.
    package func status(
        of payment: PaymentReference, askedAs name: PaymentReference, as payer: Payer = Payer()
    ) async throws(PaymentError) -> PaymentOutcome {
        let outcome = try await status(of: name, as: payer)
        guard name != payment, outcome.deniesPayment else { return outcome }
        let histories = try await journaled(at: payment.provider, .answered) { try await $0.histories(of: payment) }
        return Ledger(histories, effects).verdict(on: try CheckedReport(outcome.report, of: name), at: .otherName)
    }

    // MARK: Before and after

    /// A caller's consent to what a link leaves open.
    struct Consent {
        /// To a link that does not prove its destination.
        let unverified: Bool
        /// To a text with a part that is not known and could change the payment.
        let unclear: Bool
    }

    /// Returns the id of the payment or payee of `route`. The only place that decides on trust.
    ///
    /// - Throws: ``PaymentError``; `untrustedLink`, `unclearText`, `notAPayment`.
    func trustedID(
        in route: Route, _ consent: Consent = Consent(unverified: false, unclear: false)
    ) throws(PaymentError) -> String {
        switch route.match.trust {
        case .unverified(let reason) where !consent.unverified:
            throw PaymentError(.untrustedLink, "the link is not trusted: \(reason)", provider: route.provider)
        case .unclear(let reason) where !consent.unclear:
            throw PaymentError(
                .unclearText, "the text is not clear: \(reason); ask the payee for another one",
                provider: route.provider)
        default: break
        }
        guard route.match.role == .payment, let id = route.match.reference else {
            throw PaymentError(.notAPayment, "the link does not ask for a payment", provider: route.provider)
        }
        return id
    }

    /// Returns the question about the payment of `route`.
    ///
    /// - Throws: ``PaymentError``; `untrustedLink`, `unclearText`, `notAPayment`.
    func quoteRequest(
        _ route: Route, _ consent: Consent, for intent: PaymentIntent? = nil
    ) throws(PaymentError) -> QuoteRequest {
        let id = try trustedID(in: route, consent)
        guard route.match.payee != nil else {
            return QuoteRequest(
                link: route.link, match: route.match, reference: PaymentReference(provider: route.provider, id: id))
        }
        guard let index = registry.index(of: route.provider), registry.services[index] is any PayeeProvider else {
            throw PaymentError(
                .providerFault, "the provider's link names a payee, but the provider cannot distinguish payees",
                provider: route.provider)
        }
        // If no key decides the name, it is enough that it has never been drawn before.
        let name =
            intent?.payment(to: id, effects.random)
            ?? PaymentIdentity.name(ofPaymentTo: id, effects.random.hex(PaymentIdentity.drawnDigits))
        let drawn = PaymentReference(provider: route.provider, id: name)
        return QuoteRequest(link: route.link, match: route.match, reference: drawn)
    }

    /// Refuses a success that belongs to another link with the same name: a payment that this start joined, or that
    /// another router made in the meantime.
    func checkedOwn(
        _ outcome: PaymentOutcome, of payment: PaymentReference, _ link: PaymentLink?, _ serviceClient: ServiceClient
    ) async throws(PaymentError) -> PaymentOutcome {
        guard case .succeeded = outcome, serviceClient.identity.reusesNames else { return outcome }
        let histories = try await journaled(at: payment.provider, .maybeSent) { try await $0.histories(of: payment) }
        for history in histories {
            guard case .succeeded? = history.outcome else { continue }
            try serviceClient.identity.distinguish(link, from: history.attempt)
        }
        return outcome
    }

    func serviceClient(for id: ProviderID, payer: Payer) throws(PaymentError) -> ServiceClient {
        guard let index = registry.index(of: id) else {
            throw PaymentError(.unroutable, "no provider called \(id) is registered")
        }
        return ServiceClient(registry.services[index], registry.descriptors[index], payer: payer, effects: effects)
    }

    /// Reads the journal.
    ///
    /// - Parameter phase: the known phase of the payment when the journal fails, whichever journal it is.
    func journaled<Value>(
        at provider: ProviderID? = nil, _ phase: PaymentError.Phase = .beforeSend,
        _ read: (any PaymentJournal) async throws -> Value
    ) async throws(PaymentError) -> Value {
        do { return try await read(effects.journal) } catch {
            throw PaymentError(
                .journal, "the journal failed: \(error)", provider: provider, phase: phase, cause: error)
        }
    }
}

/// The router's outside effects.
struct RouterEffects: Sendable {
    let transport: any HTTPTransport
    let journal: any PaymentJournal
    let clock: any PaymentClock
    let random: any RandomSource
    let secrets: any SecretStore
    let log: PaymentLog
    let journalKey: JournalKey?
    let autoPay: AutoPay?
    /// The listeners to events.
    let listeners = EventListeners()

    /// Returns true if a record of the journal was written by a router with the same key. Without a key every record
    /// counts as sound.
    func isSound(_ history: AttemptHistory) -> Bool { journalKey?.isSound(history) ?? true }

    /// Reports an event to all listeners.
    func emit(
        _ kind: PaymentEvent.Kind, at provider: ProviderID?, _ reference: PaymentReference? = nil,
        _ attempt: AttemptID? = nil
    ) {
        let event = PaymentEvent(
            date: clock.now, provider: provider, reference: reference, attempt: attempt, kind: kind)
        log(event)
        listeners.emit(event)
    }

    /// Reports an event of an attempt to all listeners.
    func emit(_ kind: PaymentEvent.Kind, of attempt: PaymentAttempt) {
        emit(kind, at: attempt.reference.provider, attempt.reference, attempt.id)
    }

    /// Returns the context of one call to a provider or service.
    ///
    /// - Parameters:
    ///   - reference: the payment or refund that the call is about.
    ///   - attempt: the attempt that the call is about.
    ///   - journal: the journal whose lease is kept alive while the provider waits.
    func context(
        for descriptor: ProviderDescriptor, payer: Payer, steps: any StepRunner, about reference: PaymentReference,
        attempt: AttemptID? = nil, journal: LeasedJournal? = nil, link: PaymentLink? = nil
    ) -> ProviderContext {
        let emit = { @Sendable (kind: PaymentEvent.Kind) in self.emit(kind, at: descriptor.id, reference, attempt) }
        var time = clock
        if let journal { time = LeasedClock(base: clock, journal: journal) }
        let hosts = OutboundHosts(descriptor.outboundHosts)
        return ProviderContext(
            http: ObservedTransport(base: GuardedTransport(base: transport, hosts: hosts), emit: emit),
            payer: payer.guarded(for: hosts).observed(by: emit), clock: ObservedClock(base: time, emit: emit),
            random: random, secrets: secrets, link: link, steps: steps
        ) { emit(.note($0)) }
    }
}

extension QuoteRequest {
    /// True if a part of the text could change the payment, and only a person may decide on it.
    var isUnclear: Bool { if case .unclear = match.trust { true } else { false } }
}

extension Ledger {
    /// Creates the ledger of the journal's records, at this time.
    init(_ histories: [AttemptHistory], _ effects: RouterEffects) {
        self.init(histories, now: effects.clock.now, isSound: effects.isSound)
    }
}
