/// A field of a card form, in the vendor's names and order.
public enum CardFieldType: Int, Sendable, Hashable, CaseIterable {
    /// The holder's name.
    case CARDHOLDER_NAME = 0
    /// The number.
    case CARD_NUMBER = 1
    /// Month and year in one field.
    case EXPIRATION_DATE = 2
    /// The security code.
    case CVV = 3
    /// Any text; not part of card forms.
    case INPUT_FIELD = 4
    /// A PIN; not part of card forms.
    case PIN = 5
    /// The month.
    case EXPIRATION_MONTH = 6
    /// The year.
    case EXPIRATION_YEAR = 7

    /// The field's name in results.
    public var column: String {
        switch self {
        case .CARDHOLDER_NAME: "cardholder_name"
        case .CARD_NUMBER: "card_number"
        case .EXPIRATION_DATE: "expiry_date"
        case .CVV: "security_code"
        case .INPUT_FIELD: "input_field"
        case .PIN: "pin"
        case .EXPIRATION_MONTH: "expiry_month"
        case .EXPIRATION_YEAR: "expiry_year"
        }
    }

    /// The placeholder of the empty field.
    public var defaultPlaceholder: String? {
        switch self {
        case .CARDHOLDER_NAME: "Full Name"
        case .CARD_NUMBER: "Card Number"
        case .EXPIRATION_DATE: "MM/YY"
        case .CVV: "CVV"
        case .EXPIRATION_MONTH: "MM"
        case .EXPIRATION_YEAR: "YYYY"
        case .INPUT_FIELD, .PIN: nil
        }
    }

    /// The text of the error when the field's content is not acceptable.
    public var defaultErrorText: String? {
        switch self {
        case .CARDHOLDER_NAME: "Enter name as it appears on card"
        case .CARD_NUMBER: "Enter a valid card number"
        case .EXPIRATION_DATE: "Enter a valid expiry date (MM/YY)"
        case .CVV: "Enter the 3 or 4 digit code"
        case .EXPIRATION_MONTH: "Enter a valid month"
        case .EXPIRATION_YEAR: "Enter a valid year"
        case .INPUT_FIELD, .PIN: nil
        }
    }
}
