public import Observation
import PaymentCore
public import PayrailsTypes

/// What a list of stored instruments is at.
public struct StoredInstrumentsState: Sendable, Hashable {
    /// The rows: cards, then PayPal accounts, each in the service's order.
    public let rows: [StoredInstrumentRowState]
    /// The selected instrument's id.
    public let selectedID: String?

    /// Whether a payment with one of the rows' own buttons is under way.
    public var isProcessing: Bool { rows.contains(where: \.isProcessing) }
}

/// The payer's stored instruments, one of which can be selected, paid with or deleted.
///
/// Unlike the vendor's, its rows get every ``presenter`` that is set, and a payment under way outlives
/// ``refreshInstruments()``.
@MainActor @Observable public final class StoredInstrumentsModel {
    /// What the list is at.
    public var state: StoredInstrumentsState { observed.value }
    /// Hears what happens.
    @ObservationIgnored public weak var delegate: (any PayrailsStoredInstrumentsDelegate)?
    /// Shows the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)? {
        didSet { for view in views { view.presenter = presenter } }
    }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (StoredInstrumentsState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The look.
    @ObservationIgnored public let style: StoredInstrumentsStyle
    /// The texts.
    @ObservationIgnored public let translations: StoredInstrumentsTranslations
    /// The rows.
    @ObservationIgnored public private(set) var views: [StoredInstrumentModel] = []
    /// What shows it on a screen.
    @ObservationIgnored weak var screen: AnyObject?
    /// Called after the rows were made anew; they may look like the ones before.
    @ObservationIgnored var onReload: (@MainActor () -> Void)?

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private let shows: (delete: Bool, update: Bool, pay: Bool)
    @ObservationIgnored private let observed: ObservedState<StoredInstrumentsState>
    @ObservationIgnored private var selection = InstrumentSelection()
    @ObservationIgnored private weak var boundButton: CardPaymentButtonModel?
    @ObservationIgnored private var refreshing: Task<Void, Never>?

    /// Creates a list of what `session` has.
    public init(
        session: any ComponentSession, style: StoredInstrumentsStyle = .defaultStyle,
        translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(), showDeleteButton: Bool = false,
        showUpdateButton: Bool = false, showPayButton: Bool = false
    ) {
        self.session = session
        self.style = style
        self.translations = translations
        shows = (showDeleteButton, showUpdateButton, showPayButton)
        observed = ObservedState(StoredInstrumentsState(rows: [], selectedID: nil))
        load { $0.state.isProcessing }
    }

    // What the service answers then, the session still takes in.
    deinit { refreshing?.cancel() }

    /// The states from now on, beginning with the present one.
    public var states: AsyncStream<StoredInstrumentsState> { observed.stream() }

    /// Shows what the session has now, with nothing selected, and asks the service: new instruments appear, and those
    /// that are gone disappear, as soon as it has answered. Without an answer everything stays as it is.
    public func refreshInstruments() {
        carryOut(selection.handle(.loaded))
        load { $0.state.isProcessing }
        refreshing?.cancel()
        let session = session
        refreshing = Task { [weak self] in
            do { try await session.reloadInstruments() } catch { return }
            guard !Task.isCancelled else { return }
            self?.showChanges()
        }
    }

    /// Waits until the service has answered the last ``refreshInstruments()``, or until it is clear that it will not.
    public func waitUntilRefreshed() async { await refreshing?.value }

    /// Has `button` pay with what is selected: with the card form while nothing is. Nil ends it.
    public func bindCardPaymentButton(_ button: CardPaymentButtonModel?) {
        boundButton = button
        guard button != nil else { return }
        bind(selection.selectedID)
    }

    /// Returns the row of an instrument.
    public func view(for id: String) -> StoredInstrumentModel? { views.first { $0.state.id == id } }

    /// Shows what the session has now. Rows that are the same as before stay, and the selection with them.
    private func showChanges() {
        let selected = selection.selectedID
        load { view in
            let old = view.getInstrument()
            return view.state.isProcessing
                || instruments.contains { new in
                    new.id == old.id && new.isDefault == old.isDefault
                        && Redacted(InstrumentLabel.text(new, translations)) == view.state.label
                }
        }
        guard let selected, view(for: selected)?.state.isSelected != true else { return }
        carryOut(selection.handle(.loaded))
    }

    private var instruments: [any StoredInstrument] {
        session.storedInstruments(for: .card) + session.storedInstruments(for: .payPal)
    }

    /// Makes the rows anew but for those that are to be kept.
    private func load(keeping isKept: (StoredInstrumentModel) -> Bool) {
        let kept = views.filter(isKept)
        // A row whose payment is under way stays the same object: dropping it would drop the payment's outcome.
        let busy = views.filter(\.state.isProcessing)
        var seen: Set<String> = []
        views = instruments.filter { seen.insert($0.id).inserted }.map { instrument in
            if let view = kept.first(where: { $0.state.id == instrument.id }) { return view }
            let view = StoredInstrumentModel(
                instrument: instrument, session: session, style: style, translations: translations,
                showDeleteButton: shows.delete, showUpdateButton: shows.update, showPayButton: shows.pay)
            view.presenter = presenter
            view.delegate = self
            view.onChange = { [weak self] _ in self?.publish() }
            return view
        }
        views += busy.filter { !seen.contains($0.state.id) }
        publish()
        onReload?()
    }

    private func publish() {
        observed.become(StoredInstrumentsState(rows: views.map(\.state), selectedID: selection.selectedID))
    }

    private func carryOut(_ effects: [InstrumentSelection.Effect]) {
        for effect in effects {
            switch effect {
            case .unmark(let id): view(for: id)?.setSelected(false)
            case .bind(let id): bind(id)
            case .notifySelected(let id):
                publish()
                if let view = view(for: id) {
                    delegate?.storedInstruments(face, didSelectInstrument: view.getInstrument())
                }
            }
        }
        publish()
    }

    private func bind(_ id: String?) {
        guard let boundButton else { return }
        if let id, let view = view(for: id) {
            boundButton.setStoredInstrument(view.getInstrument())
        } else {
            boundButton.clearStoredInstrument()
        }
    }
}

extension StoredInstrumentsModel: PayrailsStoredInstrumentViewDelegate {
    /// Deselects the other row, and tells the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument
    ) {
        carryOut(selection.handle(.selected(instrument.id)))
    }
    /// The list's delegate has no word for it.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument
    ) {
        carryOut(selection.handle(.deselected(instrument.id)))
    }
    /// Tells the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didCompletePaymentForInstrument: instrument)
    }
    /// Tells the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError
    ) {
        delegate?.storedInstruments(face, didFailPaymentForInstrument: instrument, error: error)
    }
    /// Tells the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didRequestDeleteInstrument: instrument)
    }
    /// Tells the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didRequestUpdateInstrument: instrument)
    }
}
