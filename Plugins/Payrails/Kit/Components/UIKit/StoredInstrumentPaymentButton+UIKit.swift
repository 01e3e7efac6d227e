#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PayrailsProvider
    public import UIKit

    /// The older pay button as a view, for stored instruments only: a ``CardPaymentButton`` under its former name.
    @available(
        *, deprecated,
        message:
            "Use Payrails.createCardPaymentButton(storedInstrument:buttonStyle:translations:storedInstrumentTranslations:)."
    )
    @MainActor public final class StoredInstrumentPaymentButton: ActionButton {
        /// The button that this one wraps. It is not on the screen.
        public let cardPaymentButton: CardPaymentButton
        /// The delegate that receives the button's events.
        public weak var delegate: (any PayrailsStoredInstrumentPaymentButtonDelegate)?
        private let instrument: any StoredInstrument
        private var watch: Watch?

        /// Creates a button.
        public init(
            storedInstrument: any StoredInstrument, session: any ComponentSession,
            translations: StoredInstrumentButtonTranslations = StoredInstrumentButtonTranslations(),
            style: StoredInstrumentButtonStyle = .defaultStyle
        ) {
            instrument = storedInstrument
            let button = CardPaymentButton(
                storedInstrument: storedInstrument, session: session, buttonStyle: style,
                translations: CardPaymenButtonTranslations(label: translations.label),
                storedInstrumentTranslations: translations)
            cardPaymentButton = button
            super.init()
            button.delegate = self
            onTap = { [weak button] in button?.model.tap() }
            show(button.model.state, button.model.style)
            watch = Watch(button.model.states) { [weak self] state in
                guard let self else { return }
                show(state, cardPaymentButton.model.style)
            }
        }

        /// Returns nil: these buttons are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The presenter of the pages that a payment needs. Referenced weakly.
        public var presenter: (any PaymentPresenter)? {
            get { cardPaymentButton.presenter }
            set { cardPaymentButton.presenter = newValue }
        }

        /// Returns the instrument that the button pays with.
        public func getStoredInstrument() -> any StoredInstrument { instrument }

        /// Starts the payment without a tap.
        public func pay() { cardPaymentButton.pay() }
    }
#endif
