import PaymentCore

/// The means of a payment.
package enum PaymentMeans: Sendable {
    case stored(any StoredInstrument)
    case card(encryptedData: String, save: Bool)
    case payPal(save: Bool)
    case applePay(ApplePayToken, save: Bool)
    case redirect(code: String?)

    /// Creates means that need only the name of a type.
    package init(_ type: Payrails.PaymentType, code: String?, save: Bool) throws(PayrailsError) {
        switch type {
        case .payPal: self = .payPal(save: save)
        case .genericRedirect: self = .redirect(code: code)
        case .card: throw .missingData("the card; use executePayment(withCard:…) or a stored instrument")
        case .applePay: throw .missingData("the token of Apple's sheet; use executePayment(withApplePay:…)")
        }
    }

    /// The type of the payment.
    var type: Payrails.PaymentType {
        switch self {
        case .stored(let instrument): instrument.type
        case .card: .card
        case .payPal: .payPal
        case .applePay: .applePay
        case .redirect: .genericRedirect
        }
    }
}
