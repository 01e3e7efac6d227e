import PaymentCore
import PaymentReview
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxSupport
import Synchronization

/// Pays links with a development wallet at a sandbox, or with a wallet of the payer's own, and reports every step.
struct PaymentSession: Sendable {
    /// Receives one step.
    typealias Narrator = @Sendable (SessionEvent) -> Void

    /// The payer's decision about a quote.
    enum Choice: Sendable {
        /// The first option that can be paid, whatever it costs. With real money it needs a ``PaymentConsent``.
        case first
        /// The option of this id.
        case option(PaymentMethodOption.ID)
        /// The user's answer to a question, which is asked only if nothing was begun before.
        case asked(Payer.Chooser)
        /// An option within the limits of payments without a question.
        case withinLimits
        /// None.
        case none
    }

    let router: PaymentRouter
    let payer: Payer
    private let seen: SeenEvents
    private let vendors: SandboxVendors
    let narrate: Narrator
    /// The payer's own wallet, or nil for a development wallet.
    private(set) var wallet: OpenedWallet?
    /// True if only invoices that were agreed on privately are paid.
    private let isPrivateOnly: Bool

    /// Makes a session with the sandbox at `sandbox`.
    ///
    /// - Parameters:
    ///   - names: The DNS resolver of payees' names. If nil, no name is looked up.
    ///   - amount: The amount if the payee leaves it open. If nil, nothing is paid then.
    ///   - privately: The settings of the private channels for asking payees for invoices.
    ///   - allowedTokens: Tokens that the wallet may pay although no table knows them.
    init(
        _ vendors: SandboxVendors, sandbox: HTTPURL, wallet: DevelopmentWallet, transport: any HTTPTransport,
        journal: any PaymentJournal = InMemoryJournal(), clock: any PaymentClock = SystemPaymentClock(),
        names: HTTPURL? = nil, amount: Money? = nil, autoPay: AutoPay? = nil, privately: PrivateSettings? = nil,
        allowedTokens: [AssetID] = [], external: [ExternalProvider] = [],
        environment: @escaping @Sendable (String) -> String? = { _ in nil }, narrate: @escaping Narrator
    ) throws {
        var payer = vendors.payer(wallet, at: sandbox, over: transport)
        payer.signer = payer.signer.map { NarratingSigner(signer: $0, narrate: narrate) }
        payer.settler = payer.settler.map { NarratingSettler(settler: $0, narrate: narrate) }
        let seen = SeenEvents()
        let secrets = ExternalSecrets(
            base: AccountSecrets(vendors, sandbox: sandbox, transport: transport), providers: external,
            environment: environment)
        let registry = try vendors.registry(
            sandbox: sandbox, privately: privately, allowing: allowedTokens, names: names, with: external)
        self.init(
            vendors, payer, amount: amount, isPrivateOnly: privately?.isOnly ?? false, seen, narrate: narrate,
            router: PaymentRouter(
                registry: registry, transport: external.network(transport), journal: journal,
                readers: Installation.readers, clock: clock, secrets: secrets,
                log: PaymentLog { seen.take($0, narrate) }, autoPay: autoPay))
    }

    /// Makes a session that pays with a wallet of the payer's own, and with nothing else.
    ///
    /// - Parameters:
    ///   - names: The DNS resolver of payees' names. If nil, no name is looked up.
    ///   - amount: The amount if the payee leaves it open. If nil, nothing is paid then.
    init(
        _ vendors: SandboxVendors, wallet: OpenedWallet, transport: any HTTPTransport, journal: any PaymentJournal,
        names: HTTPURL?, amount: Money?, autoPay: AutoPay?, external: [ExternalProvider],
        environment: @escaping @Sendable (String) -> String?, narrate: @escaping Narrator
    ) throws {
        let seen = SeenEvents()
        let settler = wallet.settler.map { NarratingSettler(settler: $0, wallet: wallet, narrate: narrate) }
        let registry = try vendors.registry(names: names, with: external, hasWallet: true)
        self.init(
            vendors, Payer(policy: .firstWhateverItCosts, settler: settler), amount: amount, isPrivateOnly: false,
            seen, narrate: narrate,
            router: PaymentRouter(
                registry: registry, transport: external.network(transport), journal: journal,
                readers: Installation.readers,
                secrets: ExternalSecrets(base: NoSecrets(), providers: external, environment: environment),
                log: PaymentLog { seen.take($0, narrate) }, autoPay: autoPay))
        self.wallet = wallet
    }

