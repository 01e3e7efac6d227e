#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PayrailsProvider
    public import UIKit

    // Written for Apple platforms and never compiled on one. `make check-apple` has stand-ins. Hence this folder makes
    // no decisions: the tested states and models in the folder `Models` determine the content and the effect of a tap.
    // Keep it small.

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

    /// A button that shows its activity: the superclass of pay buttons.
    @MainActor public class ActionButton: UIButton {
        /// Called when the payer taps.
        public var onTap: (() -> Void)?
        private let spinner = UIActivityIndicatorView(style: .medium)
        private var insets = StyleInsets.zero
        private var leastHeight = CardButtonStyle.fallbackHeight

        /// Creates a button.
        public init() {
            super.init(frame: .zero)
            addAction(UIAction { [weak self] _ in self?.onTap?() }, for: .touchUpInside)
            spinner.translatesAutoresizingMaskIntoConstraints = false
            addSubview(spinner)
            NSLayoutConstraint.activate([
                spinner.centerXAnchor.constraint(equalTo: centerXAnchor),
                spinner.centerYAnchor.constraint(equalTo: centerYAnchor),
            ])
        }

        /// Returns nil: these buttons are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The size that text, insets and style require.
        public override var intrinsicContentSize: CGSize {
            let text = super.intrinsicContentSize
            return CGSize(
                width: text.width + CGFloat(insets.left + insets.right),
                height: max(CGFloat(leastHeight), text.height + CGFloat(insets.top + insets.bottom)))
        }

        /// Shows a state in a style.
        func show(_ state: CardPaymentButtonState, _ style: CardButtonStyle) {
            backgroundColor = (style.backgroundColor ?? .systemBlue).uiColor
            setTitle(state.title, for: .normal)
            setTitleColor((style.textColor ?? .white).uiColor, for: .normal)
            spinner.color = (style.textColor ?? .white).uiColor
            if let font = style.font { titleLabel?.font = font.uiFont }
            layer.cornerRadius = CGFloat(style.cornerRadius ?? 8)
            layer.borderWidth = CGFloat(style.borderWidth ?? 0)
            layer.borderColor = style.borderColor?.uiColor.resolvedColor(with: traitCollection).cgColor
            insets = style.contentEdgeInsets ?? StyleInsets(top: 0, left: 16, bottom: 0, right: 16)
            leastHeight = style.height ?? CardButtonStyle.fallbackHeight
            invalidateIntrinsicContentSize()
            isEnabled = !state.isProcessing
            accessibilityLabel = state.accessibleName
            // A title that reports the progress needs no activity indicator.
            if state.isProcessing, state.title.isEmpty { spinner.startAnimating() } else { spinner.stopAnimating() }
        }
    }

    /// Shows every state of a model until it is released.
    @MainActor final class Watch {
        private let task: Task<Void, Never>

        init<State: Sendable>(_ states: AsyncStream<State>, _ show: @escaping @MainActor (State) -> Void) {
            task = Task { for await state in states { show(state) } }
        }

        deinit { task.cancel() }
    }
#endif
