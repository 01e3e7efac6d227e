public import Observation
public import PaymentCore
public import PayrailsProvider

// MARK: - The list

/// A list of the payer's stored instruments. One of them can be selected, paid with or deleted.
///
/// Unlike in the vendor's list, the rows get every ``presenter`` that is set, and a payment in progress survives
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

/// The state of a list of stored instruments.
public struct StoredInstrumentsState: Sendable, Hashable {
    /// The rows: cards, then PayPal accounts, each in the service's order.
    public let rows: [StoredInstrumentRowState]
    /// The selected instrument's id.
    public let selectedID: String?

    /// True if a payment with one of the rows' own buttons is in progress.
    public var isProcessing: Bool { rows.contains(where: \.isProcessing) }
}

/// The selection in a list: at most one row. A value without effects.
struct InstrumentSelection: Sendable, Hashable {
    enum Event: Sendable, Hashable {
        /// The list was reloaded.
        case loaded
        /// A row was selected.
        case selected(String)
        /// A row was deselected.
        case deselected(String)
    }

    enum Effect: Sendable, Hashable {
        /// Deselect a row without an event.
        case unmark(String)
        /// Set the instrument of the bound button, or none.
        case bind(String?)
        /// Notify the list's delegate.
        case notifySelected(String)
    }

    private(set) var selectedID: String?

    /// Applies an event and returns the effects to carry out, in this order.
    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .loaded:
            guard let old = selectedID else { return [] }
            selectedID = nil
            return [.unmark(old), .bind(nil)]
        case .selected(let id):
            let old = selectedID
            selectedID = id
            let unmarked = old.flatMap { $0 == id ? nil : [Effect.unmark($0)] } ?? []
            return unmarked + [.bind(id), .notifySelected(id)]
        case .deselected(let id):
            guard selectedID == id else { return [] }
            selectedID = nil
            return [.bind(nil)]
        }
    }
}

// MARK: - One row

/// One stored instrument with its buttons.
@MainActor @Observable public final class StoredInstrumentModel {
    /// The present state of the row.
    public var state: StoredInstrumentRowState { observed.value }
    /// The delegate that receives the row's events.
    @ObservationIgnored public weak var delegate: (any PayrailsStoredInstrumentViewDelegate)?
    /// The presenter of the pages that a payment needs.
    @ObservationIgnored public weak var presenter: (any PaymentPresenter)? {
        didSet { payButton.presenter = presenter }
    }
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (StoredInstrumentRowState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// The style.
    @ObservationIgnored public let style: StoredInstrumentsStyle
    /// The row's own pay button.
    @ObservationIgnored public let payButton: CardPaymentButtonModel
    /// The view that shows the row.
    @ObservationIgnored weak var screen: AnyObject?

    @ObservationIgnored private let instrument: any StoredInstrument
    @ObservationIgnored private let observed: ObservedState<StoredInstrumentRowState>

    /// Creates a row.
    public init(
        instrument: any StoredInstrument, session: any ComponentSession, style: StoredInstrumentsStyle = .defaultStyle,
        translations: StoredInstrumentsTranslations = StoredInstrumentsTranslations(), showDeleteButton: Bool = false,
        showUpdateButton: Bool = false, showPayButton: Bool = false
    ) {
        self.instrument = instrument
        self.style = style
        let card = instrument as? StoredCardInstrument
        let brand = card?.bin.flatMap { $0.utf8.count >= 4 ? CardBrand.of($0) : nil }
        payButton = CardPaymentButtonModel(
            storedInstrument: instrument, session: session, buttonStyle: style.buttonStyle,
            translations: CardPaymenButtonTranslations(label: translations.buttonTranslations.label),
            storedInstrumentTranslations: translations.buttonTranslations)
        observed = ObservedState(
            StoredInstrumentRowState(
                id: instrument.id, type: instrument.type,
                label: Redacted(InstrumentLabel.text(instrument, translations)),
                brand: brand == .unknown ? nil : brand?.name, expiry: card?.expiry.map { Redacted($0) },
                hasPayButton: showPayButton,
                hasDeleteButton: showDeleteButton, hasUpdateButton: showUpdateButton, button: payButton.state))
        payButton.delegate = self
        payButton.onChange = { [weak self] button in self?.observed.change { $0.button = button } }
    }

    /// The states from the present one on.
    public var states: AsyncStream<StoredInstrumentRowState> { observed.stream() }

    /// Returns the row's instrument.
    public func getInstrument() -> any StoredInstrument { instrument }

    /// Sets the presenter of the pages that a payment needs.
    public func setPresenter(_ presenter: (any PaymentPresenter)?) { self.presenter = presenter }

    /// Selects or deselects the row, without notifying the delegate.
    public func setSelected(_ selected: Bool) { observed.change { $0.isSelected = selected } }

    /// Reports that the payer tapped the row: selects or deselects it. Ignored while the row's payment is in progress.
    public func tap() {
        guard !state.isProcessing else { return }
        setSelected(!state.isSelected)
        if state.isSelected {
            delegate?.storedInstrumentView(face, didSelectInstrument: instrument)
        } else {
            delegate?.storedInstrumentView(face, didDeselectInstrument: instrument)
        }
    }

    /// Reports that the payer tapped the pay button. Ignored while it is not visible.
    public func tapPay() {
        if state.isPayButtonVisible { payButton.tap() }
    }

    /// Reports that the payer tapped the delete button. Ignored without one, and while the row's payment is in
    /// progress.
    public func tapDelete() {
        guard state.hasDeleteButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestDeleteInstrument: instrument)
    }