    private init(
        _ vendors: SandboxVendors, _ payer: Payer, amount: Money?, isPrivateOnly: Bool, _ seen: SeenEvents,
        narrate: @escaping Narrator,
        router: PaymentRouter
    ) {
        var payer = payer
        if let amount { payer.amountChooser = { _ in amount } }
        (self.vendors, self.payer, self.router) = (vendors, payer, router)
        (self.isPrivateOnly, self.seen, self.narrate) = (isPrivateOnly, seen, narrate)
    }

    /// Pays what `text` asks for, and reports each step. Never throws: every ending is a result.
    func pay(_ text: String, choice: Choice = .first, trustsLink: Bool = false, acceptsUnclear: Bool = false) async
        -> PaymentResult
    {
        let (route, result) = await self.route(text)
        guard route != nil else { return result }
        return await carryOut(
            text, choice, trustsLink: trustsLink, acceptsUnclear: acceptsUnclear, quote: nil, result)
    }

    /// Pays an option of a quote that the payer has seen.
    func pay(
        _ text: String, _ quote: PaymentQuote, option: PaymentMethodOption.ID, acceptsUnclear: Bool,
        _ result: PaymentResult
    ) async -> PaymentResult {
        await carryOut(text, .option(option), trustsLink: true, acceptsUnclear: acceptsUnclear, quote: quote, result)
    }

    /// Pays one period of a recurring payment under the period's own name, by a link that names the payee.
    ///
    /// - Parameter isApproved: True to pay without a question. Otherwise it is paid within the router's limits.
    func pay(_ asked: AskedPayment.Period, at link: String, isApproved: Bool) async -> PaymentResult {
        let decision = router.route(link)
        var result = PaymentResult(decision.shown(link))
        narrate(Self.event(decision))
        result.provider = asked.reference.provider.rawValue
        result.reference = asked.reference.id
        result.amount = asked.amount
        let period = PlannedPeriod(
            asked.reference, amount: asked.amount, period: asked.period, attempts: 1, isApproved: isApproved)
        do throws(PaymentError) {
            result.end(
                .stated(
                    try await router.pay(
                        period, as: PlannedPeriod.Order(link: link, option: nil, paysByItself: true), with: payer)))
        } catch {
            result.end(await router.statement(on: error, of: asked.reference))
        }
        return result
    }

    /// Requests a quote for `text`.
    ///
    /// - Returns: The quote with the result so far. Without a quote, the result states the reason.
    func quote(_ text: String, trustsLink: Bool = false, acceptsUnclear: Bool = false) async -> (
        quote: PaymentQuote?, result: PaymentResult
    ) {
        var (route, result) = await route(text)
        guard let route else { return (nil, result) }
        do throws(PaymentError) {
            seen.begin(narratesQuote: false)
            let quote = try await router.quote(
                route, as: payer, acceptingUnverified: trustsLink, acceptingUnclear: acceptsUnclear)
            result.payee = quote.payee.name
            result.amount = quote.amount
            return (quote, result)
        } catch {
            let payment = result.reference.map { PaymentReference(provider: route.provider, id: $0) }
            result.end(await router.statement(on: remedied(error), of: payment))
            return (nil, result)
        }
    }

    /// Routes `text`.
    ///
    /// - Returns: The route with the result so far. Without a route, the result states the reason.
    private func route(_ text: String) async -> (route: Route?, result: PaymentResult) {
        let decision = router.route(text)
        var result = PaymentResult(decision.shown(text))
        narrate(Self.event(decision))
        guard case .matched(let route) = decision else {
            let error = PaymentError(.unroutable, decision.explanation + NamesOption.remedy(for: decision))
            result.end(await router.statement(on: error, of: nil))
            return (nil, result)
        }
        result.provider = route.provider.rawValue
        result.reference = route.match.reference
        if isPrivateOnly, let objection = PrivateOption.objection(to: vendors[route.provider], route) {
            result.end(await router.statement(on: objection, of: nil))
            return (nil, result)
        }
        return (route, result)
    }

