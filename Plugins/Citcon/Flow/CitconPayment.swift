import PaymentCore
import Synchronization

/// One attempt of ``CitconProvider``, in durable steps. No step's result holds the charge token, the access token or
/// what stands for the payer's consent.
struct CitconPayment: Sendable {
    let provider: CitconProvider
    let attempt: PaymentAttempt
    let context: ProviderContext
    let service: CitconService
    /// The order, when the link is there; an attempt that goes on without it can only be settled.
    let order: Order?

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

    func run() async throws -> PaymentOutcome {
        let method = attempt.option.id
        let gateway = try await context.step("look up the gateway", .query) {
            do throws(OrderFailure) { try order?.checkAtStart() } catch {
                throw self.error(.unsupported, Self.problem(error))
            }
            return try await translated(isMutation: false) { () throws(CitconCallError) in
                try await service.config(method: method, consumer: order?.consumer)
            }.gateway
        }
        guard let handler = provider.configuration.gateways.handler(of: gateway) else {
            throw error(.unsupported, Self.unsupported(gateway, method))
        }
        let consent = Memory<Redacted<String>?>(nil)
        if handler.asksFirst, let outcome = try await prepare(handler, consent) { return outcome }
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
        let poll = SettlementPoll(clock: context.clock, limit: patience) {
            context.log("not decided yet; asking again for up to \(patience.components.seconds) s")
        }
        let transaction = try await poll.settle { () throws(CitconCallError) in try await inquire(confirmed) }
        return try transaction.outcome(of: attempt.reference, agreed: attempt.option.amount)
    }

    // MARK: Before the confirmation

    /// Where confirming takes the money: makes sure that the charge is what the link says, and gets the consent.
    ///
    /// - Returns: the outcome, when the charge is over already.
    private func prepare(
        _ handler: CPayGateways.Handler, _ consent: Memory<Redacted<String>?>
    ) async throws -> PaymentOutcome? {
        let outcome = try await context.step("compare with the charge", .query) {
            let answer = try await translated(isMutation: false) { () throws(CitconCallError) in
                try await service.inquire(reference: attempt.reference.id)
            }
            do throws(PaymentError) {
                return try answer.transaction.outcome(of: attempt.reference, agreed: attempt.option.amount)
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
            throw self.error(.unsupported, Self.problem(error))
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
        guard order.agrees(with: answer.transaction) else {
            throw error(.integrity, "the service confirmed another order than the link's", phase: .maybeSent)
        }
        do throws(OrderFailure) {
            return Confirmed(id: answer.transaction.id, launch: try Launch(handler, order, answer.transaction))
        } catch {
            throw self.error(.invalidResponse, Self.problem(error), phase: .maybeSent)
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
            let charge = try await service.inquire(reference: attempt.reference.id).transaction
            guard charge.state == .initiated, order.agrees(with: charge) else { return open }
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
            let page = PageRequest(url: try HTTPURL(text), returnURLs: places.urls(of: .page))
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
        if let id = confirmed.id, !id.isEmpty { return try await service.inquire(id: id) }
        return try await service.inquire(reference: attempt.reference.id)
    }

    private func ask(_ confirmed: Confirmed) async throws -> PaymentOutcome? {
        do throws(CitconCallError) {
            let answer = try await inquire(confirmed)
            return try? answer.transaction.outcome(of: attempt.reference, agreed: attempt.option.amount)
        } catch {
            return nil
        }
    }

    // MARK: Helpers

    private var places: CPayReturnPlaces { provider.configuration.application.places }

    private var missingLink: PaymentError {
        error(
            .unusableOption,
            "the order link is needed to go on, and links are not stored because they hold a secret; pay the link again"
        )
    }

    /// The vendor's words are for developers; this says whose doing it is.
    private static func problem(_ failure: OrderFailure) -> String {
        switch failure.message {
        case CPayMessage.noScheme: "Alipay needs the application's scheme; give it to the provider's configuration"
        case CPayMessage.noUniversalLink:
            "WeChat Pay needs the application's universal link; give it to the provider's configuration"
        case CPayMessage.unsupportedFormat, CPayMessage.unsupportedMethod, CPayMessage.invalidContent:
            "the service's answer holds nothing that starts this payment"
        case CPayMessage.invalidRedirect: "the service leads to a page without a safe address"
        case let message where message.hasPrefix(CPayMessage.undecodable):
            // What follows is this library's own text.
            "the service's answer cannot start the payment: \(message.dropFirst(CPayMessage.undecodable.utf8.count))"
        case ".scheme\(CPayMessage.neededFor)Cash App":
            "Cash App needs the application's scheme; give it to the provider's configuration"
        default: "the service's answer cannot be used to start the payment"
        }
    }

    /// Nothing was confirmed then. The gateway's name is the service's own word, so only known ones are repeated.
    private static func unsupported(_ gateway: String, _ method: String) -> String {
        guard gateway == "klarna" else {
            return "the service names a gateway for \(method) that this version cannot use; offer another method"
        }
        return "Klarna is paid inside a view of Klarna's own library, which this version does not start; nothing was "
            + "confirmed, offer another method"
    }

    private func error(
        _ code: PaymentError.Code, _ message: String, phase: PaymentError.Phase = .beforeSend
    ) -> PaymentError {
        PaymentError(code, message, provider: CitconProvider.id, phase: phase)
    }
}
