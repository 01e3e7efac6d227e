#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    public import PayrailsTypes
    public import UIKit

    /// The payer's stored instruments as a view: ``StoredInstrumentsModel`` in UIKit. It goes into a stack view as it
    /// is.
    @MainActor public final class StoredInstruments: UIView {
        /// What the list is at, and what it does.
        public let model: StoredInstrumentsModel
        private let stack = UIStackView()
        private var rows: [StoredInstrumentView] = []

        /// Creates a view of `model`, which it keeps.
        public init(_ model: StoredInstrumentsModel) {
            self.model = model
            super.init(frame: .zero)
            model.screen = self
            backgroundColor = model.style.backgroundColor.uiColor
            stack.axis = .vertical
            stack.spacing = CGFloat(model.style.itemSpacing)
            fill(with: stack)
            showRows()
            // A row shows by itself what it is at.
            model.onReload = { [weak self] in self?.showRows() }
        }

        /// Creates a list of what `session` has.
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

        /// Nothing: these views are made in code.
        @available(*, unavailable)
        public required init?(coder: NSCoder) { nil }

        /// Hears what happens. Kept weakly.
        public var delegate: (any PayrailsStoredInstrumentsDelegate)? {
            get { model.delegate }
            set { model.delegate = newValue }
        }

        /// Shows the pages that a payment needs. Kept weakly.
        public var presenter: (any PaymentPresenter)? {
            get { model.presenter }
            set { model.presenter = newValue }
        }

        /// Shows what the session has now; see ``StoredInstrumentsModel/refreshInstruments()``.
        public func refreshInstruments() { model.refreshInstruments() }

        /// Has `button` pay with what is selected: with the card form while nothing is. Nil ends it.
        public func bindCardPaymentButton(_ button: CardPaymentButton?) { model.bindCardPaymentButton(button?.model) }

        /// Shows a row for each of the model's, the ones that are there already in place.
        private func showRows() {
            guard !rows.elementsEqual(model.views, by: { $0.model === $1 }) else { return }
            let old = rows
            rows = model.views.map { row in old.first { $0.model === row } ?? StoredInstrumentView(row) }
            for view in old { view.removeFromSuperview() }
            for view in rows { stack.addArrangedSubview(view) }
        }
    }

    extension StoredInstrumentsModel {
        /// What delegates are handed: the view on the screen, or one that is made for them.
        var face: StoredInstruments { screen as? StoredInstruments ?? StoredInstruments(self) }
    }
#endif
