public import Observation
public import PaymentCore
public import PayrailsProvider

/// The state of one row of stored instruments.
public struct StoredInstrumentRowState: Sendable, Hashable {
    /// The instrument's id.
    public let id: String
    /// The type of the instrument.
    public let type: Payrails.PaymentType
    /// The text to show. It may be personal data, hence it is redacted when printed.
    public let label: Redacted<String>
    /// The brand of a card by its first digits; nil if they are unknown.
    public let brand: String?
    /// The month until whose end a card is valid, as `MM/YY`.
    public let expiry: Redacted<String>?
    /// True if the row is selected.
    public fileprivate(set) var isSelected = false
    /// True if the pay button is shown: only if there is one, and the row is selected.
    public var isPayButtonVisible: Bool { hasPayButton && isSelected }
    /// True if the row has a pay button.
    public let hasPayButton: Bool
    /// True if the row has a delete button.
    public let hasDeleteButton: Bool
    /// True if the row has an update button.
    public let hasUpdateButton: Bool
    /// The pay button.
    public fileprivate(set) var button: CardPaymentButtonState

    /// True if a payment with the row's own button is in progress.
    public var isProcessing: Bool { button.isProcessing }
}

/// One stored instrument with its buttons.
@MainActor @Observable public final class StoredInstrumentModel {
    /// The present state of the row.
    public var state: StoredInstrumentRowState { observed.value }
    /// The delegate that receives the row's events.
    @ObservationIgnored public weak var delegate: (any PayrailsStoredInstrumentViewDelegate)?
    /// The presenter of the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)? {
        didSet { payButton.presenter = presenter }
    }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (StoredInstrumentRowState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The style.
    @ObservationIgnored public let style: StoredInstrumentsStyle
    /// The row's own pay button.
    @ObservationIgnored public let payButton: CardPaymentButtonModel
    /// The view that shows the row.
    @ObservationIgnored weak var screen: AnyObject?

    @ObservationIgnored private let instrument: any StoredInstrument
    @ObservationIgnored private let observed: ObservedState<StoredInstrumentRowState>

    /// Creates a row.
    public init(
        instrument: any StoredInstrument, session: any ComponentSession, style: StoredInstrumentsStyle = .defaultStyle,
        translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(), showDeleteButton: Bool = false,
        showUpdateButton: Bool = false, showPayButton: Bool = false
    ) {
        self.instrument = instrument
        self.style = style
        let card = instrument as? StoredCardInstrument
        let brand = card?.bin.flatMap { $0.utf8.count >= 4 ? CardBrand.of($0) : nil }
        payButton = CardPaymentButtonModel(
            storedInstrument: instrument, session: session, buttonStyle: style.buttonStyle,
            translations: CardPaymenButtonTranslations(label: translations.buttonTranslations.label),
            storedInstrumentTranslations: translations.buttonTranslations)
        observed = ObservedState(
            StoredInstrumentRowState(
                id: instrument.id, type: instrument.type,
                label: Redacted(InstrumentLabel.text(instrument, translations)),
                brand: brand == .unknown ? nil : brand?.name, expiry: card?.expiry.map { Redacted($0) },
                hasPayButton: showPayButton,
                hasDeleteButton: showDeleteButton, hasUpdateButton: showUpdateButton, button: payButton.state))
        payButton.delegate = self
        payButton.onChange = { [weak self] button in self?.observed.change { $0.button = button } }
    }

    /// The states from the present one on.
    public var states: AsyncStream<StoredInstrumentRowState> { observed.stream() }

    /// Returns the row's instrument.
    public func getInstrument() -> any StoredInstrument { instrument }

    /// Sets the presenter of the pages that a payment needs.
    public func setPresenter(_ presenter: (any PaymentPresenter)?) { self.presenter = presenter }

    /// Selects or deselects the row, without notifying the delegate.
    public func setSelected(_ selected: Bool) { observed.change { $0.isSelected = selected } }

    /// Reports that the payer tapped the row: selects or deselects it. Ignored while the row's payment is in progress.
    public func tap() {
        guard !state.isProcessing else { return }
        setSelected(!state.isSelected)
        if state.isSelected {
            delegate?.storedInstrumentView(face, didSelectInstrument: instrument)
        } else {
            delegate?.storedInstrumentView(face, didDeselectInstrument: instrument)
        }
    }

    /// Reports that the payer tapped the pay button. Ignored while it is not visible.
    public func tapPay() {
        if state.isPayButtonVisible { payButton.tap() }
    }

    /// Reports that the payer tapped the delete button. Ignored without one, and while the row's payment is in
    /// progress.
    public func tapDelete() {
        guard state.hasDeleteButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestDeleteInstrument: instrument)
    }

    /// Reports that the payer tapped the update button. Ignored without one, and while the row's payment is in
    /// progress.
    public func tapUpdate() {
        guard state.hasUpdateButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestUpdateInstrument: instrument)
    }
}

extension StoredInstrumentModel: PayrailsCardPaymentButtonDelegate {
    /// Does nothing: the row's delegate has no event for a tap on the button.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    /// Notifies the row's delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) {
        delegate?.storedInstrumentView(face, didCompletePaymentForInstrument: instrument)
    }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Does nothing: the method with the reason is called.
    public func onAuthorizeFailed(_ button: CardPaymentButton) {}
    /// Notifies the row's delegate, with the reason.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        fail(failure.rawError as? PayrailsError ?? .unknown(error: StoredInstrumentError(failure)))
    }
    /// Notifies the row's delegate that the payment is not complete, and must not be made again.
    public func onAuthorizePending(_ button: CardPaymentButton) { fail(.paymentPending) }

    private func fail(_ error: PayrailsError) {
        delegate?.storedInstrumentView(face, didFailPaymentForInstrument: instrument, error: error)
    }
}
