// The vendor's names. With UIKit they are views (folder `UIKit`), as in the vendor's SDK. Elsewhere they are the models
// themselves. Code written after the guide reads the same with both.

#if !canImport(UIKit) || os(watchOS) || os(tvOS)
    public import PayrailsProvider

    /// The payer's stored instruments, by the vendor's name.
    public typealias StoredInstruments = StoredInstrumentsModel
    /// One stored instrument, by the vendor's name.
    public typealias StoredInstrumentView = StoredInstrumentModel
    /// The pay button, by the vendor's name.
    public typealias CardPaymentButton = CardPaymentButtonModel
    /// The card form, by the vendor's name.
    public typealias CardForm = CardFormModel

    // The objects that delegates receive.
    extension StoredInstrumentsModel { var face: StoredInstruments { self } }
    extension StoredInstrumentModel { var face: StoredInstrumentView { self } }
    extension CardPaymentButtonModel { var face: CardPaymentButton { self } }
    extension CardFormModel { var face: CardForm { self } }

    extension PaymentPresenter {
        /// Does nothing: only the vendor's presenter, which needs UIKit, receives the encrypted card.
        func take(encryptedCard: String) {}
    }

    /// The older pay button, for stored instruments only: a ``CardPaymentButton`` under its former name. To migrate,
    /// create the button with `Payrails.createCardPaymentButton(storedInstrument:…)` and rename the delegate's
    /// protocol. Until then ``cardPaymentButton`` is the new button.
    @available(
        *, deprecated,
        message:
            "Use Payrails.createCardPaymentButton(storedInstrument:buttonStyle:translations:storedInstrumentTranslations:)."
    )
    @MainActor public final class StoredInstrumentPaymentButton {
        /// The button that this one wraps.
        public let cardPaymentButton: CardPaymentButton
        /// The delegate that receives the button's events.
        public weak var delegate: (any PayrailsStoredInstrumentPaymentButtonDelegate)?

        private let instrument: any StoredInstrument

        /// Creates a button.
        public init(
            storedInstrument: any StoredInstrument, session: any ComponentSession,
            translations: StoredInstrumentButtonTranslations = StoredInstrumentButtonTranslations(),
            style: StoredInstrumentButtonStyle = .defaultStyle
        ) {
            instrument = storedInstrument
            cardPaymentButton = CardPaymentButton(
                storedInstrument: storedInstrument, session: session, buttonStyle: style,
                translations: CardPaymenButtonTranslations(label: translations.label),
                storedInstrumentTranslations: translations)
            cardPaymentButton.delegate = self
        }

        /// The presenter of the pages that a payment needs.
        public var presenter: (any PaymentPresenter)? {
            get { cardPaymentButton.presenter }
            set { cardPaymentButton.presenter = newValue }
        }

        /// The present state of the button.
        public var state: CardPaymentButtonState { cardPaymentButton.state }

        /// Returns the instrument that the button pays with.
        public func getStoredInstrument() -> any StoredInstrument { instrument }

        /// Reports that the payer tapped the button.
        public func tap() { cardPaymentButton.tap() }

        /// Starts the payment without a tap.
        public func pay() { cardPaymentButton.pay() }
    }
#endif

/// The delegate of a ``StoredInstrumentPaymentButton``; receives its events.
@available(*, deprecated, message: "Conform to PayrailsCardPaymentButtonDelegate.")
@MainActor public protocol PayrailsStoredInstrumentPaymentButtonDelegate: AnyObject {
    /// Reports that the payer tapped the button.
    func onPaymentButtonClicked(_ button: StoredInstrumentPaymentButton)
    /// Reports that the service confirmed the payment.
    func onAuthorizeSuccess(_ button: StoredInstrumentPaymentButton)
    /// Reports an end without a known success: the payment failed, the payer left, or the payment continues without the
    /// payer.
    func onAuthorizeFailed(_ button: StoredInstrumentPaymentButton)
}

@available(*, deprecated)
extension StoredInstrumentPaymentButton: PayrailsCardPaymentButtonDelegate {
    /// Notifies the delegate.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) { delegate?.onPaymentButtonClicked(self) }
    /// Notifies the delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) { delegate?.onAuthorizeSuccess(self) }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Notifies the delegate.
    public func onAuthorizeFailed(_ button: CardPaymentButton) { delegate?.onAuthorizeFailed(self) }
}
