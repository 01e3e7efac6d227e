import PaymentCore
public import PayrailsProvider
import Synchronization

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
    ///   - paymentMethodCode: the code of the method, where several are of the type.
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
            // Init data that came meanwhile are newer.
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
