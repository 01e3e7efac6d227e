package import PaymentCore
import ServiceSupport
import Synchronization

/// The one flow of an order, for the router and for the vendor's client alike: the gateway's handler, the comparison of
/// the charge with the agreed terms, the payer's consent, the confirmation, and the payer's way to the wallet and back.
///
/// The router and the client differ in two parameters: a context, which keeps the steps in a journal or in memory, and
/// a ``PayerHandOff``. All protection of the payer is in this flow, and so applies to both. No step's result holds the
/// charge token, the access token or the payer's consent: those exist only during the run.
package struct OrderFlow: Sendable {
    /// The payment's reference in the router.
    package let payment: PaymentReference
    /// The payment method.
    let method: String
    /// The order; nil when an attempt resumes without its link, and can only be settled.
    let order: Order?
    /// The agreed terms.
    package let terms: ChargeTerms
    /// The names that a return may carry.
    let names: GivenNames
    let gateways: CitconConfiguration.Gateways
    let context: ProviderContext
    let handOff: any PayerHandOff
    /// Called when the charge is confirmed, before the answer is processed.
    let hasConfirmed: @Sendable (CitconService.Answer) -> Void
    private let base: CitconService
    private let state = RunState()

    /// Creates the flow of one order.
    ///
    /// - Parameter service: the service, over the network of `context`.
    package init(
        _ payment: PaymentReference, method: String, order: Order?, terms: ChargeTerms, names: GivenNames,
        gateways: CitconConfiguration.Gateways, service: CitconService, context: ProviderContext,
        handOff: any PayerHandOff,
        hasConfirmed: @escaping @Sendable (CitconService.Answer) -> Void = { _ in }
    ) {
        self.payment = payment
        self.method = method
        self.order = order
        self.terms = terms
        self.names = names
        self.gateways = gateways
        self.context = context
        self.handOff = handOff
        self.hasConfirmed = hasConfirmed
        var base = service.hiding(order?.chargeToken)
        if let order { base.secrets = base.secrets.and(of: order.body.reveal()) }
        self.base = base
    }

    /// The progress of an order.
    package enum Progress: Sendable {
        /// The charge was final before it was confirmed here.
        case over(ServiceReport)
        /// It is confirmed: now, or in an earlier run.
        case confirmed(Confirmed, GatewayHandler, isFresh: Bool)
    }

    /// The service's latest answer about the charge in this run, complete.
    package var answer: CitconService.Answer? { state[\.answer] }

    /// The service, which removes this order's secrets from answers.
    private var service: CitconService {
        var service = base.hiding(consent?.value)
        service.secrets.add(consent?.details.reveal().values.map { Redacted($0) } ?? [])
        return service
    }

    /// The keys of the payer's answers, which are never stored.
    private enum Asked {
        static let consent = "consent"
        static let arrival = "arrival"
    }

    /// The payer's consent, if it was given in this run.
    private var consent: Consent? { context.answer(to: Asked.consent) }

    // MARK: Up to the confirmation

    /// Confirms the order's charge, once.
    package func confirm() async throws -> Progress {
        let gateway = try await context.step("look up the gateway", .query) {
            do throws(OrderError) { try order?.checkAtStart() } catch {
                throw unsupported(error)
            }
            return try await lookUp(for: order).gateway
        }
        guard let handler = gateways.handler(of: gateway) else {
            throw error(
                .unsupported, OrderErrorText.unsupported(method), OrderError(VendorText.unsupportedGateway + gateway))
        }
        handOff.begin(handler)
        if handler.asksFirst {
            let report = try await compare()
            if report.isFinal { return .over(report) }
            try await askForConsent(handler)
        }
        let isFresh = Mutex(false)
        let confirmed = try await context.step("confirm", .mutation(replay: .never)) {
            isFresh.withLock { $0 = true }
            return try await confirm(handler)
        }
        return .confirmed(confirmed, handler, isFresh: isFresh.withLock { $0 })
    }

    private func lookUp(for order: Order?) async throws -> GatewayConfig {
        do throws(CitconCallError) {
            let config = try await service.config(method: method, consumer: order?.consumer)
            state[\.config] = config
            return config
        } catch {
            throw paymentError(from: error)
        }
    }

    /// Checks that the charge matches the agreed terms, if confirming takes the money.
    ///
    /// An order that an application made itself continues when the service refuses the inquiry: the vendor does not
    /// document that it answers one, and the answer to the confirmation is compared in any case. A link may come from
    /// anywhere, so its charge has to be reported.
    private func compare() async throws -> ServiceReport {
        try await context.step("compare with the charge", .query) {
            guard let name = terms.reference, !name.isEmpty else { return .pending(retryAfter: nil) }
            let answer: CitconService.Answer
            do throws(CitconCallError) { answer = try await service.inquire(reference: name) } catch {
                if order?.isFromLink == false, case .refused(let refusal) = error, refusal.isRejection {
                    return .pending(retryAfter: nil)
                }
                throw paymentError(from: error)
            }
            do throws(PaymentError) {
                if let member = terms.difference(from: answer.transaction) {
                    throw self.error(
                        .integrity, "the charge is about something else than the order: its '\(member)' differs")
                }
                let report = try answer.transaction.report(of: payment, over: terms)
                if report.isFinal { state[\.answer] = answer }
                return report
            } catch {
                throw self.error(error.code, error.message, OrderError(VendorText.invalidContent), phase: .answered)
            }
        }
    }

    private func askForConsent(_ handler: GatewayHandler) async throws {
        _ = try await context.step("ask for consent", .interaction) {
            guard let order else { throw missingLink }
            guard order.lacksConsent(for: handler) else { return true }
            let config = if let config = state[\.config] { config } else { try await lookUp(for: order) }
            do throws(OrderError) { try order.check(config, for: handler) } catch { throw unsupported(error) }
            let request = order.consentRequest(config, handler, handOff.places)
            _ = try await context.ask(Asked.consent) {
                let back = try await handOff.consent(request)
                try back?.check(GivenNames(order), at: payment.provider, phase: .beforeSend)
                guard let given = back?.consent else {
                    throw error(
                        .payer, "\(request.name) came back without the payer's consent; nothing was charged",
                        OrderError(missingConsentIn: back))
                }
                return given
            }
            return true
        }
    }

    // MARK: The confirmation

    private func confirm(_ handler: GatewayHandler) async throws -> Confirmed {
        guard var order else { throw missingLink }
        do throws(OrderError) { try order.check(for: handler) } catch { throw unsupported(error) }
        if order.lacksConsent(for: handler) {
            guard let consent else {
                throw error(.payer, "the payer's consent was not kept over an interruption; pay the link again")
            }
            order = order.adding(consent, from: handler)
        }
        if handler == .klarna { order = order.askingForPage }
        try handOff.check(handler.appName.map { .app(name: $0) } ?? .page)
        guard let token = order.chargeToken else { throw missingLink }
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await service.confirm(token, order.body) } catch {
            throw await unconfirmed(after: error, order, handler)
        }
        state[\.answer] = answer
        let charge = answer.transaction
        if let member = order.terms.difference(fromConfirmed: charge) {
            // Gateways that charge at once have taken the money. The others only answer with the payer's destination.
            let mayHavePaid = handler.mayPayAtConfirm || charge.state != .initiated
            let words = OrderError(VendorText.invalidContent)
            let warning = OrderError("\(words.message): \(ChargeTerms.warning(member))")
            throw error(
                .integrity, ChargeTerms.warning(member), words, warning: mayHavePaid ? warning : nil, phase: .maybeSent)
        }
        hasConfirmed(answer)
        do throws(OrderError) {
            return Confirmed(id: charge.id, launch: try Launch(handler, order, charge, at: service.baseURL))
        } catch {
            let warning = OrderError("\(error.message). \(VendorText.doNotPayAgain)")
            throw self.error(
                .invalidResponse, OrderErrorText.text(of: error), error,
                warning: charge.state == .initiated ? nil : warning, phase: .maybeSent)
        }
    }

    /// Returns the error for a confirmation that failed.
    ///
    /// A refusal may answer a second copy of the confirmation, so the effect of the first one is unknown. Until it is
    /// known, the step has no end and the caller of the flow asks for the status. If confirming takes no money, the
    /// charge decides: one that is still initiated, or that the service does not know, was not paid, and without the
    /// answer this attempt cannot pay it.
    private func unconfirmed(
        after error: CitconCallError, _ order: Order, _ handler: GatewayHandler
    ) async -> PaymentError {
        var open = paymentError(from: error, isMutation: true)
        if handler.mayPayAtConfirm {
            let words = OrderError(error)
            let warning = OrderError("\(words.message). \(VendorText.doNotPayAgain)", code: words.code)
            open.cause = OrderFlowError(words, warning: warning, call: error)
        }
        guard error.mayFollowItsOwnEffect, !handler.mayPayAtConfirm, let name = terms.reference else { return open }
        do throws(CitconCallError) {
            let charge = try await service.inquire(reference: name).transaction
            guard charge.state == .initiated, order.terms.difference(from: charge) == nil else { return open }
        } catch {
            guard error.isNotFound else { return open }
        }
        return paymentError(from: error)
    }

    // MARK: The payer's way

    /// Sends the payer to the page or wallet and waits for the return.
    ///
    /// A cancellation is not stored, so the wallet opens again when the payment resumes.
    ///
    /// - Returns: the kind of return; nil when the payer was not sent in this run.
    package func handOver(_ confirmed: Confirmed, _ handler: GatewayHandler) async throws -> PayerArrival? {
        guard confirmed.launch != .nothing, handOff.canOpen(confirmed.launch) else { return nil }
        _ = try await context.stepIfFinished("hand over to the payer", .interaction) {
            // The page is kept from an earlier run, perhaps of a provider with another address.
            if case .page(let text) = confirmed.launch, try !HTTPURL(text).mayBeOpened(by: service.baseURL) {
                let words = OrderError(VendorText.invalidRedirect)
                throw error(.invalidResponse, OrderErrorText.text(of: words), words, phase: .maybeSent)
            }
            let arrival = try await context.ask(Asked.arrival) {
                try await handOff.open(confirmed.launch, handler, charge: confirmed.id) {
                    try? await inquire(confirmed)
                }
            }
            guard case .back(let back) = arrival else { return "" }
            try back.check(
                names.confirmed(id: confirmed.id, confirmed.launch), at: payment.provider, phase: .maybeSent)
            return back.isCancellation ? nil : back.code ?? ""
        }
        return context.answer(to: Asked.arrival)
    }

    /// Asks the service about the confirmed charge, by its id.
    package func inquire(_ confirmed: Confirmed) async throws(CitconCallError) -> CitconService.Answer {
        if let id = confirmed.id, !id.isEmpty { return try await service.inquire(charge: id) }
        return try await inquireByReference()
    }

    /// Asks the service about the charge by the merchant's reference.
    package func inquireByReference() async throws(CitconCallError) -> CitconService.Answer {
        try await service.inquire(reference: terms.reference ?? "")
    }

    // MARK: Errors

    private var missingLink: PaymentError {
        error(
            .unusableOption,
            "the order link is needed to go on, and links are not stored because they hold a secret; pay the link again"
        )
    }

    private func unsupported(_ words: OrderError) -> PaymentError {
        error(.unsupported, OrderErrorText.text(of: words), words)
    }

    private func paymentError(from error: CitconCallError, isMutation: Bool = false) -> PaymentError {
        ErrorTable.citcon.paymentError(from: error, isMutation: isMutation, at: payment.provider)
    }

    /// - Parameters:
    ///   - words: for the vendor's client, if its message differs.
    ///   - warning: for the vendor's client, if money may have moved.
    private func error(
        _ code: PaymentError.Code, _ message: String, _ words: OrderError? = nil, warning: OrderError? = nil,
        phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(
            code, message, provider: payment.provider, phase: phase,
            cause: words.map { OrderFlowError($0, warning: warning) })
    }
}

