#if !canImport(UIKit) || os(watchOS) || os(tvOS)
    public import PayrailsTypes

    /// The older pay button, for stored instruments only: a ``CardPaymentButton`` under its former name.
    ///
    /// To move on, make the button with `Payrails.createCardPaymentButton(storedInstrument:…)` and rename the
    /// delegate's protocol; until then ``cardPaymentButton`` is the new one.
    @available(
        *, deprecated,
        message:
            "Use Payrails.createCardPaymentButton(storedInstrument:buttonStyle:translations:storedInstrumentTranslations:)."
    )
    @MainActor public final class StoredInstrumentPaymentButton {
        /// The button that this one stands for.
        public let cardPaymentButton: CardPaymentButton
        /// Hears what becomes of the button.
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

        /// Shows the pages that a payment needs.
        public var presenter: (any PaymentPresenter)? {
            get { cardPaymentButton.presenter }
            set { cardPaymentButton.presenter = newValue }
        }

        /// What the button is at.
        public var state: CardPaymentButtonState { cardPaymentButton.state }

        /// Returns the instrument that is paid with.
        public func getStoredInstrument() -> any StoredInstrument { instrument }

        /// The payer tapped the button.
        public func tap() { cardPaymentButton.tap() }

        /// Starts the payment without a tap.
        public func pay() { cardPaymentButton.pay() }
    }
#endif
