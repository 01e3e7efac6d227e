#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import PaymentCore
    public import PayrailsProvider
    public import UIKit

    /// The payer's stored instruments as a view: ``StoredInstrumentsModel`` in UIKit. It fits into a stack view
    /// unchanged.
    @MainActor public final class StoredInstruments: UIView {
        /// The state and the behaviour of the list.
        public let model: StoredInstrumentsModel
        private let stack = UIStackView()
        private var rows: [StoredInstrumentView] = []

        /// Creates a view of `model`, and keeps a reference to it.
        public init(_ model: StoredInstrumentsModel) {
            self.model = model
            super.init(frame: .zero)
            model.screen = self
            backgroundColor = model.style.backgroundColor.uiColor
            stack.axis = .vertical
            stack.spacing = CGFloat(model.style.itemSpacing)
            fill(with: stack)
            showRows()
            // A row shows changes of its state itself.
            model.onReload = { [weak self] in self?.showRows() }
        }

        /// Creates a list of the stored instruments of `session`.
        public convenience init(
            session: any ComponentSession, style: StoredInstrumentsStyle = .defaultStyle,
            translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(),
            showDeleteButton: Bool = false, showUpdateButton: Bool = false, showPayButton: Bool = false
        ) {
            self.init(
                StoredInstrumentsModel(
                    session: session, style: style, translations: translations, showDeleteButton: showDeleteButton,
                    showUpdateButton: showUpdateButton, showPayButton: showPayButton))
        }

        /// Returns nil: these views are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The delegate that receives the list's events. Referenced weakly.
        public var delegate: (any PayrailsStoredInstrumentsDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// The presenter of the pages that a payment needs. Referenced weakly.
        public var presenter: (any PaymentPresenter)? {
            get { model.presenter }
            set { model.presenter = newValue }
        }

        /// Shows the session's present instruments; see ``StoredInstrumentsModel/refreshInstruments()``.
        public func refreshInstruments() { model.refreshInstruments() }

        /// Binds `button` to the selection: it pays with the selected instrument, or with the card form without one.
        /// Nil ends the binding.
        public func bindCardPaymentButton(_ button: CardPaymentButton?) { model.bindCardPaymentButton(button?.model) }

        /// Shows a row for each of the model's, and reuses existing rows.
        private func showRows() {
            guard !rows.elementsEqual(model.views, by: { $0.model === $1 }) else { return }
            let old = rows
            rows = model.views.map { row in old.first { $0.model === row } ?? StoredInstrumentView(row) }
            for view in old { view.removeFromSuperview() }
            for view in rows { stack.addArrangedSubview(view) }
        }
    }

    extension StoredInstrumentsModel {
        /// The object that delegates receive: the view on the screen, or a new one.
        var face: StoredInstruments { screen as? StoredInstruments ?? StoredInstruments(self) }
    }

    /// One stored instrument with its buttons as a view: ``StoredInstrumentModel`` in UIKit.
    @MainActor public final class StoredInstrumentView: UIView {
        /// The state and the behaviour of the row.
        public let model: StoredInstrumentModel
        private let text = UIButton(type: .custom)
        private let updateButton = UIButton(type: .custom)
        private let deleteButton = UIButton(type: .custom)
        private let payButton: CardPaymentButton
        private var watch: Watch?

        /// Creates a view of `model`, and keeps a reference to it.
        public init(_ model: StoredInstrumentModel) {
            self.model = model
            payButton = CardPaymentButton(model.payButton)
            super.init(frame: .zero)
            model.screen = self
            build(model.style)
            show(model.state)
            watch = Watch(model.states) { [weak self] in self?.show($0) }
        }

        /// Creates a row.
        public convenience init(
            instrument: any StoredInstrument, session: any ComponentSession,
            style: StoredInstrumentsStyle = .defaultStyle,
            translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(),
            showDeleteButton: Bool = false, showUpdateButton: Bool = false, showPayButton: Bool = false
        ) {
            self.init(
                StoredInstrumentModel(
                    instrument: instrument, session: session, style: style, translations: translations,
                    showDeleteButton: showDeleteButton, showUpdateButton: showUpdateButton,
                    showPayButton: showPayButton))
        }

        /// Returns nil: these views are created in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// The delegate that receives the row's events. Referenced weakly.
        public var delegate: (any PayrailsStoredInstrumentViewDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// The presenter of the pages that a payment needs. Referenced weakly.
        public var presenter: (any PaymentPresenter)? {
            get { model.presenter }
            set { model.presenter = newValue }
        }

        /// Sets the presenter of the pages that a payment needs.
        public func setPresenter(_ presenter: (any PaymentPresenter)?) { model.setPresenter(presenter) }

        /// Returns the row's instrument.
        public func getInstrument() -> any StoredInstrument { model.getInstrument() }

        /// Selects or deselects the row, without notifying the delegate.
        public func setSelected(_ selected: Bool) { model.setSelected(selected) }

        private func build(_ style: StoredInstrumentsStyle) {
            layer.cornerRadius = CGFloat(style.itemCornerRadius)
            text.contentHorizontalAlignment = .leading
            text.setTitleColor(style.labelTextColor.uiColor, for: .normal)
            text.titleLabel?.font = style.labelFont.uiFont
            text.titleLabel?.numberOfLines = 0
            text.addAction(UIAction { [weak model] _ in model?.tap() }, for: .touchUpInside)

            let update = style.updateButtonStyle
            dress(
                updateButton, sign: "✏️", ground: update.backgroundColor, color: update.textColor, font: update.font,
                cornerRadius: update.cornerRadius, size: update.size)
            updateButton.addAction(UIAction { [weak model] _ in model?.tapUpdate() }, for: .touchUpInside)
            let delete = style.deleteButtonStyle
            dress(
                deleteButton, sign: "🗑️", ground: delete.backgroundColor, color: delete.textColor, font: delete.font,
                cornerRadius: delete.cornerRadius, size: delete.size)
            deleteButton.addAction(UIAction { [weak model] _ in model?.tapDelete() }, for: .touchUpInside)

            let line = UIStackView(arrangedSubviews: [text, updateButton, deleteButton])
            line.axis = .horizontal
            line.alignment = .center
            line.spacing = 8
            let all = UIStackView(arrangedSubviews: [line, payButton])
            all.axis = .vertical
            all.spacing = 8
            fill(with: all, insets: style.itemPadding)
        }

        private func dress(
            _ button: UIButton, sign: String, ground: StyleColor, color: StyleColor, font: StyleFont,
            cornerRadius: Double, size: StyleSize
        ) {
            button.setTitle(sign, for: .normal)
            button.setTitleColor(color.uiColor, for: .normal)
            button.titleLabel?.font = font.uiFont
            button.backgroundColor = ground.uiColor
            button.layer.cornerRadius = CGFloat(cornerRadius)
            NSLayoutConstraint.activate([
                button.widthAnchor.constraint(equalToConstant: CGFloat(size.width)),
                button.heightAnchor.constraint(equalToConstant: CGFloat(size.height)),
            ])
        }

        private func show(_ state: StoredInstrumentRowState) {
            let style = model.style
            backgroundColor =
                (state.isSelected ? style.selectedItemBackgroundColor : style.itemBackgroundColor).uiColor
            let label = state.label.reveal()
            text.setTitle(label, for: .normal)
            text.accessibilityTraits = state.isSelected ? [.button, .selected] : .button
            updateButton.isHidden = !state.hasUpdateButton
            updateButton.accessibilityLabel = "Change: \(label)"
            deleteButton.isHidden = !state.hasDeleteButton
            deleteButton.accessibilityLabel = "Delete: \(label)"
            payButton.isHidden = !state.isPayButtonVisible
        }
    }

    extension StoredInstrumentModel {
        /// The object that delegates receive: the view on the screen, or a new one.
        var face: StoredInstrumentView { screen as? StoredInstrumentView ?? StoredInstrumentView(self) }
    }

    extension UIView {
        /// Fills this view with `view`, except for `insets`.
        func fill(with view: UIView, insets: StyleInsets = .zero) {
            view.translatesAutoresizingMaskIntoConstraints = false
            addSubview(view)
            NSLayoutConstraint.activate([
                view.topAnchor.constraint(equalTo: topAnchor, constant: CGFloat(insets.top)),
                view.leftAnchor.constraint(equalTo: leftAnchor, constant: CGFloat(insets.left)),
                view.bottomAnchor.constraint(equalTo: bottomAnchor, constant: -CGFloat(insets.bottom)),
                view.rightAnchor.constraint(equalTo: rightAnchor, constant: -CGFloat(insets.right)),
            ])
        }
    }
#endif
