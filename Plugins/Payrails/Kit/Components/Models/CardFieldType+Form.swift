import PayrailsProvider

extension CardFieldType {
    /// The fields that a card form can have, in the vendor's order.
    static let cardFields: [CardFieldType] = [
        .CARDHOLDER_NAME, .CARD_NUMBER, .EXPIRATION_DATE, .CVV, .EXPIRATION_MONTH, .EXPIRATION_YEAR,
    ]

    /// The field's name for assistive technologies, when the app gives it no label.
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
