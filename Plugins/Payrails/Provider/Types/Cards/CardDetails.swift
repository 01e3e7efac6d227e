public import PaymentCore

/// The payer's input about a card. Redacted when printed.
public struct CardDetails: Sendable, Hashable {
    /// The number, digits only.
    public let number: Redacted<String>
    /// The month, `01` to `12`.
    public let expiryMonth: Redacted<String>
    /// The year, with four digits.
    public let expiryYear: Redacted<String>
    /// The security code, if it was asked for.
    public let securityCode: Redacted<String>?
    /// The holder's name, if it was asked for.
    public let holderName: Redacted<String>?

    /// Creates details of an input that obeys ``CardValidation``.
    ///
    /// - Parameters:
    ///   - number: the number, with or without spaces.
    ///   - expiryMonth: the month, with one digit or two.
    ///   - expiryYear: the year, with four digits, or the last two of a year of this century, as on cards and in the
    ///     service's own samples.
    ///   - securityCode: the code, with three or four digits; nil if it is not asked for.
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

/// An error that names the fields of a card that are not acceptable, with the reasons. Contains nothing of the input.
public struct CardDetailsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error of each field.
    public let fields: [CardFieldType: CardFieldError]

    /// A text for people: the text of each field, in the order of the fields.
    public var description: String {
        fields.keys.sorted { $0.rawValue < $1.rawValue }.compactMap(\.defaultErrorText).joined(separator: "; ")
    }
}
