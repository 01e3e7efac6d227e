public import PaymentCore
public import PayrailsProvider
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One payment session: the ways to pay of one payment, the payer's stored instruments, and the payment itself.
///
/// While the end of a payment is unknown, no second one begins next to it. The next call asks the service first and
/// reports the result that it finds. It begins another payment only if nothing is in progress, or if the payer left a
/// page to pay in another way.
///
/// A session is made from the `Payrails.InitData` that the merchant's server got. Creating it sends nothing. Every
/// address comes from the init data or from an answer of the service, and the token is sent to no other address.
public final class PayrailsSession: Sendable {
    /// Gets fresh init data from the merchant's server if the token is refused, and passes them to its argument, once.
    public typealias SessionExpiredHandler =
        @Sendable (@escaping @Sendable (Result<Payrails.InitData, any Error>) -> Void) -> Void

    struct State: Sendable {
        var payload: SessionPayload
        var amount: PayrailsAmount
        var isPaying = false
        var renewal = Renewal.State()
        var payment: Task<PaymentRun.Ended, Never>?
        /// The attempts that are known to have been made, so that the end of an earlier payment is not taken for the
        /// end of the next.
        var tried: StatusHistory.Mark
        /// The payment that was begun before and whose end is unknown here.
        var earlier: PaymentRun.Earlier?
        /// The payer's stored instruments.
        var instruments = Instruments()
    }

    let option: Payrails.Options
    let onSessionExpired: SessionExpiredHandler?
    let transport: any HTTPTransport
    let clock: any PaymentClock
    let random: any RandomSource
    let state: Mutex<State>

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - configuration: the init data from the merchant's server, and the options.
    ///   - transport: the network.
    ///   - clock: the clock for polling.
    ///   - random: the source of idempotency keys and of keys for card encryption; the default is cryptographically
    ///     secure.
    ///   - onSessionExpired: provides fresh init data when the token is refused.
    /// - Throws: ``PayrailsError``: `invalidDataFormat`, or `missingData` naming the member.
    public init(
        _ configuration: Payrails.Configuration, transport: any HTTPTransport,
        clock: any PaymentClock = SystemPaymentClock(), random: any RandomSource = SystemRandomSource(),
        onSessionExpired: SessionExpiredHandler? = nil
    ) throws(PayrailsError) {
        let payload = try SessionPayload(configuration.initData)
        option = configuration.option
        self.onSessionExpired = onSessionExpired
        self.transport = transport
        self.clock = clock
        self.random = random
        state = Mutex(
            State(
                payload: payload, amount: payload.amount, tried: payload.execution?.tried ?? .start,
                earlier: Self.earlier(payload)))
    }

    // MARK: Reading

    var payload: SessionPayload { state.withLock { $0.payload } }

    /// Returns the payment that was begun before `payload` was made; nil if the execution's status is `ready`.
    static func earlier(_ payload: SessionPayload) -> PaymentRun.Earlier? {
        (payload.execution?.status ?? .ready) == .ready ? nil : PaymentRun.Earlier()
    }

    /// Returns the context of one payment or change: only the session's own hosts, and steps kept in memory.
    func context(_ payload: SessionPayload, payer: Payer = Payer()) -> ProviderContext {
        .unstored(hosts: payload.hosts, http: transport, payer: payer, clock: clock, random: random)
    }

    /// The amount of later payments.
    public var amount: PayrailsAmount { state.withLock { $0.amount } }

    /// The service's id of the payment; nil in a session for storing cards, which has none.
    public var executionId: String? { payload.execution?.id }

    /// True if a payment is in progress.
    public var isPaymentInProgress: Bool { state.withLock { $0.isPaying } }

    /// Returns the payer's usable stored instruments of a type, in the service's order, as far as they are known;
    /// ``reloadInstruments()`` asks the service.
    public func storedInstruments(for type: Payrails.PaymentType) -> [any StoredInstrument] {
        state.withLock { $0.instruments.list(type, in: $0.payload) }
    }

    /// Returns whether a payment of this type can be made: the session offers it, and has everything that it needs.
    public func isPaymentAvailable(type: Payrails.PaymentType) -> Bool { payload.isPayable(type) }

    /// Returns whether the method with this code can be paid with: the session offers it, and has everything that it
    /// needs.
    public func isPaymentCodeAvailable(paymentMethodCode: String) -> Bool {
        let payload = payload
        return payload.option(code: paymentMethodCode)?.type.map(payload.isPayable) ?? false
    }