    private func carryOut(
        _ text: String, _ choice: Choice, trustsLink: Bool, acceptsUnclear: Bool, quote: PaymentQuote?,
        _ result: PaymentResult
    ) async -> PaymentResult {
        var (result, payer) = (result, payer)
        var intent = PaymentIntent(of: text, key: nil, acceptsUnverified: trustsLink, acceptsUnclear: acceptsUnclear)
        (payer.chooser, payer.policy) = (nil, nil)
        switch choice {
        case .none: payer.chooser = { _ in nil }
        case .option(let id): intent.choice = .option(id)
        case .asked(let chooser): payer.chooser = chooser
        case .withinLimits: break
        case .first:
            payer.chooser = { [seen] quote in
                let usable = quote.options.filter(\.unmet.isEmpty)
                if let id = usable.first?.id, usable.count > 1 {
                    seen.remark(
                        "'\(id)' is the first of \(usable.count) options that can be paid; --option names another")
                }
                return usable.first?.id
            }
        }
        seen.begin(narratesQuote: quote == nil)
        let statement = await router.carryOut(intent, quote: quote, as: payer)
        let events = seen.end()
        result.choiceRemark = events.remark
        result.payee = events.quote?.payee.name ?? result.payee
        result.amount = events.option?.amount ?? events.quote?.amount ?? result.amount
        // A payee's payment has its own name, for questions about it and for resuming it.
        result.reference = events.payment?.id ?? result.reference
        result.attempt = events.attempt
        result.wasBegunBefore = !events.hasBegun && (events.quote?.options.isEmpty ?? true) && statement.isOfService
        if result.wasBegunBefore, case .stated(let outcome) = statement {
            let state = outcome.isFinal ? "over" : "in progress"
            narrate(SessionEvent("note", "the payment is \(state) already; nothing is sent"))
        }
        result.end(statement)
        if case .notBegun(let error) = statement { result.reason = remedied(error.fact).message }
        return result
    }

    /// Returns the error with its remedy on the command line.
    private func remedied(_ error: PaymentError) -> PaymentError {
        switch error.code {
        case .noChooser:
            error.with(message: "the payee leaves the amount to the payer; say it with --amount, in satoshi")
        case .untrustedLink:
            error.with(message: "\(error.message); pass --trust-host if you know where it comes from")
        case .unclearText:
            error.with(message: "\(error.message), or pass --accept-unclear if you know what is paid")
        default: wallet == nil ? error.withSandboxHint : error
        }
    }

    fileprivate static func describe(_ option: PaymentMethodOption) -> String {
        let needs = option.unmet.isEmpty ? "" : ", needs " + option.unmet.map(\.description).joined(separator: ", ")
        return
            "\(Printable.name(option.id)): \(Printable.name(option.title)), \(AmountText.words(option.amount))\(needs)"
    }

    fileprivate static func step(
        _ label: String, _ text: String, _ name: String, kind: StepKind, isReplayed: Bool = false
    ) -> SessionEvent {
        var members: [String: JSONValue] = [
            "step": .string(name), "kind": .string(kind.rawValue), "fromJournal": .bool(isReplayed),
        ]
        if case .signature(let end) = kind {
            members["kind"] = "signature"
            members["until"] = .string(AttemptSummary.text(end))
        }
        return SessionEvent(label, text, members)
    }

    /// The decision about the link.
    private static func event(_ decision: RouteDecision) -> SessionEvent {
        guard case .matched(let route) = decision else { return SessionEvent("route", decision.explanation) }
        return SessionEvent(
            "route", decision.explanation,
            [
                "provider": .string(route.provider.rawValue),
                "reference": route.match.reference.map { .string($0) } ?? .null,
                "trust": .string(RouteReport.word(for: route.match.trust)),
            ])
    }
}

// MARK: - Events

/// One step of a session: a line for people, and members for programs.
struct SessionEvent: Sendable {
    /// The kind: `route`, `quote`, `option`, `choice`, `step`, `done`, `retry`, `sign`, `does`, `settle`, `payee`,
    /// `note`.
    let label: String
    /// Sentences about it for people, one line each.
    let lines: [String]
    /// The same as values: names, exact amounts with their unit, kinds of steps.
    var members: [String: JSONValue] = [:]

    init(_ label: String, _ text: String, _ members: [String: JSONValue] = [:]) {
        self.init(label, lines: [text], members)
    }

