public import Observation
import PaymentCore
public import PayrailsProvider

/// The pay button: pays with the card form, or with a stored instrument when it has one.
///
/// It has no visual appearance: ``CheckoutPage`` and `CheckoutView` are skins over ``state``. Unlike the vendor's
/// button it also pays without a ``presenter`` (a payment that then needs a page fails with a reason), and ignores taps
/// while a payment is in progress.
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

    // MARK: The source of a payment

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

/// The delegate of a ``CardPaymentButton``; receives its events.
///
/// The first four methods are the guide's. The others have defaults: code written after the guide needs none of them.
@MainActor public protocol PayrailsCardPaymentButtonDelegate: AnyObject {
    /// Reports that the payer tapped the button.
    func onPaymentButtonClicked(_ button: CardPaymentButton)
    /// Reports that the service confirmed the payment.
    func onAuthorizeSuccess(_ button: CardPaymentButton)
    /// Reports that the payer has to pass a check on a page of the bank. Only for payments with the card form.
    func onThreeDSecureChallenge(_ button: CardPaymentButton)
    /// Reports an end without a known success: the payment failed, the payer left, or the payment continues without the
    /// payer. `CardPaymentButton.lastResult` has the result.
    func onAuthorizeFailed(_ button: CardPaymentButton)

    /// Reports that the payment failed, or that the payer left, with the reason, as in the vendor's later releases. By
    /// default it calls ``onAuthorizeFailed(_:)``.
    func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure)
    /// Reports that the payment continues without the payer; its outcome is not yet known. By default it calls
    /// ``onAuthorizeFailed(_:)``, so that an app stops its progress indicator.
    func onAuthorizePending(_ button: CardPaymentButton)
    /// Reports that the button pays with another instrument from now on; nil stands for the card form.
    func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?)
}

extension PayrailsCardPaymentButtonDelegate {
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        onAuthorizeFailed(button)
    }
    /// Calls ``onAuthorizeFailed(_:)``.
    public func onAuthorizePending(_ button: CardPaymentButton) { onAuthorizeFailed(button) }
    /// Does nothing.
    public func onStoredInstrumentChanged(_ button: CardPaymentButton, instrument: (any StoredInstrument)?) {}
}

/// The state of a ``CardPaymentButton``: its whole behaviour, as a value without effects.
public struct CardPaymentButtonState: Sendable, Hashable {
    /// The source that a tap pays from.
    public enum Mode: Sendable, Hashable {
        /// The card entered in the card form.
        case cardForm
        /// The stored instrument of this id.
        case storedInstrument(id: String, type: Payrails.PaymentType)
        /// No source: there is neither a form nor an instrument.
        case unavailable
    }

    /// The progress of a payment.
    public enum Phase: Sendable, Hashable, CaseIterable {
        /// No payment is in progress.
        case ready
        /// The card form is being read.
        case collecting
        /// The payment is in flight.
        case paying
    }

    /// The end of a payment, without the reason.
    public enum Outcome: Sendable, Hashable, CaseIterable {
        /// Paid.
        case success
        /// Not paid, or unknown.
        case failure
        /// Continues without the payer.
        case pending
        /// The payer left.
        case cancelled
    }

    enum Event: Sendable, Hashable {
        case tapped
        case payCalled
        case collected
        case collectionFailed
        case finished(Outcome)
        case settled
        case modeChanged(Mode)
    }

    enum Effect: Sendable, Hashable {
        /// Notify the delegate of the tap.
        case notifyClicked
        /// Read the card form.
        case collectCard
        /// Send the payment.
        case startPayment
        /// There is nothing to pay with: fail.
        case failUnavailable
        /// Notify the delegate of the outcome.
        case notify(Outcome)
        /// Become ready, after the delegate received the outcome.
        case settle
        /// Notify the delegate that the button pays with another instrument, or with none.
        case notifyInstrumentChanged
    }

    /// The source that a tap pays from.
    public private(set) var mode: Mode
    /// The progress of the present payment.
    public private(set) var phase: Phase = .ready
    /// The outcome of the last payment.
    public private(set) var lastOutcome: Outcome?
    private let label: String
    private let storedLabels: StoredInstrumentButtonTranslations?

    init(
        mode: Mode, translations: CardPaymenButtonTranslations, storedTranslations: StoredInstrumentButtonTranslations?
    ) {
        self.mode = mode
        label = translations.label ?? ""
        storedLabels = storedTranslations
    }

    /// True if a payment is in progress. Taps are then ignored.
    public var isProcessing: Bool { phase != .ready }

    /// The text on the button. Empty while a card payment is in progress: an activity indicator replaces it.
    public var title: String {
        switch mode {
        case .storedInstrument: storedLabels.map { isProcessing ? $0.processingLabel : $0.label } ?? label
        case .cardForm, .unavailable: isProcessing ? "" : label
        }
    }

    /// The button's name for assistive technologies; never empty.
    public var accessibleName: String {
        if !title.isEmpty { return title }
        return isProcessing
            ? storedLabels?.processingLabel ?? StoredInstrumentButtonTranslations().processingLabel : "Pay"
    }

    /// Applies an event and returns the effects to carry out, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch (phase, event) {
        case (.ready, .tapped): return [.notifyClicked] + begin()
        case (.ready, .payCalled): return begin()
        case (.collecting, .collected):
            phase = .paying
            return [.startPayment]
        // Nothing was paid, but a delegate that was notified of the tap waits for an outcome.
        case (.collecting, .collectionFailed):
            phase = .ready
            return [.notify(.failure)]
        case (.paying, .finished(let outcome)):
            lastOutcome = outcome
            return [.notify(outcome), .settle]
        case (.paying, .settled):
            phase = .ready
            return []
        // The payment in progress keeps its source; only the next payment has another.
        case (_, .modeChanged(let mode)):
            guard mode != self.mode else { return [] }
            self.mode = mode
            return [.notifyInstrumentChanged]
        case (.collecting, .tapped), (.collecting, .payCalled), (.paying, .tapped), (.paying, .payCalled),
            (.ready, .collected), (.ready, .collectionFailed), (.ready, .finished), (.ready, .settled),
            (.collecting, .finished), (.collecting, .settled), (.paying, .collected), (.paying, .collectionFailed):
            return []
        }
    }

    private mutating func begin() -> [Effect] {
        switch mode {
        case .storedInstrument:
            phase = .paying
            lastOutcome = nil
            return [.startPayment]
        case .cardForm:
            phase = .collecting
            lastOutcome = nil
            return [.collectCard]
        case .unavailable: return [.failUnavailable]
        }
    }
}

extension OnPayResult {
    /// The outcome without the reason.
    var outcome: CardPaymentButtonState.Outcome {
        switch self {
        case .success: .success
        case .cancelledByUser: .cancelled
        case .authorizationFailed, .failure: .failure
        case .error: isPending ? .pending : .failure
        }
    }
}
