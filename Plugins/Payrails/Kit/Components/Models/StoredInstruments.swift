public import Observation
import PaymentCore
public import PayrailsProvider

/// The state of a list of stored instruments.
public struct StoredInstrumentsState: Sendable, Hashable {
    /// The rows: cards, then PayPal accounts, each in the service's order.
    public let rows: [StoredInstrumentRowState]
    /// The selected instrument's id.
    public let selectedID: String?

    /// True if a payment with one of the rows' own buttons is in progress.
    public var isProcessing: Bool { rows.contains(where: \.isProcessing) }
}

/// The payer's stored instruments, of which one can be selected, paid with or deleted.
///
/// Unlike the vendor's, its rows get every ``presenter`` that is set, and a payment in progress survives
/// ``refreshInstruments()``.
@MainActor @Observable public final class StoredInstrumentsModel {
    /// The present state of the list.
    public var state: StoredInstrumentsState { observed.value }
    /// The delegate that receives the list's events.
    @ObservationIgnored public weak var delegate: (any PayrailsStoredInstrumentsDelegate)?
    /// The presenter of the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)? {
        didSet { for view in views { view.presenter = presenter } }
    }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (StoredInstrumentsState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The style.
    @ObservationIgnored public let style: StoredInstrumentsStyle
    /// The texts.
    @ObservationIgnored public let translations: StoredInstrumentsTranslations
    /// The rows.
    @ObservationIgnored public private(set) var views: [StoredInstrumentModel] = []
    /// The view that shows the list.
    @ObservationIgnored weak var screen: AnyObject?
    /// Called after the rows were reloaded; they may equal the previous ones.
    @ObservationIgnored var onReload: (@MainActor () -> Void)?

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private let shows: (delete: Bool, update: Bool, pay: Bool)
    @ObservationIgnored private let observed: ObservedState<StoredInstrumentsState>
    @ObservationIgnored private var selection = InstrumentSelection()
    @ObservationIgnored private weak var boundButton: CardPaymentButtonModel?
    @ObservationIgnored private var refreshing: Task<Void, Never>?

    /// Creates a list of the stored instruments of `session`.
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

    // The session still takes the service's answer.
    deinit { refreshing?.cancel() }

    /// The states from the present one on.
    public var states: AsyncStream<StoredInstrumentsState> { observed.stream() }

    /// Shows the session's present instruments, with nothing selected, and asks the service: as soon as it answers, new
    /// instruments appear and deleted ones disappear. Without an answer the list does not change.
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

    /// Waits until the service has answered the last ``refreshInstruments()``, or the request has failed.
    public func waitUntilRefreshed() async { await refreshing?.value }

    /// Binds `button` to the selection: it pays with the selected instrument, or with the card form without one. Nil
    /// ends the binding.
    public func bindCardPaymentButton(_ button: CardPaymentButtonModel?) {
        boundButton = button
        guard button != nil else { return }
        bind(selection.selectedID)
    }

    /// Returns the row of an instrument; nil if the list has none.
    public func view(for id: String) -> StoredInstrumentModel? { views.first { $0.state.id == id } }

    /// Shows the session's present instruments. Unchanged rows stay, and the selection with them.
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

    /// Reloads the rows, except those to keep.
    private func load(keeping isKept: (StoredInstrumentModel) -> Bool) {
        let kept = views.filter(isKept)
        // A row with a payment in progress stays the same object: releasing it would lose the payment's outcome.
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
    /// Deselects the other row, and notifies the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument
    ) {
        carryOut(selection.handle(.selected(instrument.id)))
    }
    /// Clears the selection; the list's delegate has no event for it.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument
    ) {
        carryOut(selection.handle(.deselected(instrument.id)))
    }
    /// Notifies the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didCompletePaymentForInstrument: instrument)
    }
    /// Notifies the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError
    ) {
        delegate?.storedInstruments(face, didFailPaymentForInstrument: instrument, error: error)
    }
    /// Notifies the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didRequestDeleteInstrument: instrument)
    }
    /// Notifies the delegate.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {
        delegate?.storedInstruments(face, didRequestUpdateInstrument: instrument)
    }
}
