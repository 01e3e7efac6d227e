package import PaymentCore
import Synchronization

/// The one flow of an order, for the router and for the vendor's client alike: who takes it, whether the charge is what was
/// agreed, the payer's consent, the confirmation, and the payer's way to the wallet and back.
///
/// Two things are given to it, in which they differ: a context, which keeps the steps in a journal or in memory, and a
/// ``PayerDesk``. Whatever protects a payer is done here, and so for both. No step's result holds the charge token, the
/// access token or what stands for the payer's consent: those live as long as the run.
package struct OrderFlow: Sendable {
    /// The payment, as the router calls it.
    package let payment: PaymentReference
    /// The payment method.
    let method: String
    /// The order; nil when an attempt goes on without its link, and can only be settled.
    let order: Order?
    /// What was agreed.
    package let terms: ChargeTerms
    /// What a return may name.
    let names: GivenNames
    let gateways: CitconConfiguration.Gateways
    let context: ProviderContext
    let desk: any PayerDesk
    /// Hears that the charge is confirmed, before anything is made of it.
    let hasConfirmed: @Sendable (CitconService.Answer) -> Void
    private let base: CitconService
    private let memory = RunMemory()

    /// Creates the flow of one order.
    ///
    /// - Parameter service: the service, over the network of `context`.
    package init(
        _ payment: PaymentReference, method: String, order: Order?, terms: ChargeTerms, names: GivenNames,
        gateways: CitconConfiguration.Gateways, service: CitconService, context: ProviderContext, desk: any PayerDesk,
        hasConfirmed: @escaping @Sendable (CitconService.Answer) -> Void = { _ in }
    ) {
        self.payment = payment
        self.method = method
        self.order = order
        self.terms = terms
        self.names = names
        self.gateways = gateways
        self.context = context
        self.desk = desk
        self.hasConfirmed = hasConfirmed
        var base = service.hiding(order?.chargeToken)
        if let order { base.secrets = base.secrets.and(of: order.body.reveal()) }
        self.base = base
    }

    /// What is kept of a confirmed charge.
    package struct Confirmed: Codable, Sendable {
        /// The service's id of the charge, by which inquiries are documented.
        package let id: String?
        /// What the payer is sent to.
        package let launch: Launch
    }

    /// How far an order came.
    package enum Progress: Sendable {
        /// The charge was over before it was confirmed here.
        case over(PaymentOutcome)
        /// It is confirmed: now, or in an earlier run.
        case confirmed(Confirmed, GatewayHandler, isFresh: Bool)
    }

    /// The service's latest word on the charge in this run, whole.
    package var answer: CitconService.Answer? { memory[\.answer] }

    /// What stopped the flow, when `error` came out of it.
    package func setback(_ error: any Error) -> Setback {
        if error is PaymentError, let known = memory[\.setback] { return known }
        return Setback(foreign: error, at: payment.provider)
    }

    /// The service, whose answers are rid of this order's secrets.
    private var service: CitconService {
        var service = base.hiding(consent?.value)
        service.secrets.add(consent?.details.reveal().values.map { Redacted($0) } ?? [])
        return service
    }

    /// What is asked of the payer and never stored.
    private enum Asked {
        static let consent = "consent"
        static let arrival = "arrival"
    }

    /// What stands for the payer's consent, when it was given in this run.
    private var consent: Consent? { context.answer(to: Asked.consent) }

    // MARK: Up to the confirmation

    /// Confirms the order's charge, once.
    package func confirm() async throws -> Progress {
        let gateway = try await step("look up the gateway", .query) {
            do throws(OrderFailure) { try order?.checkAtStart() } catch {
                throw Setback(self.error(.unsupported, OrderProblem.text(of: error)), error)
            }
            return try await lookUp(for: order).gateway
        }
        guard let handler = gateways.handler(of: gateway) else {
            throw stopped(
                Setback(
                    error(.unsupported, OrderProblem.unsupported(method)),
                    OrderFailure(VendorText.unsupportedGateway + gateway)))
        }
        desk.begin(handler)
        if handler.asksFirst {
            let outcome = try await compare()
            if outcome.isFinal { return .over(outcome) }
            try await askForConsent(handler)
        }
        let isFresh = Mutex(false)
        let confirmed = try await step("confirm", .mutation(replay: .never)) {
            isFresh.withLock { $0 = true }
            return try await confirm(handler)
        }
        return .confirmed(confirmed, handler, isFresh: isFresh.withLock { $0 })
    }

    private func lookUp(for order: Order?) async throws -> GatewayConfig {
        do throws(CitconCallError) {
            let config = try await service.config(method: method, consumer: order?.consumer)
            memory[\.config] = config
            return config
        } catch {
            throw Setback(error, isMutation: false, at: payment.provider)
        }
    }

    /// Where confirming takes the money: makes sure that the charge is what was agreed.
    ///
    /// An order that an application made itself goes on when the service does not tell: nobody documents that it does, and
    /// the answer to the confirmation is compared in any case. A link may come from anywhere, so its charge has to be told.
    private func compare() async throws -> PaymentOutcome {
        try await step("compare with the charge", .query) {
            guard let name = terms.reference, !name.isEmpty else { return .pending(retryAfter: nil) }
            let answer: CitconService.Answer
            do throws(CitconCallError) { answer = try await service.inquire(reference: name) } catch {
                if order?.isFromLink == false, case .refused(let refusal) = error, refusal.isRefusal {
                    return .pending(retryAfter: nil)
                }
                throw Setback(error, isMutation: false, at: payment.provider)
            }
            let words = OrderFailure(VendorText.invalidContent)
            do throws(PaymentError) {
                if let member = terms.difference(from: answer.transaction) {
                    throw self.error(
                        .integrity, "the charge is about something else than the order: its '\(member)' differs")
                }
                let outcome = try answer.transaction.outcome(of: payment, over: terms)
                if outcome.isFinal { memory[\.answer] = answer }
                return outcome
            } catch {
                throw Setback(self.error(error.code, error.message, phase: .answered), words)
            }
        }
    }

    private func askForConsent(_ handler: GatewayHandler) async throws {
        _ = try await step("ask for consent", .interaction) {
            guard let order else { throw missingLink }
            guard order.lacksConsent(for: handler) else { return true }
            var config = memory[\.config]
            if config == nil { config = try await lookUp(for: order) }
            guard let config else { return false }
            do throws(OrderFailure) { try order.check(config, for: handler) } catch {
                throw Setback(self.error(.unsupported, OrderProblem.text(of: error)), error)
            }
            let request = order.consentRequest(config, handler, desk.places)
            _ = try await context.ask(Asked.consent) {
                let back = try await desk.consent(request)
                try back?.check(GivenNames(order), at: payment.provider, phase: .beforeSend)
                guard let given = back?.consent else {
                    throw Setback(
                        error(.payer, "\(request.name) came back without the payer's consent; nothing was charged"),
                        OrderFailure(missingConsentIn: back))
                }
                return given
            }
            return true
        }
    }

    // MARK: The confirmation

    private func confirm(_ handler: GatewayHandler) async throws -> Confirmed {
        guard var order else { throw missingLink }
        do throws(OrderFailure) { try order.check(for: handler) } catch {
            throw Setback(self.error(.unsupported, OrderProblem.text(of: error)), error)
        }
        if order.lacksConsent(for: handler) {
            guard let consent else {
                throw error(.payer, "the payer's consent was not kept over an interruption; pay the link again")
            }
            order = order.adding(consent, from: handler)
        }
        if handler == .klarna { order = order.askingForPage }
        try desk.check(handler.appName.map { .app(name: $0) } ?? .page)
        guard let token = order.chargeToken else { throw missingLink }
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await service.confirm(token, order.body) } catch {
            throw await setback(after: error, order, handler)
        }
        memory[\.answer] = answer
        let charge = answer.transaction
        if let member = order.terms.difference(fromConfirmed: charge) {
            // Gateways that take the money at once have taken it; the others only say how the payer is sent to pay.
            let mayHavePaid = handler.mayPayAtConfirm || charge.state != .initiated
            let words = OrderFailure(VendorText.invalidContent)
            let warning = OrderFailure("\(words.message): \(ChargeTerms.warning(member))")
            throw Setback(
                error(.integrity, ChargeTerms.warning(member), phase: .maybeSent), words,
                warning: mayHavePaid ? warning : nil)
        }
        hasConfirmed(answer)
        do throws(OrderFailure) {
            return Confirmed(id: charge.id, launch: try Launch(handler, order, charge, at: service.baseURL))
        } catch {
            let warning = OrderFailure("\(error.message). \(VendorText.doNotPayAgain)")
            throw Setback(
                self.error(.invalidResponse, OrderProblem.text(of: error), phase: .maybeSent), error,
                warning: charge.state == .initiated ? nil : warning)
        }
    }

    /// What a confirmation that failed leaves behind.
    ///
    /// A refusal may be the answer to a second copy of it, so it is open what the first one did; until that is known,
    /// the step has no end and whoever runs the flow asks for the status. Where confirming takes no money, the charge can
    /// tell: one that still waits, or that nobody knows, was not paid, and without the answer nobody can pay it by this
    /// attempt.
    private func setback(
        after error: CitconCallError, _ order: Order, _ handler: GatewayHandler
    ) async -> Setback {
        var open = Setback(error, isMutation: true, at: payment.provider)
        if handler.mayPayAtConfirm {
            open.warning = OrderFailure(
                "\(open.words.message). \(VendorText.doNotPayAgain)", code: open.words.code)
        }
        guard error.mayFollowItsOwnEffect, !handler.mayPayAtConfirm, let name = terms.reference else { return open }
        do throws(CitconCallError) {
            let charge = try await service.inquire(reference: name).transaction
            guard charge.state == .initiated, order.terms.difference(from: charge) == nil else { return open }
        } catch {
            guard error.isNotFound else { return open }
        }
        return Setback(error, isMutation: false, at: payment.provider)
    }

    // MARK: The payer's way

    /// Sends the payer to the page or wallet and waits for them.
    ///
    /// That they called it off is not stored, so that the wallet opens again when the payment is taken up again.
    ///
    /// - Returns: how they came back; nil when they were not sent in this run.
    package func handOver(_ confirmed: Confirmed, _ handler: GatewayHandler) async throws -> PayerArrival? {
        guard confirmed.launch != .nothing, desk.canOpen(confirmed.launch) else { return nil }
        _ = try await context.stepIfFinished("hand over to the payer", .interaction) {
            try await remembering { () -> String? in
                // Kept from an earlier run, perhaps by a provider that was set up for another address.
                if case .page(let text) = confirmed.launch, try !HTTPURL(text).mayBeOpened(by: service.baseURL) {
                    let words = OrderFailure(VendorText.invalidRedirect)
                    throw Setback(error(.invalidResponse, OrderProblem.text(of: words), phase: .maybeSent), words)
                }
                let arrival = try await context.ask(Asked.arrival) {
                    try await desk.open(confirmed.launch, handler, charge: confirmed.id) {
                        try? await inquire(confirmed)
                    }
                }
                guard case .back(let back) = arrival else { return "" }
                try back.check(
                    names.confirmed(id: confirmed.id, confirmed.launch), at: payment.provider, phase: .maybeSent)
                return back.isCancellation ? nil : back.code ?? ""
            }
        }
        return context.answer(to: Asked.arrival)
    }

    /// Asks the service about the confirmed charge, by the id that it gave.
    package func inquire(_ confirmed: Confirmed) async throws(CitconCallError) -> CitconService.Answer {
        if let id = confirmed.id, !id.isEmpty { return try await service.inquire(charge: id) }
        return try await inquireByReference()
    }

    /// Asks the service about the charge by the merchant's reference.
    package func inquireByReference() async throws(CitconCallError) -> CitconService.Answer {
        try await service.inquire(reference: terms.reference ?? "")
    }

    // MARK: Helpers

    /// Runs a step whose failures are kept for the vendor's client; the context sees them as the router's errors.
    private func step<Result: Codable & Sendable>(
        _ name: String, _ kind: StepKind, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await context.step(name, kind) { try await remembering(body) }
    }

    private func remembering<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let setback as Setback { throw stopped(setback) }
    }

    private func stopped(_ setback: Setback) -> PaymentError {
        memory[\.setback] = setback
        return setback.error
    }

    private var missingLink: PaymentError {
        error(
            .unusableOption,
            "the order link is needed to go on, and links are not stored because they hold a secret; pay the link again"
        )
    }

    private func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(code, message, provider: payment.provider, phase: phase)
    }
}
