public import Observation
import PaymentCore
public import PayrailsTypes

/// Hears what a ``CardForm`` collects.
@MainActor public protocol PayrailsCardFormDelegate: AnyObject {
    /// The card is complete and encrypted for the service; only the service can read it.
    func cardForm(_ view: CardForm, didCollectCardData data: String)
    /// The card is not complete, or cannot be encrypted.
    func cardForm(_ view: CardForm, didFailWithError error: any Error)
}

/// The form that a payer enters a card into.
///
/// It has no looks of its own; ``CheckoutPage`` and `CheckoutView` are skins over ``state``. What was entered leaves it
/// only encrypted.
@MainActor @Observable public final class CardFormModel {
    /// What the form is at.
    public var state: CardFormState { observed.value }
    /// Hears what the form collects.
    @ObservationIgnored public weak var delegate: (any PayrailsCardFormDelegate)?
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (CardFormState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// Called when the caret is to move on to another field; a skin that does not want that leaves it nil.
    @ObservationIgnored public var onMoveFocus: (@MainActor (CardFieldType) -> Void)?
    /// What the form shows and how.
    @ObservationIgnored public let config: CardFormConfig
    /// What shows it on a screen.
    @ObservationIgnored weak var screen: AnyObject?

    @ObservationIgnored private let session: any ComponentSession
    @ObservationIgnored private let observed: ObservedState<CardFormState>
    @ObservationIgnored private var collected: Result<String, PayrailsError>?

    /// Creates a form.
    public init(config: CardFormConfig = CardFormConfig(), session: any ComponentSession) {
        self.config = config
        self.session = session
        observed = ObservedState(CardFormState(rows: config.rows, now: session.currentMonth))
    }

    /// The states from now on, beginning with the present one.
    public var states: AsyncStream<CardFormState> { observed.stream() }

    /// Whether the payer wants the card kept for later payments.
    public var saveInstrument: Bool {
        get { state.savesInstrument }
        set { send(.saveChosen(newValue)) }
    }

    /// The payer typed: `text` is what is in the field now. Fields that the form does not have are ignored.
    public func setText(_ text: String, for field: CardFieldType) { send(.edited(field, Redacted(text))) }

    /// The payer went into a field.
    public func focus(_ field: CardFieldType) { send(.entered(field)) }

    /// The payer left a field; it is told now what is wrong with it.
    public func blur(_ field: CardFieldType) { send(.left(field)) }

    /// Empties the form.
    public func clear() { send(.cleared) }

    /// Checks and encrypts the card and tells the delegate.
    ///
    /// - Returns: what the delegate was told; a failure is `invalidCardData`, or what keeps the session from
    ///   encrypting.
    @discardableResult public func collectFields() -> Result<String, PayrailsError> {
        send(.submitted)
        let result = collected ?? .failure(.invalidCardData)
        collected = nil
        switch result {
        case .success(let data): delegate?.cardForm(face, didCollectCardData: data)
        case .failure(let error): delegate?.cardForm(face, didFailWithError: error)
        }
        return result
    }

    /// Returns the text below a field that is wrong, or nil.
    public func errorText(for field: CardFieldType) -> String? { config.errorText(for: field, in: state) }

    /// Forgets number and code, which are not needed in plain any more.
    func forgetSecrets() { send(.secretsTaken) }

    /// A payment with what was collected has ended.
    func paymentEnded(with outcome: CardPaymentButtonState.Outcome) { send(.paymentEnded(outcome)) }

    private func send(_ event: CardFormState.Event) {
        var next = state
        let effects = next.handle(event, now: session.currentMonth)
        observed.become(next)
        for effect in effects {
            switch effect {
            case .moveFocus(let field): onMoveFocus?(field)
            case .collect: collected = encrypted()
            case .reject: collected = .failure(.invalidCardData)
            }
        }
    }

    private func encrypted() -> Result<String, PayrailsError> {
        guard let details = try? state.details(now: session.currentMonth) else { return .failure(.invalidCardData) }
        do throws(PayrailsError) { return .success(try session.encryptCard(details)) } catch { return .failure(error) }
    }
}

extension CardFormConfig {
    /// The text below a field that is wrong, or nil.
    func errorText(for field: CardFieldType, in state: CardFormState) -> String? {
        guard state[field].visibleError != nil else { return nil }
        return errorText(for: field)
    }

    /// What is said when a field is wrong.
    func errorText(for field: CardFieldType) -> String {
        effectiveTranslations.error?[field] ?? "Invalid \(label(for: field).lowercased())"
    }

    /// What a field is called: the app's label, else a plain name.
    func label(for field: CardFieldType) -> String {
        if let label = effectiveTranslations.labels?[field], !label.isEmpty { return label }
        return field.accessibleName
    }
}
