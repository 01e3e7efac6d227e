public import Observation
import PaymentCore
public import PayrailsProvider

/// The delegate of a ``CardForm``; receives the card that the form collects.
@MainActor public protocol PayrailsCardFormDelegate: AnyObject {
    /// Reports that the card is complete and encrypted for the service; only the service can decrypt it.
    func cardForm(_ view: CardForm, didCollectCardData data: String)
    /// Reports that the card is not complete, or cannot be encrypted.
    func cardForm(_ view: CardForm, didFailWithError error: any Error)
}

/// A form for a card that the payer enters.
///
/// It has no visual appearance; ``CheckoutPage`` and `CheckoutView` are skins over ``state``. The input leaves the form
/// only encrypted.
@MainActor @Observable public final class CardFormModel {
    /// The present state of the form.
    public var state: CardFormState { observed.value }
    /// The delegate that receives the collected card.
    @ObservationIgnored public weak var delegate: (any PayrailsCardFormDelegate)?
    /// Called after every change of ``state``.
    public var onChange: (@MainActor (CardFormState) -> Void)? {
        get { observed.onChange }
        set { observed.onChange = newValue }
    }
    /// Called when the focus should move to another field; a skin that does not support this leaves it nil.
    @ObservationIgnored public var onMoveFocus: (@MainActor (CardFieldType) -> Void)?
    /// The content and the look of the form.
    @ObservationIgnored public let config: CardFormConfig
    /// The view that shows the form.
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

    /// The states from the present one on.
    public var states: AsyncStream<CardFormState> { observed.stream() }

    /// True if the payer wants the card stored for later payments.
    public var saveInstrument: Bool {
        get { state.savesInstrument }
        set { send(.saveChosen(newValue)) }
    }

    /// Sets the text of a field after the payer typed. Ignores fields that the form does not have.
    public func setText(_ text: String, for field: CardFieldType) { send(.edited(field, Redacted(text))) }

    /// Reports that the payer entered a field.
    public func focus(_ field: CardFieldType) { send(.entered(field)) }

    /// Reports that the payer left a field; the field shows its error from now on.
    public func blur(_ field: CardFieldType) { send(.left(field)) }

    /// Empties the form.
    public func clear() { send(.cleared) }

    /// Checks and encrypts the card and passes the result to the delegate.
    ///
    /// - Returns: the result for the delegate; a failure is `invalidCardData`, or the error of the session's
    ///   encryption.
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

    /// Returns the error text below a field, or nil if the field shows no error.
    public func errorText(for field: CardFieldType) -> String? { config.errorText(for: field, in: state) }

    /// Clears number and code, which are not needed in plain any more.
    func forgetSecrets() { send(.secretsTaken) }

    /// Reports the end of a payment with the collected card.
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
    /// Returns the error text below a field, or nil if the field shows no error.
    func errorText(for field: CardFieldType, in state: CardFormState) -> String? {
        guard state[field].visibleError != nil else { return nil }
        return errorText(for: field)
    }

    /// Returns the error text of an invalid field.
    func errorText(for field: CardFieldType) -> String {
        effectiveTranslations.error?[field] ?? "Invalid \(label(for: field).lowercased())"
    }

    /// Returns the name of a field: the app's label, else its accessible name.
    func label(for field: CardFieldType) -> String {
        if let label = effectiveTranslations.labels?[field], !label.isEmpty { return label }
        return field.accessibleName
    }
}
