#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PayrailsTypes
    public import UIKit

    /// The pay button as a view: ``CardPaymentButtonModel`` in UIKit.
    @MainActor public final class CardPaymentButton: ActionButton {
        /// What the button is at, and what it does.
        public let model: CardPaymentButtonModel
        private var watch: Watch?

        /// Creates a view of `model`, which it keeps.
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

        /// Creates a button for what is entered in `cardForm`. Without a form it can only pay with stored instruments
        /// that it is given later.
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

        /// Nothing: these buttons are made in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// Hears what becomes of the button. Kept weakly.
        public var delegate: (any PayrailsCardPaymentButtonDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// Shows the pages that a payment needs. Kept weakly.
        public var presenter: (any PaymentPresenter)? {
            get { model.presenter }
            set { model.presenter = newValue }
        }

        /// How the last payment ended, with the reason.
        public var lastResult: OnPayResult? { model.lastResult }

        /// Returns the stored instrument that is paid with, or nil while it is the card form.
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
        /// What delegates are handed: the view on the screen, or one that is made for them.
        var face: CardPaymentButton { screen as? CardPaymentButton ?? CardPaymentButton(self) }
    }
#endif
