import PaymentCore
import PaymentRouting
import PaymentSandbox
import PaymentStore
import PaymentTransport
import PaymentWallet

/// Pays links with a development wallet at a sandbox, and tells every step.
struct PaymentSession: Sendable {
    /// Hears one step: what kind of step, and what happened.
    typealias Narrator = @Sendable (_ label: String, _ text: String) -> Void

    /// What the payer decides when shown a quote.
    enum Choice: Sendable {
        /// The one that a policy takes.
        case policy(OptionPolicy)
        /// The option of this id.
        case option(PaymentOption.ID)
        /// None.
        case none
    }

    let router: PaymentRouter
    let payer: Payer
    let tell: Narrator

    /// Makes a session with the sandbox at `sandbox`.
    init(
        sandbox: HTTPURL, wallet: DevelopmentWallet, transport: any HTTPTransport,
        journal: any PaymentJournal = InMemoryJournal(), tell: @escaping Narrator
    ) throws {
        self.tell = tell
        var payer = SandboxPayer.make(wallet, at: sandbox, over: transport)
        payer.signer = payer.signer.map { NarratingSigner(signer: $0, tell: tell) }
        self.payer = payer
        router = PaymentRouter(
            registry: try Installation.registry(sandbox: sandbox), transport: transport, journal: journal,
            readers: Installation.readers, secrets: SandboxSecrets(sandbox: sandbox, transport: transport),
            log: PaymentLog { Self.tell($0, tell) })
    }

    /// Pays what `text` asks for. Never throws: every ending is a result.
    func pay(_ text: String, choice: Choice = .policy(.firstWhateverItCosts), trustsLink: Bool = false) async
        -> PaymentResult
    {
        var result = PaymentResult(router.route(text).shown(text))
        do {
            result.end(try await outcome(text, choice, trustsLink, &result))
        } catch let error as PaymentError {
            result.end(error)
        } catch {
            result.reason = "\(error)"
        }
        return result
    }

    private func outcome(
        _ text: String, _ choice: Choice, _ trustsLink: Bool, _ result: inout PaymentResult
    ) async throws -> PaymentOutcome {
        let decision = router.route(text)
        tell("route", decision.explanation)
        guard case .matched(let route) = decision else {
            throw PaymentError(.unroutable, decision.explanation)
        }
        result.provider = route.provider.rawValue
        result.reference = route.match.reference
        if case .unverified(let reason) = route.match.trust, !trustsLink {
            throw PaymentError(
                .untrustedLink, "the link is not trusted: \(reason); pass --trust-host if you know where it comes from")
        }
        let quote = try await router.quote(route, as: payer, acceptingUnverified: trustsLink)
        result.payee = quote.payee.name
        result.amount = quote.amount
        tell(
            "quote",
            "\(Printable.name(quote.payee.name)) asks for \(quote.amount?.description ?? "an amount it does not state")"
        )
        if let outcome = quote.outcome {
            tell("note", "the payment is \(outcome.isFinal ? "over" : "under way") already; nothing is sent")
            result.wasBegunBefore = true
            return outcome
        }
        for option in quote.options { tell("option", Self.describe(option)) }
        let id: PaymentOption.ID
        switch choice {
        case .none: return .cancelled
        case .option(let chosen): id = chosen
        case .policy(let policy):
            let usable = quote.options.count(where: \.unmet.isEmpty)
            guard usable > 0 else {
                let why =
                    quote.options.isEmpty
                    ? "none of the wallet's accounts can pay this" : "every option needs more than the wallet can do"
                return .declined(DeclineReason(.noUsableOption, why))
            }
            switch policy.choice(from: quote) {
            case .none(let why): return .declined(DeclineReason(.outsidePolicy, "no option is taken: \(why)"))
            case .option(let option): id = option.id
            }
            if usable > 1 {
                result.choiceRemark =
                    "'\(id)' is the first of \(usable) options that can be paid; --option names another"
            }
        }
        result.amount = quote.options.first { $0.id == id }?.amount ?? result.amount
        tell("choice", result.choiceRemark ?? id)
        return try await router.pay(quote, option: id, as: payer)
    }

    private static func describe(_ option: PaymentOption) -> String {
        let needs = option.unmet.isEmpty ? "" : ", needs " + option.unmet.map(\.description).joined(separator: ", ")
        return "\(Printable.name(option.id)): \(Printable.name(option.title)), \(option.amount.decimalText)\(needs)"
    }

    private static func tell(_ event: PaymentEvent, _ tell: Narrator) {
        switch event.kind {
        case .stepStarted: tell("step", "\(event.message) …")
        case .stepFinished: tell("done", event.message)
        case .stepReplayed: tell("done", "\(event.message) (from the journal)")
        case .note: tell("note", event.message)
        case .outcome: break
        }
    }
}
