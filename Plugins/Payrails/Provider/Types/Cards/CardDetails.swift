public import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

/// The encryption of a card for the service only: a compact JWE for the key in the init data.
package struct CardEncryption: Sendable {
    private let key: RSAPublicKey
    private let holderReference: String
    private let random: any RandomSource

    /// Creates an encryption with the key of `payload`.
    ///
    /// - Throws: ``PayrailsError/missingData(_:)`` if the init data has no usable key.
    package init(_ payload: SessionPayload, random: any RandomSource) throws(PayrailsError) {
        guard let text = payload.encryptionKey?.nonEmpty else {
            throw .missingData("'vaultConfiguration.encryptionPublicKey', which entering a card needs")
        }
        guard let der = Data(base64Encoded: text), let key = try? RSAPublicKey(subjectPublicKeyInfo: Array(der)) else {
            throw .missingData("a usable 'vaultConfiguration.encryptionPublicKey': base64 of an RSA public key")
        }
        self.key = key
        holderReference = payload.holderReference ?? ""
        self.random = random
    }

    /// Returns the card encrypted for the service.
    ///
    /// - Throws: ``PayrailsError/unknown(error:)`` if the system's cryptography fails.
    package func encrypt(_ card: CardDetails) throws(PayrailsError) -> String {
        var members: [String: JSONValue] = [
            "holderReference": .string(holderReference), "cardNumber": .string(card.number.reveal()),
            "expiryMonth": .string(card.expiryMonth.reveal()), "expiryYear": .string(card.expiryYear.reveal()),
        ]
        members["holderName"] = card.holderName.map { .string($0.reveal()) }
        members["securityCode"] = card.securityCode.map { .string($0.reveal()) }
        do {
            return try JWE.encrypt(JSONValue.object(members).serialized(), to: key) { count in
                (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
        } catch {
            throw .unknown(error: error)
        }
    }
}