    /// Uses another amount for later payments. This changes nothing at the service, which refuses amounts that differ
    /// from its own: the merchant's server has to change the amount there too.
    public func update(amount: PayrailsAmount) { state.withLock { $0.amount = amount } }

    /// Changes the session; see ``update(amount:)``.
    public func update(_ options: UpdateOptions) {
        if let amount = options.amount { update(amount: amount) }
    }
}

// MARK: - Payments

extension PayrailsSession {
    /// Pays with a stored instrument.
    ///
    /// - Parameters:
    ///   - instrument: the instrument to pay with.
    ///   - presenter: shows a page if the payment needs one; stored cards too can require 3-D Secure.
    ///   - onResult: receives the result, once, on the main actor.
    public func executePayment(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)? = nil,
        onResult: @escaping OnPayCallback
    ) {
        Task { await onResult(executePayment(withStoredInstrument: instrument, presenter: presenter)) }
    }

    /// Pays with a stored instrument.
    public func executePayment(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)? = nil
    ) async -> OnPayResult {
        await pay(instrument.type, presenter) { .stored(instrument) }
    }

    /// Pays with a card that the payer has just entered. The card is encrypted here; only the service can decrypt it.
    ///
    /// - Parameters:
    ///   - card: the card that the payer entered.
    ///   - saveInstrument: true if the service stores the card for later payments.
    ///   - presenter: shows a page if the payment needs one, as for 3-D Secure.
    public func executePayment(
        withCard card: CardDetails, saveInstrument: Bool = false, presenter: (any PaymentPresenter)? = nil
    ) async -> OnPayResult {
        await pay(.card, presenter) { () throws(PayrailsError) in
            .card(encryptedData: try self.encrypt(card), save: saveInstrument)
        }
    }

    /// Pays with PayPal or by a redirect; see the other methods for stored instruments, cards and Apple Pay.
    ///
    /// - Parameters:
    ///   - type: the type of the method.
    ///   - paymentMethodCode: the code of the method, if several are of the type.
    ///   - saveInstrument: true if the service stores the account for later payments.
    ///   - presenter: shows the page.
    public func executePayment(
        with type: Payrails.PaymentType, paymentMethodCode: String? = nil, saveInstrument: Bool = false,
        presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pay(type, presenter) { () throws(PayrailsError) in
            try PaymentMeans(type, code: paymentMethodCode, save: saveInstrument)
        }
    }

    /// Pays with PayPal or by a redirect.
    public func executePayment(
        with type: Payrails.PaymentType, paymentMethodCode: String? = nil, saveInstrument: Bool = false,
        presenter: (any PaymentPresenter)? = nil, onResult: @escaping OnPayCallback
    ) {
        Task {
            await onResult(
                executePayment(
                    with: type, paymentMethodCode: paymentMethodCode, saveInstrument: saveInstrument,
                    presenter: presenter))
        }
    }

    /// Pays with the token of Apple's payment sheet.
    public func executePayment(
        withApplePay token: ApplePayToken, saveInstrument: Bool = false, presenter: (any PaymentPresenter)? = nil
    ) async -> OnPayResult {
        await pay(.applePay, presenter) { .applePay(token, save: saveInstrument) }
    }

    /// Abandons the payment in progress, if there is one. If its request was already sent, the payment may still be
    /// made; the result says so.
    public func cancelPayment() { state.withLock { $0.payment }?.cancel() }
}

extension PayrailsSession {
    /// Runs one payment; a second one at the same time fails.
    func pay(
        _ type: Payrails.PaymentType, _ presenter: (any PaymentPresenter)?,
        _ means: @escaping @Sendable () throws(PayrailsError) -> PaymentMeans
    ) async -> OnPayResult {
        let isFirst = state.withLock { state in
            defer { state.isPaying = true }
            return !state.isPaying
        }
        guard isFirst else { return .error(.unknown(error: PayrailsUnderlyingError.paymentInProgress)) }
        guard let run = run(presenter, means) else {
            state.withLock { $0.isPaying = false }
            return .error(.unsupportedPayment(type: type))
        }
        let task = Task { await run.run() }
        state.withLock { $0.payment = task }
        let ended = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { state in
            state.isPaying = false
            state.payment = nil
            // Init data that came in the meantime are newer.
            guard state.payload.execution?.id == run.flow.payment.id else { return }
            state.earlier = ended.earlier
            if let tried = ended.tried { state.tried.include(tried) }
        }
        // The caller receives the result before the refresh begins.
        if ended.needsRefresh { Task { refresh() } }
        return ended.result
    }

