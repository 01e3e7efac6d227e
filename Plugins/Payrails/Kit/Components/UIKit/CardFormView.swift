#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import PaymentCore
    public import PayrailsProvider
    public import UIKit

    /// A form for a card that the payer enters, as a view: ``CardFormModel`` in UIKit.
    @MainActor public final class CardForm: UIStackView {
        /// The state and the behaviour of the form.
        public let model: CardFormModel
        private var fields: [CardFieldType: (field: UITextField, error: UILabel)] = [:]
        private var watch: Watch?

        /// Creates a view of `model`, and keeps a reference to it.
        public init(_ model: CardFormModel) {
            self.model = model
            super.init(frame: .zero)
            model.screen = self
            build()
            show(model.state)
            model.onMoveFocus = { [weak self] in _ = self?.fields[$0]?.field.becomeFirstResponder() }
            watch = Watch(model.states) { [weak self] in self?.show($0) }
        }

        /// Creates a form.
        public convenience init(config: CardFormConfig = CardFormConfig(), session: any ComponentSession) {
            self.init(CardFormModel(config: config, session: session))
        }

        /// Ends the process: these views are created in code, and UIKit does not allow this initialiser to fail.
        @available(*, unavailable)
        public required init(coder: NSCoder) { fatalError("make a CardForm by Payrails.createCardForm(config:)") }

        /// The delegate that receives the collected card. Referenced weakly.
        public var delegate: (any PayrailsCardFormDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// True if the payer wants the card stored for later payments.
        public var saveInstrument: Bool {
            get { model.saveInstrument }
            set { model.saveInstrument = newValue }
        }

        /// The content and the look of the form.
        public var config: CardFormConfig { model.config }

        /// Checks and encrypts the card and passes the result to the delegate.
        ///
        /// - Returns: the result for the delegate.
        @discardableResult public func collectFields() -> Result<String, PayrailsError> { model.collectFields() }

        // MARK: Parts

        private func build() {
            let styles = config.effectiveStyles
            axis = .vertical
            spacing = CGFloat(styles.sectionSpacing ?? 16)
            for row in model.state.rows {
                let line = UIStackView(arrangedSubviews: row.map(cell))
                line.axis = .horizontal
                line.alignment = .top
                line.distribution = .fillEqually
                line.spacing = CGFloat(styles.fieldSpacing ?? 10)
                addArrangedSubview(line)
            }
            if config.showSaveInstrument { addArrangedSubview(saveLine()) }
        }

        /// A field with its error below.
        private func cell(_ type: CardFieldType) -> UIView {
            let field = UITextField()
            field.placeholder = config.effectiveTranslations.placeholders?[type]
            field.accessibilityLabel = config.label(for: type)
            field.keyboardType = type == .CARDHOLDER_NAME ? .default : .numberPad
            field.autocorrectionType = .no
            field.borderStyle = .roundedRect
            field.textContentType =
                switch type {
                case .CARD_NUMBER: .creditCardNumber
                case .CARDHOLDER_NAME: .name
                default: nil
                }
            let model = model
            field.addAction(
                UIAction { [weak self, weak field] _ in
                    model.setText(field?.text ?? "", for: type)
                    self?.show(model.state)
                }, for: .editingChanged)
            field.addAction(UIAction { _ in model.focus(type) }, for: .editingDidBegin)
            field.addAction(UIAction { _ in model.blur(type) }, for: .editingDidEnd)
            let error = UILabel()
            error.numberOfLines = 0
            error.font = .preferredFont(forTextStyle: .footnote)
            error.textColor = (config.effectiveStyles.errorTextStyle?.textColor ?? .systemRed).uiColor
            fields[type] = (field, error)
            let cell = UIStackView(arrangedSubviews: [field, error])
            cell.axis = .vertical
            cell.spacing = 4
            return cell
        }

        private func saveLine() -> UIView {
            let text = UILabel()
            text.text = config.effectiveTranslations.labels?.saveInstrument ?? "Save card"
            let toggle = UISwitch()
            toggle.accessibilityLabel = text.text
            toggle.addAction(
                UIAction { [weak self, weak toggle] _ in self?.model.saveInstrument = toggle?.isOn ?? false },
                for: .valueChanged)
            return UIStackView(arrangedSubviews: [text, toggle])
        }

        private func show(_ state: CardFormState) {
            for (type, parts) in fields {
                let text = state[type].text.reveal()
                if parts.field.text != text { parts.field.text = text }
                parts.error.text = model.errorText(for: type)
                parts.error.isHidden = parts.error.text == nil
                let styles = config.effectiveStyles.effectiveInputStyles(for: type)
                parts.field.textColor = (styles.base?.textColor ?? .label).uiColor
                if let font = styles.base?.font { parts.field.font = font.uiFont }
                if let ground = styles.base?.backgroundColor { parts.field.backgroundColor = ground.uiColor }
            }
        }
    }

    extension CardFormModel {
        /// The object that delegates receive: the view on the screen, or a new one.
        var face: CardForm { screen as? CardForm ?? CardForm(self) }
    }
#endif