    init(_ label: String, lines: [String], _ members: [String: JSONValue] = [:]) {
        self.label = label
        self.lines = lines
        self.members = members
    }

    /// The event that shows the effects of the wallet calls before the first of them is signed: `effects`, `warnings`
    /// and `digest` are those of `payroute review`.
    init(effectsOf review: SigningReview?) {
        let verdict = review.map { ReviewVerdict.approved($0).json }
        self.init(
            "does", lines: review?.lines ?? ["what this does was not reviewed"],
            [
                "digest": verdict?["digest"] ?? .null, "effects": verdict?["effects"] ?? [],
                "warnings": verdict?["warnings"] ?? [.string(SigningReview.Warning.unreviewed.rawValue)],
            ])
    }

    /// The event of a request that is sent again after a pause.
    init(_ retry: RequestRetry, _ text: String) {
        // Its length may come from a service.
        let milliseconds = JSONNumber(Int64(min(retry.pause / .milliseconds(1), 1e15)))
        self.init(
            "retry", text,
            [
                "origin": .string(retry.origin), "pauseInMs": .number(milliseconds), "reason": .string(retry.reason),
            ])
    }

    /// The object of `pay --json`.
    var json: [String: JSONValue] {
        members.merging(["event": .string(label), "message": .string(lines.joined(separator: " "))]) { _, own in own }
    }

    /// The members of an amount: the exact number in main units, and the unit. Both are null if the amount is open.
    static func amount(_ amount: Money?) -> [String: JSONValue] {
        [
            "amount": amount.map { .string($0.decimalText) } ?? .null,
            "unit": amount.map { .string($0.currency.mainUnit) } ?? .null,
        ]
    }
}

/// The router's events of one payment: reported as steps, and kept for its result.
private final class SeenEvents: Sendable {
    struct Events: Sendable {
        var quote: PaymentQuote?
        /// The option that was chosen from the last quote.
        var chosen: PaymentMethodOption?
        /// The option of an attempt that was resumed.
        var continued: PaymentMethodOption?
        var option: PaymentMethodOption? { chosen ?? continued }
        var payment: PaymentReference?
        var attempt: AttemptID?
        /// True if an attempt began, or was resumed.
        var hasBegun = false
        /// The remark about a choice without a question.
        var remark: String?
        var narratesQuote = true
    }

    private let events = Mutex(Events())

    /// Begins another payment.
    func begin(narratesQuote: Bool) { events.withLock { $0 = Events(narratesQuote: narratesQuote) } }

    /// Returns the events of the payment so far.
    func end() -> Events { events.withLock { $0 } }

    func remark(_ text: String) { events.withLock { $0.remark = text } }

    func take(_ event: PaymentEvent, _ narrate: PaymentSession.Narrator) {
        let seen = events.withLock { seen in
            if let reference = event.reference, reference.isPayment { seen.payment = reference }
            if let attempt = event.attempt { seen.attempt = attempt }
            switch event.kind {
            // A choice from an earlier quote no longer holds. An attempt that was begun before any quote does.
            case .quoted(let quote): (seen.quote, seen.chosen) = (quote, nil)
            case .chosen(let option): seen.chosen = option
            case .continued(let option): seen.continued = option
            default: break
            }
            switch event.kind {
            case .began, .continued: seen.hasBegun = true
            default: break
            }
            return seen
        }
        switch event.kind {
        case .quoted(let quote) where seen.narratesQuote: Self.narrate(quote, narrate)
        case .chosen(let option):
            narrate(SessionEvent("choice", seen.remark ?? option.id, ["option": .string(option.id)]))
        case .stepStarted(let name, let kind):
            narrate(PaymentSession.step("step", "\(name) …", name, kind: kind))
        case .stepFinished(let name, let kind): narrate(PaymentSession.step("done", name, name, kind: kind))
        case .stepReplayed(let name, let kind):
            narrate(PaymentSession.step("done", "\(name) (from the journal)", name, kind: kind, isReplayed: true))
        case .retrying(let retry): narrate(SessionEvent(retry, event.description))
        case .note(let remark): narrate(SessionEvent("note", remark))
        case .corrected: narrate(SessionEvent("note", event.description))
        // Already reported by the caller, or of no interest here.
        default: break
        }
    }