    /// Creates the run of a payment; nil if the session has no payment.
    private func run(
        _ presenter: (any PaymentPresenter)?, _ means: @escaping @Sendable () throws(PayrailsError) -> PaymentMeans
    ) -> PaymentRun? {
        let (payload, amount, tried, earlier) = state.withLock { ($0.payload, $0.amount, $0.tried, $0.earlier) }
        guard let execution = payload.execution else { return nil }
        var payer = Payer()
        if let presenter { payer.browser = { page in try await presenter.presentPayment(page) } }
        let flow = PaymentFlow(
            PaymentReference(provider: PayrailsProvider.id, id: execution.id), payload: payload, execution: execution,
            returnURLs: option.returnURLs, terms: PaymentFlow.Terms(amount: amount) { try means() },
            start: earlier.map { .mayBeBegun(afterLeaving: $0.hasLeftPage) } ?? .untouched(tried),
            keys: PaymentFlow.Keys(
                authorize: random.uuid().uppercased(), confirm: random.uuid().uppercased(),
                unanswered: earlier?.unanswered),
            hold: PayrailsAPI.longestHold, context: context(payload, payer: payer))
        return PaymentRun(flow: flow, earlier: earlier)
    }

    /// Returns the card encrypted for the service.
    func encrypt(_ card: CardDetails) throws(PayrailsError) -> String {
        try CardEncryption(payload, random: random).encrypt(card)
    }
}

extension PayrailsSession: ComponentSession {
    /// The present month in the time zone of this process.
    public var currentMonth: YearAndMonth { YearAndMonth(clock.now, timeZone: .current) }

    /// Encrypts a card with the key of the session.
    ///
    /// - Throws: ``PayrailsError`` when the session has no key for it.
    public func encryptCard(_ card: CardDetails) throws(PayrailsError) -> String { try encrypt(card) }

    /// Pays with a stored instrument.
    @MainActor public func pay(
        withStoredInstrument instrument: any StoredInstrument, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await executePayment(withStoredInstrument: instrument, presenter: presenter)
    }

    /// Pays with an encrypted card that ``encryptCard(_:)`` or the payer's browser made.
    @MainActor public func pay(
        withEncryptedCard encryptedData: String, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pay(.card, presenter) { .card(encryptedData: encryptedData, save: saveInstrument) }
    }

    /// Pays by a method other than a card.
    @MainActor public func pay(
        withType type: Payrails.PaymentType, saveInstrument: Bool, presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await executePayment(with: type, saveInstrument: saveInstrument, presenter: presenter)
    }
}

/// One payment of a session: the flow, with its end mapped to the results of the vendor's client.
struct PaymentRun: Sendable {
    let flow: PaymentFlow
    /// The payment that the session began before and whose end it does not know.
    let earlier: Earlier?

    /// An earlier payment of the session whose end is unknown. The next payment asks the service before it begins
    /// anything.
    struct Earlier: Sendable {
        /// True if the payer left the payment's page, and may choose another way to pay.
        var hasLeftPage = false
        /// The payment's authorization request, which the next payment may only repeat.
        var unanswered: PaymentFlow.Keys.Unanswered?
    }

    /// The end of the run.
    struct Ended: Sendable {
        let result: OnPayResult
        /// True if the session has to be refreshed after the result is delivered.
        var needsRefresh = false
        /// The payment whose end the session does not know from now on.
        var earlier: Earlier?
        /// The attempts that are known to have been made; nil if that has not changed.
        var tried: StatusHistory.Mark?
    }

    /// Runs the payment to its end.
    func run() async -> Ended {
        do { return ended(try await flow.run()) } catch {
            let cause = flow.cause(of: error)
            // An unanswered query, and a request that does not show in the execution, leave open what was begun before.
            let isOpen = flow.hasBegun || earlier != nil && flow.mark == nil || earlier?.unanswered != nil
            var ended = isOpen ? Self.ended(afterAcceptance: cause) : Self.ended(cause)
            if let sent = flow.sent, ended.result.mayHaveBeenPaid {
                ended.earlier = Earlier(unanswered: sent)
            } else {
                ended.earlier = earlier
            }
            return ended
        }
    }

