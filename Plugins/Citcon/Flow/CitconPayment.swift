import PaymentCore
import Synchronization

/// One attempt of ``CitconProvider``, in durable steps. No step's result holds the charge token, the access token or
/// what stands for the payer's consent.
struct CitconPayment: Sendable {
    let provider: CitconProvider
    let attempt: PaymentAttempt
    let context: ProviderContext
    let base: CitconService
    /// The merchant's reference of the charge.
    let name: String
    /// The order, when the link is there; an attempt that goes on without it can only be settled.
    let order: Order?
    private let consent = Memory<Redacted<String>?>(nil)

    init(
        _ provider: CitconProvider, _ attempt: PaymentAttempt, _ context: ProviderContext, _ service: CitconService,
        name: String, order: Order?
    ) {
        self.provider = provider
        self.attempt = attempt
        self.context = context
        self.name = name
        self.order = order
        base = service.hiding(order?.chargeToken)
    }

    /// What is kept of a confirmed charge.
    struct Confirmed: Codable, Sendable {
        /// The service's id of the charge, by which inquiries are documented.
        let id: String?
        let launch: Launch
    }

    /// Something that lives only as long as this run.
    private final class Memory<Value: Sendable>: Sendable {
        private let content: Mutex<Value>

        init(_ value: Value) { content = Mutex(value) }

        var value: Value {
            get { content.withLock { $0 } }
            set { content.withLock { $0 = newValue } }
        }
    }

    /// The service, whose answers are rid of this order's secrets.
    private var service: CitconService { base.hiding(consent.value) }

    func run() async throws -> PaymentOutcome {
        let method = attempt.option.id
        let gateway = try await context.step("look up the gateway", .query) {
            do throws(OrderFailure) { try order?.checkAtStart() } catch {
                throw self.error(.unsupported, OrderProblem.text(of: error))
            }
            return try await translated(isMutation: false) { () throws(CitconCallError) in
                try await service.config(method: method, consumer: order?.consumer)
            }.gateway
        }
        guard let handler = provider.configuration.gateways.handler(of: gateway) else {
            throw error(.unsupported, OrderProblem.unsupported(gateway, method))
        }
        if handler.asksFirst, let outcome = try await prepare(handler) { return outcome }
        let isFresh = Memory(false)
        let confirmed = try await context.step("confirm", .mutation(replay: .never)) {
            isFresh.value = true
            return try await confirm(handler, consent.value)
        }
        // After a restart the payer may have paid meanwhile; a wallet must not open again for that.
        if !isFresh.value, let outcome = try await ask(confirmed), outcome.isFinal { return outcome }
        let wasCalledOff = try await handOver(confirmed, handler)
        let limit = provider.configuration.settlementTimeout
        let patience = wasCalledOff ? min(limit, .seconds(5)) : limit
        let poll = SettlementPoll(
            clock: context.clock, limit: patience, timeout: provider.configuration.requestTimeout
        ) {
            context.log("not decided yet; asking again for up to \(patience.components.seconds) s")
        }
        let transaction = try await poll.settle { () throws(CitconCallError) in try await inquire(confirmed) }
        return try transaction.outcome(of: attempt.reference, over: terms)
    }

    // MARK: Before the confirmation

    /// Where confirming takes the money: makes sure that the charge is what the link says, and gets the consent.
    ///
    /// - Returns: the outcome, when the charge is over already.
    private func prepare(_ handler: CPayGateways.Handler) async throws -> PaymentOutcome? {
        let outcome = try await context.step("compare with the charge", .query) {
            let answer = try await translated(isMutation: false) { () throws(CitconCallError) in
                try await service.inquire(reference: name)
            }
            do throws(PaymentError) {
                if let member = terms.difference(from: answer.transaction) {
                    throw self.error(
                        .integrity, "the charge is about something else than the link: its '\(member)' differs")
                }
                return try answer.transaction.outcome(of: attempt.reference, over: terms)
            } catch {
                throw self.error(error.code, error.message, phase: .answered)
            }
        }
        guard !outcome.isFinal else { return outcome }
        _ = try await context.step("ask for consent", .interaction) {
            guard let order else { throw missingLink }
            guard order.lacksConsent(for: handler) else { return true }
            guard let launcher = context.payer.appLauncher else {
                throw error(.payer, "the payer cannot open \(handler.appName ?? "apps")")
            }
            let config = try await translated(isMutation: false) { () throws(CitconCallError) in
                try await service.config(method: attempt.option.id, consumer: order.consumer)
            }
            let request = order.consentRequest(config, handler, places)
            let link = try await Self.payer(request.name) { try await launcher(request) }
            let back = link.flatMap { CPayReturn($0.text, at: places) }
            try back?.check(GivenNames(order), phase: .beforeSend)
            guard let given = back?.consent else {
                throw error(
                    .payer, "\(request.name) came back without the payer's consent; nothing was charged")
            }
            consent.value = given
            return true
        }
        return nil
    }

    // MARK: Confirming

    private func confirm(_ handler: CPayGateways.Handler, _ consent: Redacted<String>?) async throws -> Confirmed {
        guard var order else { throw missingLink }
        do throws(OrderFailure) { try order.check(for: handler) } catch {
            throw self.error(.unsupported, OrderProblem.text(of: error))
        }
        if order.lacksConsent(for: handler) {
            guard let consent else {
                throw error(.payer, "the payer's consent was not kept over an interruption; pay the link again")
            }
            order = order.adding(consent, from: handler)
        }
        let need = Self.need(of: handler)
        guard context.payer.canFulfil(need) else { throw error(.payer, "the payment needs \(need)") }
        guard let token = order.chargeToken else { throw missingLink }
        let body = order.body
        let answer: CitconService.Answer
        do throws(CitconCallError) { answer = try await service.confirm(token, body) } catch {
            throw await failure(of: error, order, handler)
        }
        if let member = order.terms.difference(fromConfirmed: answer.transaction) {
            throw error(.integrity, ChargeTerms.warning(member), phase: .maybeSent)
        }
        do throws(OrderFailure) {
            return Confirmed(
                id: answer.transaction.id,
                launch: try Launch(handler, order, answer.transaction, at: service.baseURL))
        } catch {
            throw self.error(.invalidResponse, OrderProblem.text(of: error), phase: .maybeSent)
        }
    }

