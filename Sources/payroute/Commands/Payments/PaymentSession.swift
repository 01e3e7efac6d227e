import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTransport
import PaymentWallet
import SandboxSupport

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
    private let vendors: SandboxVendors
    let narrate: Narrator
    /// The payer's own wallet; nil for a development wallet.
    private(set) var wallet: OpenedWallet?
    /// True if only invoices that were agreed on privately are paid.
    private let isPrivateOnly: Bool

    /// Makes a session with the sandbox at `sandbox`.
    ///
    /// - Parameters:
    ///   - names: The DNS resolver of payees' names; nil looks none up.
    ///   - amount: The amount where the payee leaves it open; nil then pays nothing.
    ///   - privately: The settings of private channels over which payees are asked for invoices.
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
        let secrets = ExternalSecrets(
            base: SandboxSecrets(vendors, sandbox: sandbox, transport: transport), providers: external,
            environment: environment)
        let registry = try vendors.registry(
            sandbox: sandbox, privately: privately, allowing: allowedTokens, names: names, with: external)
        self.init(
            vendors, payer, amount: amount, isPrivateOnly: privately?.isOnly ?? false, narrate: narrate,
            router: PaymentRouter(
                registry: registry, transport: external.network(transport), journal: journal,
                readers: Installation.readers, clock: clock, secrets: secrets,
                log: PaymentLog { Self.narrate($0, narrate) }, autoPay: autoPay))
    }

    /// Makes a session that pays with a wallet of the payer's own, and with nothing else.
    ///
    /// - Parameters:
    ///   - names: The DNS resolver of payees' names; nil looks none up.
    ///   - amount: The amount where the payee leaves it open; nil then pays nothing.
    init(
        _ vendors: SandboxVendors, wallet: OpenedWallet, transport: any HTTPTransport, journal: any PaymentJournal,
        names: HTTPURL?, amount: Money?, autoPay: AutoPay?, external: [ExternalProvider],
        environment: @escaping @Sendable (String) -> String?, narrate: @escaping Narrator
    ) throws {
        let settler = wallet.settler.map { NarratingSettler(settler: $0, wallet: wallet, narrate: narrate) }
        let registry = try vendors.registry(names: names, with: external, hasWallet: true)
        self.init(
            vendors, Payer(policy: .firstWhateverItCosts, settler: settler), amount: amount, isPrivateOnly: false,
            narrate: narrate,
            router: PaymentRouter(
                registry: registry, transport: external.network(transport), journal: journal,
                readers: Installation.readers,
                secrets: ExternalSecrets(base: NoSecrets(), providers: external, environment: environment),
                log: PaymentLog { Self.narrate($0, narrate) }, autoPay: autoPay))
        self.wallet = wallet
    }

    private init(
        _ vendors: SandboxVendors, _ payer: Payer, amount: Money?, isPrivateOnly: Bool, narrate: @escaping Narrator,
        router: PaymentRouter
    ) {
        var payer = payer
        if let amount { payer.amountChooser = { _ in amount } }
        (self.vendors, self.payer, self.router) = (vendors, payer, router)
        (self.isPrivateOnly, self.narrate) = (isPrivateOnly, narrate)
    }

    /// Pays what `text` asks for: routes it, requests a quote and, with the choice, pays it, and reports each step.
    /// Never throws: every ending is a result.
    func pay(_ text: String, choice: Choice = .first, trustsLink: Bool = false) async -> PaymentResult {
        let (quote, result) = await self.quote(text, trustsLink: trustsLink)
        guard let quote else { return result }
        narrate(quote)
        return await pay(quote, choice, result)
    }

    /// Pays one period of what recurs, under its own name: by a link that names the payee.
    ///
    /// - Parameter isApproved: True without a question; otherwise it is paid within the router's limits.
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
                try await router.pay(
                    period, as: PlannedPeriod.Order(link: link, option: nil, paysByItself: true), with: payer))
        } catch {
            result.end(error)
        }
        return result
    }

    /// Requests a quote for `text`.
    ///
    /// - Returns: The quote with the result so far; without a quote the result states the reason.
    func quote(_ text: String, trustsLink: Bool = false) async -> (quote: PaymentQuote?, result: PaymentResult) {
        let decision = router.route(text)
        var result = PaymentResult(decision.shown(text))
        narrate(Self.event(decision))
        guard case .matched(let route) = decision else {
            result.end(PaymentError(.unroutable, decision.explanation + NamesOption.remedy(for: decision)))
            return (nil, result)
        }
        result.provider = route.provider.rawValue
        result.reference = route.match.reference
        if isPrivateOnly, let objection = PrivateOption.objection(to: vendors[route.provider], route) {
            result.end(objection)
            return (nil, result)
        }
        do throws(PaymentError) {
            let quote = try await quote(route, trustsLink)
            result.payee = quote.payee.name
            result.amount = quote.amount
            result.wasBegunBefore = quote.outcome != nil
            return (quote, result)
        } catch {
            result.end(error)
            return (nil, result)
        }
    }

    /// Pays a quote that the payer has seen.
    func pay(_ quote: PaymentQuote, _ choice: Choice, _ result: PaymentResult) async -> PaymentResult {
        var result = result
        do throws(PaymentError) {
            result.end(try await pay(quote, choice, &result))
        } catch {
            result.end(error)
        }
        return result
    }

    private func quote(_ route: Route, _ trustsLink: Bool) async throws(PaymentError) -> PaymentQuote {
        do { return try await router.quote(route, as: payer, acceptingUnverified: trustsLink) } catch {
            if error.code == .noChooser {
                throw PaymentError(
                    error.code, "the payee leaves the amount to the payer; say it with --amount, in satoshi",
                    provider: error.provider)
            }
            guard error.code == .untrustedLink else { throw wallet == nil ? error.withSandboxHint : error }
            throw PaymentError(
                error.code, "\(error.message); pass --trust-host if you know where it comes from",
                provider: error.provider)
        }
    }

    private func narrate(_ quote: PaymentQuote) {
        narrate(
            SessionEvent(
                "quote",
                "\(Printable.name(quote.payee.name)) asks for "
                    + (quote.amount.map(AmountText.words) ?? "an amount it does not state"),
                SessionEvent.amount(quote.amount).merging([
                    "payee": .string(quote.payee.name),
                    "expires": quote.expiresAt.map { .string(AttemptSummary.text($0)) } ?? .null,
                ]) { first, _ in first }))
        guard let outcome = quote.outcome else {
            for option in quote.options {
                narrate(SessionEvent("option", Self.describe(option), option.members.object ?? [:]))
            }
            return
        }
        narrate(
            SessionEvent("note", "the payment is \(outcome.isFinal ? "over" : "in progress") already; nothing is sent"))
    }

    private func pay(
        _ quote: PaymentQuote, _ choice: Choice, _ result: inout PaymentResult
    ) async throws(PaymentError) -> PaymentOutcome {
        if let outcome = quote.outcome { return outcome }
        let id: PaymentMethodOption.ID?
        switch choice {
        case .none: id = nil
        case .option(let chosen): id = chosen
        case .asked(let chooser): return try await pay(quote, by: chooser)
        case .withinLimits: return try await pay(quote, by: nil)
        case .first:
            let usable = quote.options.filter(\.unmet.isEmpty)
            id = usable.first?.id
            if let id, usable.count > 1 {
                result.choiceRemark =
                    "'\(id)' is the first of \(usable.count) options that can be paid; --option names another"
            }
        }
        if let id {
            result.amount = quote.options.first { $0.id == id }?.amount ?? result.amount
            narrate(SessionEvent("choice", result.choiceRemark ?? id, ["option": .string(id)]))
        }
        return try await router.pay(quote, option: id, as: payer)
    }

    /// Lets the router choose, by the user's answer or without a question, unless the payment was begun before. The
    /// link was quoted, so its trust is already decided.
    private func pay(
        _ quote: PaymentQuote, by chooser: Payer.Chooser?
    ) async throws(PaymentError) -> PaymentOutcome {
        var payer = payer
        (payer.chooser, payer.policy) = (chooser, nil)
        guard let link = quote.link?.reveal(), case .matched(let route) = router.route(link) else {
            throw PaymentError(.unroutable, "the link of the quote leads nowhere any more")
        }
        return try await router.pay(route, as: payer, acceptingUnverified: true)
    }

    private static func describe(_ option: PaymentMethodOption) -> String {
        let needs = option.unmet.isEmpty ? "" : ", needs " + option.unmet.map(\.description).joined(separator: ", ")
        return
            "\(Printable.name(option.id)): \(Printable.name(option.title)), \(AmountText.words(option.amount))\(needs)"
    }

    private static func narrate(_ event: PaymentEvent, _ narrate: Narrator) {
        switch event.kind {
        case .stepStarted(let name, let kind): narrate(step("step", "\(name) …", name, kind: kind))
        case .stepFinished(let name, let kind): narrate(step("done", name, name, kind: kind))
        case .stepReplayed(let name, let kind):
            narrate(step("done", "\(name) (from the journal)", name, kind: kind, isReplayed: true))
        case .retrying(let retry): narrate(SessionEvent(retry, event.description))
        case .note(let remark): narrate(SessionEvent("note", remark))
        // Already reported by the caller, or of no interest here.
        default: break
        }
    }

    private static func step(
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
        var isVerified = false
        if case .verified = route.match.trust { isVerified = true }
        return SessionEvent(
            "route", decision.explanation,
            [
                "provider": .string(route.provider.rawValue),
                "reference": route.match.reference.map { .string($0) } ?? .null,
                "trust": .string(isVerified ? "verified" : "unverified"),
            ])
    }
}

extension PaymentError {
    /// The error of a call to a sandbox, with a hint where none seems to run.
    var withSandboxHint: PaymentError {
        guard code == .network, phase == .beforeSend else { return self }
        return with(message: "\(message). Is a sandbox running there? Start one with 'payroute sandbox'")
    }
}
