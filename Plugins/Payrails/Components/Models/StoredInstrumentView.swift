public import Observation
public import PaymentCore
public import PayrailsTypes

/// What one row of stored instruments is at.
public struct StoredInstrumentRowState: Sendable, Hashable {
    /// The instrument's id.
    public let id: String
    /// What it is.
    public let type: Payrails.PaymentType
    /// The text to show. It may be personal data, hence it prints as nothing.
    public let label: Redacted<String>
    /// The brand of a card, as its first digits say it; nil where they are not known.
    public let brand: String?
    /// The month until whose end a card is good, as `MM/YY`.
    public let expiry: Redacted<String>?
    /// Whether the row is selected.
    public fileprivate(set) var isSelected = false
    /// Whether the pay button is shown: only when there is one, and the row is selected.
    public var isPayButtonVisible: Bool { hasPayButton && isSelected }
    /// Whether the row has a pay button.
    public let hasPayButton: Bool
    /// Whether the row has a delete button.
    public let hasDeleteButton: Bool
    /// Whether the row has an update button.
    public let hasUpdateButton: Bool
    /// The pay button.
    public fileprivate(set) var button: CardPaymentButtonState

    /// Whether a payment with the row's own button is under way.
    public var isProcessing: Bool { button.isProcessing }
}

/// One stored instrument with its buttons.
@MainActor @Observable public final class StoredInstrumentModel {
    /// What the row is at.
    public var state: StoredInstrumentRowState { observed.value }
    /// Hears what happens.
    @ObservationIgnored public weak var delegate: (any PayrailsStoredInstrumentViewDelegate)?
    /// Shows the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)? {
        didSet { payButton.presenter = presenter }
    }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (StoredInstrumentRowState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The look.
    @ObservationIgnored public let style: StoredInstrumentsStyle
    /// The row's own pay button.
    @ObservationIgnored public let payButton: CardPaymentButtonModel
    /// What shows it on a screen.
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

    /// The states from now on, beginning with the present one.
    public var states: AsyncStream<StoredInstrumentRowState> { observed.stream() }

    /// Returns the row's instrument.
    public func getInstrument() -> any StoredInstrument { instrument }

    /// Sets what shows the pages that a payment needs.
    public func setPresenter(_ presenter: (any PaymentPresenter)?) { self.presenter = presenter }

    /// Selects the row or not, without telling the delegate.
    public func setSelected(_ selected: Bool) { observed.change { $0.isSelected = selected } }

    /// The payer tapped the row: selects it, or gives the selection up. Ignored while the row's payment is under way.
    public func tap() {
        guard !state.isProcessing else { return }
        setSelected(!state.isSelected)
        if state.isSelected {
            delegate?.storedInstrumentView(face, didSelectInstrument: instrument)
        } else {
            delegate?.storedInstrumentView(face, didDeselectInstrument: instrument)
        }
    }

    /// The payer tapped the pay button. Ignored while it is not visible.
    public func tapPay() {
        if state.isPayButtonVisible { payButton.tap() }
    }

    /// The payer tapped the delete button. Ignored when there is none, and while the row's payment is under way.
    public func tapDelete() {
        guard state.hasDeleteButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestDeleteInstrument: instrument)
    }

    /// The payer tapped the update button. Ignored when there is none, and while the row's payment is under way.
    public func tapUpdate() {
        guard state.hasUpdateButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestUpdateInstrument: instrument)
    }
}

extension StoredInstrumentModel: PayrailsCardPaymentButtonDelegate {
    /// Nothing: a tap alone is no news.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    /// Tells the row's delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) {
        delegate?.storedInstrumentView(face, didCompletePaymentForInstrument: instrument)
    }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Nothing: the one with the reason is called.
    public func onAuthorizeFailed(_ button: CardPaymentButton) {}
    /// Tells the row's delegate, with the reason.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        fail(failure.rawError as? PayrailsError ?? .unknown(error: StoredInstrumentError(failure)))
    }
    /// Tells the row's delegate: the payment is not complete, and not to be made again.
    public func onAuthorizePending(_ button: CardPaymentButton) { fail(.paymentPending) }

    private func fail(_ error: PayrailsError) {
        delegate?.storedInstrumentView(face, didFailPaymentForInstrument: instrument, error: error)
    }
}