    /// Reports that the payer tapped the update button. Ignored without one, and while the row's payment is in
    /// progress.
    public func tapUpdate() {
        guard state.hasUpdateButton, !state.isProcessing else { return }
        delegate?.storedInstrumentView(face, didRequestUpdateInstrument: instrument)
    }
}

extension StoredInstrumentModel: PayrailsCardPaymentButtonDelegate {
    /// Does nothing: the row's delegate has no event for a tap on the button.
    public func onPaymentButtonClicked(_ button: CardPaymentButton) {}
    /// Notifies the row's delegate.
    public func onAuthorizeSuccess(_ button: CardPaymentButton) {
        delegate?.storedInstrumentView(face, didCompletePaymentForInstrument: instrument)
    }
    /// Never called for stored instruments.
    public func onThreeDSecureChallenge(_ button: CardPaymentButton) {}
    /// Does nothing: the method with the reason is called.
    public func onAuthorizeFailed(_ button: CardPaymentButton) {}
    /// Notifies the row's delegate, with the reason.
    public func onAuthorizeFailed(_ button: CardPaymentButton, failure: AuthorizationFailure) {
        fail(failure.rawError as? PayrailsError ?? .unknown(error: StoredInstrumentError(failure)))
    }
    /// Notifies the row's delegate that the payment is not complete, and must not be made again.
    public func onAuthorizePending(_ button: CardPaymentButton) { fail(.paymentPending) }

    private func fail(_ error: PayrailsError) {
        delegate?.storedInstrumentView(face, didFailPaymentForInstrument: instrument, error: error)
    }
}

/// The state of one row of stored instruments.
public struct StoredInstrumentRowState: Sendable, Hashable {
    /// The instrument's id.
    public let id: String
    /// The type of the instrument.
    public let type: Payrails.PaymentType
    /// The text to show. It may be personal data, hence it is redacted when printed.
    public let label: Redacted<String>
    /// The brand of a card by its first digits; nil if they are unknown.
    public let brand: String?
    /// The month until whose end a card is valid, as `MM/YY`.
    public let expiry: Redacted<String>?
    /// True if the row is selected.
    public fileprivate(set) var isSelected = false
    /// True if the pay button is shown: only if there is one, and the row is selected.
    public var isPayButtonVisible: Bool { hasPayButton && isSelected }
    /// True if the row has a pay button.
    public let hasPayButton: Bool
    /// True if the row has a delete button.
    public let hasDeleteButton: Bool
    /// True if the row has an update button.
    public let hasUpdateButton: Bool
    /// The pay button.
    public fileprivate(set) var button: CardPaymentButtonState

    /// True if a payment with the row's own button is in progress.
    public var isProcessing: Bool { button.isProcessing }
}

// MARK: - Delegates

