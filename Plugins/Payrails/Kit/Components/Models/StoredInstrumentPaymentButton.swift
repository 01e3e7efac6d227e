#if !canImport(UIKit) || os(watchOS) || os(tvOS)
    public import PayrailsProvider

    /// The older pay button, for stored instruments only: a ``CardPaymentButton`` under its former name.
    /// To migrate, create the button with `Payrails.createCardPaymentButton(storedInstrument:…)` and rename the
    /// delegate's protocol; until then ``cardPaymentButton`` is the new one.
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
