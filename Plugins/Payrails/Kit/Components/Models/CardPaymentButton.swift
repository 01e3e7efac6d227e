public import Observation
import PaymentCore
public import PayrailsProvider

/// The pay button: pays with the card form, or with a stored instrument when it has one.
///
/// It has no visual appearance; ``CheckoutPage`` and `CheckoutView` are skins over ``state``. Unlike the vendor's it
/// also pays without a ``presenter`` (a payment that then needs a page fails with a reason), and ignores taps while a
/// payment is in progress.
@MainActor @Observable public final class CardPaymentButtonModel {
    /// The present state of the button.
    public var state: CardPaymentButtonState { observed.value }
    /// The delegate that receives the button's events.
    @ObservationIgnored public weak var delegate: (any PayrailsCardPaymentButtonDelegate)?
    /// The presenter of the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)?
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (CardPaymentButtonState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The result of the last payment, with the reason.
    @ObservationIgnored public private(set) var lastResult: OnPayResult?
    /// The look of the button.
    @ObservationIgnored public let style: CardButtonStyle
    /// The form to pay with while there is no stored instrument.
    @ObservationIgnored public let cardForm: CardFormModel?
    /// The view that shows the button.
    @ObservationIgnored weak var screen: AnyObject?

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private var instrument: (any StoredInstrument)?
    @ObservationIgnored private let observed: ObservedState<CardPaymentButtonState>
    @ObservationIgnored private var payment: Task<Void, Never>?
    /// The source of the next payment, when it is not the button's own instrument.
    @ObservationIgnored private var override: Source?
    /// The source of the payment in progress.
    @ObservationIgnored private var running: Source?

    private enum Source {
        case stored(any StoredInstrument)
        case card(encrypted: String, save: Bool)
        case type(Payrails.PaymentType)
    }

    /// Creates a button for the card entered in `cardForm`. Without a form it can only pay with stored instruments that
    /// it receives later.
    public init(
        cardForm: CardFormModel?, session: any ComponentSession, buttonStyle: CardButtonStyle? = nil,
        translations: CardPaymenButtonTranslations = CardPaymenButtonTranslations(),
        storedInstrumentTranslations: StoredInstrumentButtonTranslations? = nil
    ) {
        self.cardForm = cardForm
        self.session = session
        style = buttonStyle ?? .defaultStyle
        observed = ObservedState(
            CardPaymentButtonState(
                mode: cardForm == nil ? .unavailable : .cardForm, translations: translations,
                storedTranslations: storedInstrumentTranslations))
    }

    /// Creates a button for a stored instrument.
    public init(
        storedInstrument: any StoredInstrument, session: any ComponentSession,
        buttonStyle: StoredInstrumentButtonStyle? = nil,
        translations: CardPaymenButtonTranslations = CardPaymenButtonTranslations(),
        storedInstrumentTranslations: StoredInstrumentButtonTranslations? = nil
    ) {
        cardForm = nil
        self.session = session
        instrument = storedInstrument
        style = buttonStyle.map(CardButtonStyle.init) ?? .defaultStyle
        observed = ObservedState(
            CardPaymentButtonState(
                mode: .storedInstrument(id: storedInstrument.id, type: storedInstrument.type),
                translations: translations, storedTranslations: storedInstrumentTranslations))
    }

    // Releasing the button ends the wait for the payment; the session settles a request that may have been sent.
    deinit { payment?.cancel() }

    /// The states from the present one on.
    public var states: AsyncStream<CardPaymentButtonState> { observed.stream() }

    // MARK: What it pays with

    /// Returns the stored instrument that the button pays with, or nil while it pays with the card form.
    public func getStoredInstrument() -> (any StoredInstrument)? { instrument }

    /// Pays with `instrument` from now on.
    public func setStoredInstrument(_ instrument: any StoredInstrument) {
        self.instrument = instrument
        send(.modeChanged(.storedInstrument(id: instrument.id, type: instrument.type)))
    }

    /// Pays with the card form from now on.
    public func clearStoredInstrument() {
        instrument = nil
        send(.modeChanged(cardForm == nil ? .unavailable : .cardForm))
    }

    // MARK: Paying

    /// Reports that the payer tapped the button.
    public func tap() { send(.tapped) }

    /// Starts a payment without a tap. Does nothing while a payment is in progress.
    ///
    /// - Parameters:
    ///   - type: a method that is neither a card nor stored; nil or `card` pays as a tap does.
    ///   - storedInstrument: the instrument for this payment, instead of the button's own.
    public func pay(with type: Payrails.PaymentType? = nil, storedInstrument: (any StoredInstrument)? = nil) {
        guard !state.isProcessing else { return }
        if let storedInstrument {
            payOnce(.stored(storedInstrument), id: storedInstrument.id, type: storedInstrument.type)
        } else if let type, type != .card, type != instrument?.type {
            payOnce(.type(type), id: "", type: type)
        } else {
            send(.payCalled)
        }
    }

    /// Pays with a card that was encrypted elsewhere for the session's key, such as in the payer's browser. Does
    /// nothing while a payment is in progress.
    public func pay(withEncryptedCard encryptedData: String, saveInstrument: Bool) {
        guard !state.isProcessing else { return }
        override = .card(encrypted: encryptedData, save: saveInstrument)
        begin { state in
            _ = state.handle(.modeChanged(.cardForm))
            _ = state.handle(.payCalled)
            return state.handle(.collected)
        }
    }

    /// Waits until no payment is in progress.
    public func waitUntilIdle() async {
        while let payment, state.isProcessing { await payment.value }
    }

    /// Makes one payment from a source other than the button's own.
    private func payOnce(_ other: Source, id: String, type: Payrails.PaymentType) {
        override = other
        begin { state in
            _ = state.handle(.modeChanged(.storedInstrument(id: id, type: type)))
            return state.handle(.payCalled)
        }
    }

    /// Starts a payment in another mode, and restores the button's own mode at once, for the next payment.
    private func begin(_ steps: (inout CardPaymentButtonState) -> [CardPaymentButtonState.Effect]) {
        var next = state
        let effects = steps(&next)
        _ = next.handle(.modeChanged(state.mode))
        carryOut(effects, and: next)
    }

    private func send(_ event: CardPaymentButtonState.Event) {
        var next = state
        let effects = next.handle(event)
        carryOut(effects, and: next)
    }

    private func carryOut(_ effects: [CardPaymentButtonState.Effect], and next: CardPaymentButtonState) {
        // A tap pays with the present instrument, even if the delegate changes the instrument on the tap's event.
        if effects.contains(.startPayment), override == nil { override = instrument.map(Source.stored) }
        observed.become(next)
        for effect in effects { carryOut(effect) }
    }

    private func carryOut(_ effect: CardPaymentButtonState.Effect) {
        switch effect {
        case .notifyClicked: delegate?.onPaymentButtonClicked(face)
        case .collectCard: collect()
        case .startPayment: start()
        case .failUnavailable:
            lastResult = .error(.missingData("a card form or a stored instrument to pay with"))
            notify(.failure)
        case .notify(let outcome): notify(outcome)
        case .settle: send(.settled)
        case .notifyInstrumentChanged: delegate?.onStoredInstrumentChanged(face, instrument: instrument)
        }
    }

    private func collect() {
        guard let cardForm else { return send(.collectionFailed) }
        switch cardForm.collectFields() {
        case .success(let encrypted):
            presenter?.take(encryptedCard: encrypted)
            override = .card(encrypted: encrypted, save: cardForm.saveInstrument)
            send(.collected)
        case .failure(let error):
            lastResult = .error(error)
            send(.collectionFailed)
        }
    }

    private func start() {
        guard let source = override else { return }
        override = nil
        running = source
        lastResult = nil
        let session = session
        let presenter = challengePresenter(for: source)
        payment = Task { [weak self] in
            let result: OnPayResult
            switch source {
            case .stored(let instrument):
                result = await session.pay(withStoredInstrument: instrument, presenter: presenter)
            case .card(let encrypted, let save):
                result = await session.pay(withEncryptedCard: encrypted, saveInstrument: save, presenter: presenter)
            case .type(let type):
                result = await session.pay(withType: type, saveInstrument: false, presenter: presenter)
            }
            self?.finish(result)
        }
    }

    private func finish(_ result: OnPayResult) {
        if case .card = running { cardForm?.paymentEnded(with: result.outcome) }
        running = nil
        lastResult = result
        send(.finished(result.outcome))
    }

    private func notify(_ outcome: CardPaymentButtonState.Outcome) {
        switch outcome {
        case .success: delegate?.onAuthorizeSuccess(face)
        case .pending: delegate?.onAuthorizePending(face)
        case .failure, .cancelled:
            if let failure = lastResult?.authorizationFailure {
                delegate?.onAuthorizeFailed(face, failure: failure)
            }
        }
    }

    /// Returns the presenter; for a payment with the card form, one that notifies the delegate before it shows a page.
    private func challengePresenter(for source: Source) -> (any PaymentPresenter)? {
        guard let presenter, case .card = source else { return presenter }
        return ChallengePresenter(presenter) { [weak self] in
            guard let self else { return }
            delegate?.onThreeDSecureChallenge(face)
        }
    }
}
