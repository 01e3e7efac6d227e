import PaymentCore
import PayrailsProvider
public import PayrailsTypes
import Synchronization

extension PayrailsSession {
    /// Pays with a stored instrument.
    ///
    /// - Parameters:
    ///   - presenter: shows a page where one is needed; stored cards too can ask for 3-D Secure.
    ///   - onResult: hears the result, once, on the main actor.
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
        await pay(presenter) { .stored(instrument) }
    }

    /// Pays with a card that the payer has just entered. It is encrypted here; only the service can read it.
    ///
    /// - Parameter saveInstrument: whether the service keeps the card for later payments.
    public func executePayment(
        withCard card: CardDetails, saveInstrument: Bool = false, presenter: (any PaymentPresenter)? = nil
    ) async -> OnPayResult {
        await pay(presenter) { () throws(PayrailsError) in
            .card(encryptedData: try self.encrypt(card), save: saveInstrument)
        }
    }

    /// Pays with PayPal or by a redirect; see the other methods for stored instruments, cards and Apple Pay.
    ///
    /// - Parameters:
    ///   - paymentMethodCode: which method, where several are of the type.
    ///   - saveInstrument: whether the service keeps the account for later payments.
    public func executePayment(
        with type: Payrails.PaymentType, paymentMethodCode: String? = nil, saveInstrument: Bool = false,
        presenter: (any PaymentPresenter)?
    ) async -> OnPayResult {
        await pay(presenter) { () throws(PayrailsError) in
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

    /// Pays with what Apple's payment sheet answered.
    public func executePayment(
        withApplePay token: ApplePayToken, saveInstrument: Bool = false, presenter: (any PaymentPresenter)? = nil
    ) async -> OnPayResult {
        await pay(presenter) { .applePay(token, save: saveInstrument) }
    }

    /// Gives the payment under way up, if there is one. When it was sent already it may still be carried out; its
    /// result says so.
    public func cancelPayment() { state.withLock { $0.payment }?.cancel() }
}

extension PayrailsSession {
    /// Runs one payment; there is never a second one beside it.
    func pay(
        _ presenter: (any PaymentPresenter)?, _ means: @Sendable () throws(PayrailsError) -> PaymentMeans
    ) async -> OnPayResult {
        let isFirst = state.withLock { state in
            defer { state.isPaying = true }
            return !state.isPaying
        }
        guard isFirst else { return .error(.unknown(error: PayrailsFault.paymentInProgress)) }
        let ended = await carryOut(presenter, means)
        state.withLock { state in
            state.isPaying = false
            state.payment = nil
            ended.result.count(in: &state.tried)
        }
        // The caller hears the result first.
        if ended.needsRefresh { Task { refresh() } }
        return ended.result
    }

    private func carryOut(
        _ presenter: (any PaymentPresenter)?, _ means: () throws(PayrailsError) -> PaymentMeans
    ) async -> PaymentRun.Ended {
        let chosen: PaymentMeans
        do { chosen = try means() } catch { return PaymentRun.ended(error) }
        let (payload, amount, tried) = state.withLock { ($0.payload, $0.amount, $0.tried) }
        let run = PaymentRun(
            api: PayrailsAPI(payload, http: transport, random: random),
            body: PaymentBody(payload: payload, amount: amount, returnURLs: option.returnURLs), clock: clock,
            presenter: presenter, before: tried)
        let task = Task { await run.run(chosen) }
        state.withLock { $0.payment = task }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// The card as the service takes it.
    func encrypt(_ card: CardDetails) throws(PayrailsError) -> String {
        try CardEncryption(payload, random: random).encrypt(card)
    }
}

extension OnPayResult {
    /// Counts the payment among those that were tried, where it was seen to begin.
    fileprivate func count(in tried: inout StatusHistory.Mark) {
        switch self {
        case .failure:
            tried.requests += 1
            tried.failures += 1
        case .cancelledByUser: tried.requests += 1
        case .success, .authorizationFailed, .error: break
        }
    }
}