/// The delegate of a ``StoredInstruments`` list; receives its events. The first four methods are the guide's.
@MainActor public protocol PayrailsStoredInstrumentsDelegate: AnyObject {
    /// Reports that the payer chose an instrument.
    func storedInstruments(_ view: StoredInstruments, didSelectInstrument instrument: any StoredInstrument)
    /// Reports that the service confirmed a payment.
    func storedInstruments(_ view: StoredInstruments, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// Reports that a payment failed, or that the payer left.
    func storedInstruments(
        _ view: StoredInstruments, didFailPaymentForInstrument instrument: any StoredInstrument, error: PayrailsError)
    /// Reports that the payer wants to delete an instrument. Nothing was deleted: ask for confirmation, delete, then
    /// refresh.
    func storedInstruments(_ view: StoredInstruments, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// Reports that the payer wants to change an instrument. Not in the guide; does nothing by default.
    func storedInstruments(_ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentsDelegate {
    /// Does nothing.
    public func storedInstruments(
        _ view: StoredInstruments, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}

/// The delegate of a single ``StoredInstrumentView``; receives its events. The first five methods are the guide's.
@MainActor public protocol PayrailsStoredInstrumentViewDelegate: AnyObject {
    /// Reports that the payer chose the instrument.
    func storedInstrumentView(_ view: StoredInstrumentView, didSelectInstrument instrument: any StoredInstrument)
    /// Reports that the payer deselected the instrument.
    func storedInstrumentView(_ view: StoredInstrumentView, didDeselectInstrument instrument: any StoredInstrument)
    /// Reports that the service confirmed a payment.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didCompletePaymentForInstrument instrument: any StoredInstrument)
    /// Reports that a payment failed, or that the payer left.
    func storedInstrumentView(
        _ view: StoredInstrumentView, didFailPaymentForInstrument instrument: any StoredInstrument,
        error: PayrailsError)
    /// Reports that the payer wants to delete the instrument. Nothing was deleted.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestDeleteInstrument instrument: any StoredInstrument)

    /// Reports that the payer wants to change the instrument. Not in the guide; does nothing by default.
    func storedInstrumentView(_ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument)
}

extension PayrailsStoredInstrumentViewDelegate {
    /// Does nothing.
    public func storedInstrumentView(
        _ view: StoredInstrumentView, didRequestUpdateInstrument instrument: any StoredInstrument
    ) {}
}

// MARK: - Labels

/// Texts that name stored instruments, safe to show.
enum InstrumentLabel {
    /// The maximum number of characters of a label; the service may send text of any length.
    static let maximumLength = 120

    /// Returns the text of a row. It never has a whole card number, even if the service or the app put one into a
    /// description.
    static func text(_ instrument: any StoredInstrument, _ translations: StoredInstrumentsTranslations) -> String {
        let text = instrument.displayText(
            cardPrefix: translations.cardPrefix, paypalPrefix: translations.paypalPrefix)
        return clean(text)
    }

    /// Returns text of unknown origin in a form that is safe to show: of bounded length and without card numbers.
    static func clean(_ text: String) -> String { clipped(withoutCardNumbers(text)) }

    private static func clipped(_ text: String) -> String {
        text.count <= maximumLength ? text : text.prefix(maximumLength - 1) + "…"
    }

    /// Returns `text` with every run of 12 to 19 digits that may be a card number reduced to its last four.
    ///
    /// A run may have one space, hyphen or full stop between digits. The check digit decides (ISO/IEC 7812-1).
    static func withoutCardNumbers(_ text: String) -> String {
        var result = ""
        var run = ""
        var digits = ""
        func flush() {
            if (12...19).contains(digits.count), CardValidation.passesLuhn(digits) {
                let tail = run.last.map { $0.isASCIIDigit ? "" : String($0) } ?? ""
                result += "•••• \(digits.suffix(4))\(tail)"
            } else {
                result += run
            }
            run = ""
            digits = ""
        }
        for character in text {
            if character.isASCIIDigit {
                run.append(character)
                digits.append(character)
            } else if " -.\u{A0}".contains(character), run.last?.isASCIIDigit == true {
                run.append(character)
            } else {
                flush()
                result.append(character)
            }
        }
        flush()
        return result
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}