    private static func narrate(_ quote: PaymentQuote, _ narrate: PaymentSession.Narrator) {
        narrate(
            SessionEvent(
                "quote",
                "\(Printable.name(quote.payee.name)) asks for "
                    + (quote.amount.map(AmountText.words) ?? "an amount it does not state"),
                SessionEvent.amount(quote.amount).merging([
                    "payee": .string(quote.payee.name),
                    "expires": quote.expiresAt.map { .string(AttemptSummary.text($0)) } ?? .null,
                ]) { first, _ in first }))
        for option in quote.options {
            narrate(SessionEvent("option", PaymentSession.describe(option), option.members.object ?? [:]))
        }
    }
}

// MARK: - Handlers that report

/// A settler that first reports the payment, and the money that pays it, and then the words of the payee's service.
struct NarratingSettler: PaymentSettler {
    let settler: any PaymentSettler
    /// The wallet whose money it is, or nil for simulated money.
    var wallet: OpenedWallet?
    let narrate: PaymentSession.Narrator

    var name: String { settler.name }
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money? {
        settler.feeLimit(for: amount, to: kind)
    }
    func register(_ name: String) async throws { try await settler.register(name) }
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
        settler.canSettle(kind, on: network)
    }

    func order(named name: String) async throws -> SettlementOrder? {
        let order = try await settler.order(named: name)
        if let order { await reportMessage(name, order.state) }
        return order
    }

    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder? {
        try await settler.order(paying: endpoint)
    }

    func abandon(_ name: String) async throws -> SettlementState { try await settler.abandon(name) }
    func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await settler.end(name, because: evidence)
    }

    func settle(_ settlement: Settlement) async throws -> SettlementState {
        let text = settlement.endpoint.text
        let place = text.utf8.count > 40 ? "\(text.prefix(16))…\(text.suffix(8))" : text
        narrate(
            SessionEvent(
                "settle",
                "\(AmountText.words(settlement.amount)) to \(Printable.text(place)): \(money)",
                SessionEvent.amount(settlement.amount)))
        let state = try await settler.settle(settlement)
        await reportMessage(settlement.key, state)
        return state
    }

    private var money: String {
        wallet.map { "from \(Printable.text($0.name))" } ?? "simulated, no real funds move"
    }

    /// Reports the message of the payee's service. Only one call states that the payment is made, so it is reported
    /// once.
    private func reportMessage(_ name: String, _ state: SettlementState) async {
        guard case .settled = state, let message = await wallet?.message(name) else { return }
        let parts = [message.text, message.page, message.secret].compactMap(\.self).map {
            Printable.text($0, limit: 4096)
        }
        narrate(
            SessionEvent(
                "payee", "says: " + parts.joined(separator: " "),
                [
                    "text": .string(message.text), "page": message.page.map { .string($0) } ?? .null,
                    "secret": message.secret.map { .string($0) } ?? .null,
                ]))
    }
}

/// A signer that first shows the effects of signing.
struct NarratingSigner: PaymentSigner {
    let signer: any PaymentSigner
    let narrate: PaymentSession.Narrator

    func supports(method: String) -> Bool { signer.supports(method: method) }

    func sign(_ request: SigningRequest) async throws -> String {
        narrate(
            SessionEvent(
                "sign", "\(request.index + 1) of \(request.count): \(request.method)",
                [
                    "number": .number(JSONNumber(request.index + 1)), "of": .number(JSONNumber(request.count)),
                    "method": .string(request.method),
                ]))
        // The whole list is shown before its first signature.
        if request.index == 0 {
            narrate(SessionEvent(effectsOf: request.review))
        }
        return try await signer.sign(request)
    }
}

extension PaymentStatement {
    /// True if it is the service's or the journal's, and not the payer's own refusal.
    fileprivate var isOfService: Bool {
        switch self {
        case .stated(.declined(let reason)): ![.noUsableOption, .outsidePolicy, .overLimit].contains(reason.code)
        case .stated: true
        default: false
        }
    }
}

extension PaymentError {
    /// The error of a call to a sandbox, with a hint if none seems to run.
    var withSandboxHint: PaymentError {
        guard code == .network, phase == .beforeSend else { return self }
        return with(message: "\(message). Is a sandbox running there? Start one with 'payroute sandbox'")
    }
}
