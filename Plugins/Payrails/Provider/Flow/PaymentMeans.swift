import PaymentCore
package import PayrailsTypes

/// What a payment is made with.
package enum PaymentMeans: Sendable {
    case stored(any StoredInstrument)
    case card(encryptedData: String, save: Bool)
    case payPal(save: Bool)
    case applePay(ApplePayToken, save: Bool)
    case redirect(code: String?)

    /// What needs nothing but the name of a type.
    package init(_ type: Payrails.PaymentType, code: String?, save: Bool) throws(PayrailsError) {
        switch type {
        case .payPal: self = .payPal(save: save)
        case .genericRedirect: self = .redirect(code: code)
        case .card: throw .missingData("the card; use executePayment(withCard:…) or a stored instrument")
        case .applePay: throw .missingData("the token of Apple's sheet; use executePayment(withApplePay:…)")
        }
    }

    /// What kind of payment it is.
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
