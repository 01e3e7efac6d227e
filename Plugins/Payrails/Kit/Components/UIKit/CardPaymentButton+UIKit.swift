#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PayrailsProvider
    public import UIKit

    /// The pay button as a view: ``CardPaymentButtonModel`` in UIKit.
    @MainActor public final class CardPaymentButton: ActionButton {
        /// The state and the behaviour of the button.
        public let model: CardPaymentButtonModel
        private var watch: Watch?

        /// Creates a view of `model`, and keeps a reference to it.
        public init(_ model: CardPaymentButtonModel) {
            self.model = model
            super.init()
            model.screen = self
            onTap = { [weak model] in model?.tap() }
            show(model.state, model.style)
            watch = Watch(model.states) { [weak self] state in
                guard let self else { return }
                show(state, self.model.style)
            }
        }

        /// Creates a button for the card entered in `cardForm`. Without a form it can only pay with stored instruments
        /// that it receives later.
        public convenience init(
            cardForm: CardForm?, session: any ComponentSession, buttonStyle: CardButtonStyle? = nil,
            translations: CardPaymenButtonTranslations = CardPaymenButtonTranslations(),
            storedInstrumentTranslations: StoredInstrumentButtonTranslations? = nil
        ) {
            self.init(
                CardPaymentButtonModel(
                    cardForm: cardForm?.model, session: session, buttonStyle: buttonStyle, translations: translations,
                    storedInstrumentTranslations: storedInstrumentTranslations))
        }

        /// Creates a button for a stored instrument.
        public convenience init(
            storedInstrument: any StoredInstrument, session: any ComponentSession,
            buttonStyle: StoredInstrumentButtonStyle? = nil,
            translations: CardPaymenButtonTranslations = CardPaymenButtonTranslations(),
            storedInstrumentTranslations: StoredInstrumentButtonTranslations? = nil
        ) {
            self.init(
                CardPaymentButtonModel(
                    storedInstrument: storedInstrument, session: session, buttonStyle: buttonStyle,
                    translations: translations, storedInstrumentTranslations: storedInstrumentTranslations))
        }

        /// Returns nil: these buttons are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The delegate that receives the button's events. Referenced weakly.
        public var delegate: (any PayrailsCardPaymentButtonDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// The presenter of the pages that a payment needs. Referenced weakly.
        public var presenter: (any PaymentPresenter)? {
            get { model.presenter }
            set { model.presenter = newValue }
        }

        /// The result of the last payment, with the reason.
        public var lastResult: OnPayResult? { model.lastResult }

        /// Returns the stored instrument that the button pays with, or nil while it pays with the card form.
        public func getStoredInstrument() -> (any StoredInstrument)? { model.getStoredInstrument() }

        /// Pays with `instrument` from now on.
        public func setStoredInstrument(_ instrument: any StoredInstrument) { model.setStoredInstrument(instrument) }

        /// Pays with the card form from now on.
        public func clearStoredInstrument() { model.clearStoredInstrument() }

        /// Starts a payment without a tap; see ``CardPaymentButtonModel/pay(with:storedInstrument:)``.
        public func pay(with type: Payrails.PaymentType? = nil, storedInstrument: (any StoredInstrument)? = nil) {
            model.pay(with: type, storedInstrument: storedInstrument)
        }
    }

    extension CardPaymentButtonModel {
        /// The object that delegates receive: the view on the screen, or a new one.
        var face: CardPaymentButton { screen as? CardPaymentButton ?? CardPaymentButton(self) }
    }
#endif