    private func ended(_ end: PaymentFlow.End) -> Ended {
        switch end {
        case .success: return Ended(result: .success, earlier: Earlier())
        case .declined(let reason):
            var tried = flow.mark
            tried?.requests += 1
            tried?.failures += 1
            return Ended(result: .failure(.declined(reason)), tried: tried)
        case .cancelled:
            return Ended(result: .failure(.declined("the shop cancelled the payment")), earlier: Earlier())
        case .pending:
            return Ended(result: .pending, earlier: Earlier(unanswered: flow.sent ?? earlier?.unanswered))
        case .left(let page):
            return Ended(
                result: page == .error ? .error(.unknown(error: nil)) : .cancelledByUser,
                needsRefresh: page != .error && page != .cancel, earlier: Earlier(hasLeftPage: true))
        }
    }

    /// Maps an error after the service accepted the payment: whatever the error, the payment may have been made. A
    /// refused token then says nothing about the payment.
    private static func ended(afterAcceptance error: PayrailsError) -> Ended {
        if case .authenticationError = error {
            return Ended(result: .error(.longPollingFailed(underlyingError: error)), needsRefresh: true)
        }
        guard error.leavesFateOpen else {
            return Ended(result: .error(.failedToDerivePaymentStatus(error.description)))
        }
        return ended(error)
    }

    private static func ended(_ error: PayrailsError) -> Ended {
        switch error {
        case .authenticationError: Ended(result: .authorizationFailed(.authentication), needsRefresh: true)
        case .pollingFailed, .finalStatusNotFoundAfterLongPoll, .longPollingFailed:
            Ended(result: .error(error), needsRefresh: true)
        default: Ended(result: .error(error))
        }
    }
}

// MARK: - Fresh init data

/// One request for fresh init data. It ends when the application answers it, or releases it without an answer.
final class Renewal: Sendable {
    /// The requests of a session.
    struct State: Sendable {
        /// The number of the request in progress.
        var current: Int?
        /// The number of requests so far.
        var count = 0
        /// The callers that wait for the request in progress.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let session: PayrailsSession
    private let number: Int

    init(_ number: Int, of session: PayrailsSession) {
        self.number = number
        self.session = session
    }

    deinit { session.end(number, with: nil) }

    /// Takes the application's answer; only the first counts.
    func answer(_ result: Result<Payrails.InitData, any Error>) {
        session.end(number, with: (try? result.get()).flatMap { try? SessionPayload($0) })
    }
}

extension PayrailsSession {
    /// Requests fresh init data of the application and takes them over when they come. Only one request is in progress
    /// at a time; a failure changes nothing.
    func refresh() {
        guard let onSessionExpired else { return }
        let number = state.withLock { state -> Int? in
            guard state.renewal.current == nil else { return nil }
            state.renewal.count += 1
            state.renewal.current = state.renewal.count
            return state.renewal.count
        }
        guard let number else { return }
        let renewal = Renewal(number, of: self)
        onSessionExpired { renewal.answer($0) }
    }

    /// Requests fresh init data of the application and waits for them.
    ///
    /// - Returns: true if the data came and were taken over.
    func isRefreshed() async -> Bool {
        guard onSessionExpired != nil else { return false }
        return await withCheckedContinuation { continuation in
            state.withLock { $0.renewal.waiting.append(continuation) }
            refresh()
        }
    }

    /// Ends the request `number` with `payload`, its result.
    fileprivate func end(_ number: Int, with payload: SessionPayload?) {
        let (waiting, isTaken) = state.withLock { state -> ([CheckedContinuation<Bool, Never>], Bool) in
            guard state.renewal.current == number else { return ([], false) }
            state.renewal.current = nil
            let isTaken = payload.map { state.takeOver($0) } ?? false
            defer { state.renewal.waiting = [] }
            return (state.renewal.waiting, isTaken)
        }
        for continuation in waiting { continuation.resume(returning: isTaken) }
    }
}

extension PayrailsSession.State {
    /// Takes over fresh init data, unless they are those of another payment while one is in progress: a caller that
    /// does not know the end of the first payment would pay twice.
    ///
    /// - Returns: true if the data were taken over.
    mutating func takeOver(_ fresh: SessionPayload) -> Bool {
        guard !isPaying || fresh.execution?.id == payload.execution?.id else { return false }
        let mark = fresh.execution?.tried ?? .start
        if fresh.execution?.id == payload.execution?.id {
            tried.include(mark)
            earlier = earlier ?? PayrailsSession.earlier(fresh)
        } else {
            tried = mark
            earlier = PayrailsSession.earlier(fresh)
        }
        payload = fresh
        amount = fresh.amount
        // Fresh data list the present instruments.
        instruments.renew()
        return true
    }
}