/// The state of one run of a flow that no step stores. The context keeps the payer's answers.
final class RunState: Sendable {
    struct Content: Sendable {
        /// The service's configuration of the method, with its gateway's keys.
        var config: GatewayConfig?
        /// The service's latest answer about the charge, complete.
        var answer: CitconService.Answer?
    }

    private let content = Mutex(Content())

    subscript<Value: Sendable>(_ member: any WritableKeyPath<Content, Value> & Sendable) -> Value {
        get { content.withLock { $0[keyPath: member] } }
        set { content.withLock { $0[keyPath: member] = newValue } }
    }
}

// MARK: - Settlement

/// Polling until a charge is decided, for a bounded time. The limit counts the waits, not a wall clock, which can be
/// set back in the meantime.
struct SettlementPoll: Sendable {
    let provider: ProviderID
    let clock: any PaymentClock
    let limit: Duration
    /// The duration of an inquiry that times out.
    let timeout: Duration
    /// Called once, when the first answer leaves the charge undecided.
    var hasToWait: @Sendable () -> Void = {}

    private static let policy = RetryPolicy(retries: .max, firstDelay: .seconds(1), longestDelay: .seconds(5))

    /// Polls until the charge is decided or the limit has passed, at least once.
    ///
    /// - Returns: the last answer.
    /// - Throws: ``PaymentError`` of phase `maybeSent` when the last inquiry failed.
    func settle(
        _ ask: () async throws(CitconCallError) -> CitconService.Answer
    ) async throws -> TransactionFields {
        var waits = Self.policy.waits()
        var isFirst = true
        let loop = PollingLoop(clock: clock, limit: .pauses(limit))
        let last: Result<TransactionFields, any Error> = await loop.run { _ in
            .failure(CancellationError())
        } ask: { _ in
            do throws(CitconCallError) {
                let transaction = try await ask().transaction
                if transaction.state?.isSettled == true { return .last(.success(transaction)) }
                return .again(.success(transaction), after: waits.next() ?? limit)
            } catch {
                // A refused inquiry says nothing about the charge.
                let open = ErrorTable.citcon.paymentError(from: error, isMutation: false, at: provider)
                    .with(phase: .maybeSent)
                guard error.isPassing else { return .last(.failure(open)) }
                // After a requested wait beyond the policy's, the service is asked one last time, at the limit.
                return .again(
                    .failure(open), after: waits.next(askedFor: error.wish) ?? limit,
                    counting: error.isTimeout ? timeout : .zero)
            }
        } willPause: { _, _ in
            if isFirst { hasToWait() }
            isFirst = false
        }
        return try last.get()
    }
}

extension CitconCallError {
    /// True if the same inquiry may succeed later.
    var isPassing: Bool {
        switch self {
        case .refused(let refusal): refusal.status == 429 || (500..<600).contains(refusal.status)
        case .transport(let error): error.reason != .cancelled
        case .unusableAnswer, .invalidRequest: false
        }
    }

    /// The wait that the service requests.
    fileprivate var wish: Duration? {
        if case .refused(let refusal) = self { refusal.retry.wait } else { nil }
    }

    /// True if the time for an answer ran out.
    fileprivate var isTimeout: Bool {
        if case .transport(let error) = self { error.reason == .timedOut } else { false }
    }
}
