#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
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
#endif