    /// What a confirmation that failed leaves behind.
    ///
    /// A refusal may be the answer to a second copy of it, so it is open what the first one did; until that is known,
    /// the step has no end and recovery asks for the status. Where confirming takes no money, the charge can tell: one
    /// that still waits, or that nobody knows, was not paid, and without the answer nobody can pay it by this attempt.
    private func failure(
        of error: CitconCallError, _ order: Order, _ handler: CPayGateways.Handler
    ) async -> PaymentError {
        let open = ErrorTable.error(error, isMutation: true)
        guard error.mayFollowItsOwnEffect, !handler.mayPayAtConfirm else { return open }
        do throws(CitconCallError) {
            let charge = try await service.inquire(reference: name).transaction
            guard charge.state == .initiated, order.terms.difference(from: charge) == nil else { return open }
        } catch {
            guard error.isNotFound else { return open }
        }
        return ErrorTable.error(error, isMutation: false)
    }

    private static func need(of handler: CPayGateways.Handler) -> PayerNeed {
        handler.appName.map { .app(name: $0) } ?? .page
    }

    // MARK: Handing over

    /// Sends the payer to the page or wallet.
    ///
    /// - Returns: whether they came back saying that they called it off. That is not stored, so that the wallet opens
    ///   again when the payment is taken up again.
    private func handOver(_ confirmed: Confirmed, _ handler: CPayGateways.Handler) async throws -> Bool {
        guard canOpen(confirmed.launch) else { return false }
        do {
            _ = try await context.step("hand over to the payer", .interaction) {
                let link = try await open(confirmed.launch, handler)
                var places = places
                if case .app(let wallet) = confirmed.launch, let id = wallet.weChatAppID {
                    places.weChatAppIDs.insert(id)
                }
                let back = link.flatMap { CPayReturn($0.text, at: places) }
                try back?.check(names.confirmed(id: confirmed.id, confirmed.launch), phase: .maybeSent)
                if let back, back.isCancellation { throw CalledOff.error }
                return back?.code ?? ""
            }
            return false
        } catch let error as PaymentError where error.code == CalledOff.code {
            return true
        }
    }

    /// The payer came back without paying.
    private enum CalledOff {
        static let code = PaymentError.Code(rawValue: "citcon-called-off")
        static let error = PaymentError(
            code, "the payer came back without paying", provider: CitconProvider.id, phase: .answered)
    }

    private func canOpen(_ launch: Launch) -> Bool {
        switch launch {
        case .nothing: false
        case .page: context.payer.browser != nil
        case .code: context.payer.codeDisplay != nil
        case .app: context.payer.appLauncher != nil
        }
    }

    private func open(_ launch: Launch, _ handler: CPayGateways.Handler) async throws -> PaymentLink? {
        switch launch {
        case .nothing: return nil
        case .page(let text):
            let url = try HTTPURL(text)
            // Kept from an earlier run, perhaps by a provider that was set up for another address.
            guard url.mayBeOpened(by: service.baseURL) else {
                throw error(
                    .invalidResponse, OrderProblem.text(of: OrderFailure(CPayMessage.invalidRedirect)),
                    phase: .maybeSent)
            }
            let page = PageRequest(url: url, returnURLs: places.urls(of: .page))
            return try await Self.payer("the page") { try await context.payer.browser?(page) }
        case .code(let text):
            try await Self.payer("the code") {
                try await context.payer.codeDisplay?(CodeRequest(text: Redacted(text)))
            }
            return nil
        case .app(let wallet):
            let request = wallet.request(handler, places)
            return try await Self.payer(wallet.name) { try await context.payer.appLauncher?(request) }
        }
    }

    /// What an application throws may hold anything, so only its type is told.
    private static func payer<Value>(_ what: String, _ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch let error as PaymentError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw PaymentError(
                .payer, "\(what) could not be opened (\(type(of: error)))", provider: CitconProvider.id,
                phase: .answered)
        }
    }

    // MARK: Asking

    private func inquire(_ confirmed: Confirmed) async throws(CitconCallError) -> CitconService.Answer {
        if let id = confirmed.id, !id.isEmpty { return try await service.inquire(charge: id) }
        return try await service.inquire(reference: name)
    }

    private func ask(_ confirmed: Confirmed) async throws -> PaymentOutcome? {
        do throws(CitconCallError) {
            let answer = try await inquire(confirmed)
            return try? answer.transaction.outcome(of: attempt.reference, over: terms)
        } catch {
            return nil
        }
    }

    // MARK: Helpers

    private var terms: ChargeTerms { ChargeTerms(reference: name, agreed: attempt.option.amount) }

    /// What a return to this payment may name.
    private var names: GivenNames { GivenNames(attempt, reference: name) }

    private var places: CPayReturnPlaces { provider.configuration.application.places }

    private var missingLink: PaymentError {
        error(
            .unusableOption,
            "the order link is needed to go on, and links are not stored because they hold a secret; pay the link again"
        )
    }

    private func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(code, message, provider: CitconProvider.id, phase: phase)
    }
}
