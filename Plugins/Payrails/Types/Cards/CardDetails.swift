public import PaymentCore

/// What a payer entered about a card. Prints as nothing.
public struct CardDetails: Sendable, Hashable {
    /// The number, digits only.
    public let number: Redacted<String>
    /// `01` to `12`.
    public let expiryMonth: Redacted<String>
    /// Four digits.
    public let expiryYear: Redacted<String>
    /// The security code, where it was asked for.
    public let securityCode: Redacted<String>?
    /// The holder's name, where it was asked for.
    public let holderName: Redacted<String>?

    /// Creates details of what was entered when it obeys ``CardValidation``.
    ///
    /// - Parameters:
    ///   - number: with or without spaces.
    ///   - expiryMonth: one digit or two.
    ///   - expiryYear: four digits, or the last two of this century's, as cards and the service's own samples have
    ///     them.
    ///   - securityCode: three or four digits; nil where none is asked for.
    ///   - holderName: the name on the card.
    ///   - now: the present month.
    /// - Throws: ``CardDetailsError``, naming every field that is not acceptable.
    public init(
        number: String, expiryMonth: String, expiryYear: String, securityCode: String?, holderName: String? = nil,
        now: YearAndMonth
    ) throws(CardDetailsError) {
        var errors: [CardFieldType: CardFieldError] = [:]
        let isShort = expiryYear.utf8.count == 2 && CardText.isDigits(expiryYear)
        let expiryYear = isShort ? "20\(expiryYear)" : expiryYear
        errors[.CARD_NUMBER] = CardValidation.number(number)
        errors[.EXPIRATION_MONTH] = CardValidation.month(expiryMonth)
        errors[.EXPIRATION_YEAR] = CardValidation.year(expiryYear, now: now)
        if errors[.EXPIRATION_MONTH] == nil, errors[.EXPIRATION_YEAR] == nil {
            errors[.EXPIRATION_DATE] = CardValidation.expiry(month: expiryMonth, year: expiryYear, now: now)
        }
        errors[.CVV] = securityCode.flatMap { CardValidation.securityCode($0, brand: .of(number)) }
        errors[.CARDHOLDER_NAME] = holderName.flatMap(CardValidation.holderName)
        guard errors.isEmpty else { throw CardDetailsError(fields: errors) }
        self.number = Redacted(CardDigits.only(number))
        self.expiryMonth = Redacted(expiryMonth.utf8.count == 1 ? "0\(expiryMonth)" : expiryMonth)
        self.expiryYear = Redacted(expiryYear)
        self.securityCode = securityCode.map(Redacted.init)
        self.holderName = holderName.map(Redacted.init)
    }
}

/// Which fields of a card are not acceptable, and why. Holds nothing that was entered.
public struct CardDetailsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, by field.
    public let fields: [CardFieldType: CardFieldError]

    /// A text for people: each field's own, in the order of the fields.
    public var description: String {
        fields.keys.sorted { $0.rawValue < $1.rawValue }.compactMap(\.defaultErrorText).joined(separator: "; ")
    }
}
