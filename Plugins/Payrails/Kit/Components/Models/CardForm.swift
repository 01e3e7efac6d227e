public import Observation
public import PaymentCore
public import PayrailsProvider

/// A form for a card that the payer enters.
///
/// It has no visual appearance: ``CheckoutPage`` and `CheckoutView` are skins over ``state``. The input leaves the form
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

    /// The payment with the present content of the form, as an action of a whole checkout.
    var payment: CheckoutAction {
        let fields = state.order.map { ($0, state[$0].text.reveal()) }
        return .payCard(fields: Redacted(Dictionary(fields) { $1 }), save: saveInstrument)
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

/// The delegate of a ``CardForm``; receives the card that the form collects.
@MainActor public protocol PayrailsCardFormDelegate: AnyObject {
    /// Reports that the card is complete and encrypted for the service; only the service can decrypt it.
    func cardForm(_ view: CardForm, didCollectCardData data: String)
    /// Reports that the card is not complete, or cannot be encrypted.
    func cardForm(_ view: CardForm, didFailWithError error: any Error)
}

/// The state of a ``CardForm``: its whole behaviour, as a value without effects.
///
/// The payer's input is redacted when printed.
public struct CardFormState: Sendable, Hashable {
    /// One field.
    public struct Field: Sendable, Hashable {
        /// The content of the field, formatted.
        public fileprivate(set) var text = Redacted("")
        /// True if the payer is typing in the field.
        public fileprivate(set) var isFocused = false
        /// True if the payer has left the field, or tried to pay: from then on the field shows its error.
        public fileprivate(set) var isVisited = false
        /// The present error of the field, shown or not.
        public fileprivate(set) var error: CardFieldError?

        /// The error that the payer sees: none during typing.
        public var visibleError: CardFieldError? { isVisited && !isFocused ? error : nil }

        /// The style that applies to the field.
        public var appearance: Appearance {
            if isFocused { return .focus }
            if visibleError != nil { return .invalid }
            return error == nil ? .completed : .base
        }
    }

    /// The styles of a field, as in ``CardFieldSpecificStyles``.
    public enum Appearance: String, Sendable, Hashable, CaseIterable {
        /// At rest.
        case base
        /// Focused.
        case focus
        /// Valid.
        case completed
        /// Invalid.
        case invalid
    }

    enum Event: Sendable, Hashable {
        case edited(CardFieldType, Redacted<String>)
        case entered(CardFieldType)
        case left(CardFieldType)
        case saveChosen(Bool)
        case submitted
        case paymentEnded(CardPaymentButtonState.Outcome)
        case secretsTaken
        case cleared
    }

    enum Effect: Sendable, Hashable {
        /// Move the focus to the field.
        case moveFocus(CardFieldType)
        /// Encrypt the card and return it.
        case collect
        /// Report that the card is not acceptable.
        case reject
    }

    /// The fields, row by row.
    public let rows: [[CardFieldType]]
    private var fields: [CardFieldType: Field]
    /// True if the payer wants the card stored.
    public private(set) var savesInstrument = false

    init(rows: [[CardFieldType]], now: YearAndMonth) {
        self.rows = rows
        fields = Dictionary(uniqueKeysWithValues: rows.joined().map { ($0, Field()) })
        validate(now)
    }

    /// The fields, in the order of the focus.
    public var order: [CardFieldType] { Array(rows.joined()) }

    /// A field of the form; an empty one if the form has no such field.
    public subscript(field: CardFieldType) -> Field { fields[field] ?? Field() }

    /// The brand of the number, as far as it is entered.
    public var brand: CardBrand { .of(text(.CARD_NUMBER)) }

    /// The network whose mark is shown.
    public var network: CardNetwork { CardNetwork(number: text(.CARD_NUMBER)) }

    /// The maximum number of digits of the security code.
    public var securityCodeLength: Int { brand.securityCodeLength }

    /// True if every field is valid.
    public var isComplete: Bool { fields.values.allSatisfy { $0.error == nil } }

    /// The first invalid field.
    public var firstInvalid: CardFieldType? { order.first { fields[$0]?.error != nil } }

    /// Applies an event and returns the effects to carry out.
    ///
    /// - Parameter now: the present month.
    mutating func handle(_ event: Event, now: YearAndMonth) -> [Effect] {
        switch event {
        case .edited(let field, let text):
            guard fields[field] != nil else { return [] }
            return edit(field, text.reveal(), now)
        case .entered(let field):
            guard fields[field] != nil else { return [] }
            for other in order where other != field { leave(other) }
            fields[field]?.isFocused = true
        case .left(let field): leave(field)
        case .saveChosen(let saves): savesInstrument = saves
        case .submitted:
            for field in order {
                leave(field)
                fields[field]?.isVisited = true
            }
            validate(now)
            return [isComplete ? .collect : .reject]
        case .paymentEnded(let outcome):
            // A security code is not kept after its use.
            if outcome == .success { reset(order) } else { reset([.CVV]) }
        case .secretsTaken: reset(order.filter(\.isSecret))
        case .cleared: reset(order)
        }
        validate(now)
        return []
    }

    /// Returns the card as the payer entered it.
    ///
    /// - Throws: ``CardDetailsError``, naming every field that is not acceptable.
    func details(now: YearAndMonth) throws(CardDetailsError) -> CardDetails {
        let date = CardFormatter.parts(ofExpiryDate: text(.EXPIRATION_DATE))
        return try CardDetails(
            number: text(.CARD_NUMBER), expiryMonth: date?.month ?? text(.EXPIRATION_MONTH),
            expiryYear: date?.year ?? text(.EXPIRATION_YEAR), securityCode: text(.CVV),
            holderName: fields[.CARDHOLDER_NAME] == nil ? nil : text(.CARDHOLDER_NAME), now: now)
    }

    // MARK: Parts

    private func text(_ field: CardFieldType) -> String { fields[field]?.text.reveal() ?? "" }

    private mutating func edit(_ field: CardFieldType, _ typed: String, _ now: YearAndMonth) -> [Effect] {
        let old = text(field)
        let isDeletion = typed.count < old.count
        let codeLength = securityCodeLength
        let text = formatted(typed, field, isDeletion: isDeletion)
        fields[field]?.text = Redacted(text)
        // A code of another length belongs to another brand.
        if field == .CARD_NUMBER, securityCodeLength != codeLength { reset([.CVV]) }
        validate(now)
        guard !isDeletion, fields[field]?.isFocused == true, fields[field]?.error == nil, isFull(field),
            let position = order.firstIndex(of: field), position + 1 < order.count
        else { return [] }
        return [.moveFocus(order[position + 1])]
    }

    private func formatted(_ typed: String, _ field: CardFieldType, isDeletion: Bool) -> String {
        switch field {
        case .CARD_NUMBER: return CardFormatter.number(typed)
        case .CVV: return CardFormatter.securityCode(typed, brand: brand)
        // Deleting the slash deletes no digit; the digits are deleted one by one.
        case .EXPIRATION_DATE: return CardFormatter.expiryDate(typed)
        case .EXPIRATION_MONTH: return isDeletion ? "" : CardFormatter.month(typed)
        case .EXPIRATION_YEAR: return CardFormatter.year(typed)
        case .CARDHOLDER_NAME, .INPUT_FIELD, .PIN:
            return String(String.UnicodeScalarView(typed.unicodeScalars.filter { $0.value >= 0x20 }.prefix(100)))
        }
    }

    /// Returns true if nothing can follow the content: only then does the focus move on automatically. A valid number
    /// may still be the beginning of a longer one.
    private func isFull(_ field: CardFieldType) -> Bool {
        switch field {
        case .CARD_NUMBER: CardDigits.only(text(field)).utf8.count == brand.lengths.max()
        case .EXPIRATION_DATE: text(field).utf8.count == 5
        case .EXPIRATION_MONTH: text(field).utf8.count == 2
        case .EXPIRATION_YEAR: text(field).utf8.count == 4
        case .CARDHOLDER_NAME, .CVV, .INPUT_FIELD, .PIN: false
        }
    }

    private mutating func leave(_ field: CardFieldType) {
        guard fields[field]?.isFocused == true else { return }
        fields[field]?.isFocused = false
        fields[field]?.isVisited = true
        if field == .EXPIRATION_MONTH {
            let month = CardFormatter.month(text(field), isComplete: true)
            fields[field]?.text = Redacted(month)
        }
    }

    private mutating func reset(_ list: [CardFieldType]) {
        for field in list where fields[field] != nil {
            let isFocused = fields[field]?.isFocused ?? false
            fields[field] = Field()
            fields[field]?.isFocused = isFocused
        }
    }

    private mutating func validate(_ now: YearAndMonth) {
        for field in order {
            let problem = problem(field, now)
            fields[field]?.error = problem
        }
        // Month and year may each be valid, and the month of this year still be past.
        if fields[.EXPIRATION_MONTH] != nil, fields[.EXPIRATION_MONTH]?.error == nil,
            fields[.EXPIRATION_YEAR]?.error == nil
        {
            let problem = CardValidation.expiry(
                month: text(.EXPIRATION_MONTH), year: text(.EXPIRATION_YEAR), now: now)
            fields[.EXPIRATION_MONTH]?.error = problem
        }
    }

    private func problem(_ field: CardFieldType, _ now: YearAndMonth) -> CardFieldError? {
        let text = text(field)
        return switch field {
        case .CARD_NUMBER: CardValidation.number(text)
        case .CARDHOLDER_NAME: CardValidation.holderName(text)
        case .CVV: CardValidation.securityCode(text, brand: brand)
        case .EXPIRATION_MONTH: CardValidation.month(text)
        case .EXPIRATION_YEAR: CardValidation.year(text, now: now)
        case .EXPIRATION_DATE: CardValidation.expiryDate(text, now: now)
        case .INPUT_FIELD, .PIN: nil
        }
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

extension CardFieldType {
    /// The fields that a card form can have, in the vendor's order.
    static let cardFields: [CardFieldType] = [
        .CARDHOLDER_NAME, .CARD_NUMBER, .EXPIRATION_DATE, .CVV, .EXPIRATION_MONTH, .EXPIRATION_YEAR,
    ]

    /// The field's name for assistive technologies, if the app gives it no label.
    var accessibleName: String {
        switch self {
        case .CARDHOLDER_NAME: "Name on card"
        case .CARD_NUMBER: "Card number"
        case .EXPIRATION_DATE: "Expiry date"
        case .CVV: "Security code"
        case .EXPIRATION_MONTH: "Expiry month"
        case .EXPIRATION_YEAR: "Expiry year"
        case .INPUT_FIELD: "Text"
        case .PIN: "PIN"
        }
    }

    /// True if the content is never shown again: neither sent back in a page nor kept after a payment.
    var isSecret: Bool { self == .CARD_NUMBER || self == .CVV || self == .PIN }
}
