import PaymentCore

/// A payment method that the payer saved earlier.
public protocol StoredInstrument: Sendable {
    /// The service's id.
    var id: String { get }
    /// The e-mail address of an account, if the method has one. Personal data.
    var email: String? { get }
    /// A short text by which the payer recognises the instrument; of a card `411111***1111`.
    var description: String? { get }
    /// The type of the instrument.
    var type: Payrails.PaymentType { get }
    /// True if the payer prefers the instrument.
    var isDefault: Bool { get }
}

extension StoredInstrument {
    /// False.
    public var isDefault: Bool { false }

    /// Returns the text to show for the instrument, as the guide describes it: `Card ending in 1111`,
    /// `PayPal - name@example.com`.
    ///
    /// The vendor's releases show a card's ``description`` instead of its last digits; this method does so only if the
    /// service did not send the digits.
    ///
    /// - Parameters:
    ///   - cardPrefix: the text before a card's digits.
    ///   - paypalPrefix: the text before an account's address.
    public func displayText(cardPrefix: String = "Card ending in", paypalPrefix: String = "PayPal") -> String {
        switch type {
        case .card:
            let digits = (self as? StoredCardInstrument)?.suffix?.nonEmpty ?? description?.nonEmpty
            return digits.map { "\(cardPrefix) \($0)" } ?? "Card"
        case .payPal: return email?.nonEmpty.map { "\(paypalPrefix) - \($0)" } ?? paypalPrefix
        case .applePay, .genericRedirect: return description?.nonEmpty ?? "Payment Method"
        }
    }
}

/// A saved card.
public struct StoredCardInstrument: StoredInstrument, Hashable {
    /// The service's id.
    public let id: String
    /// The first digits.
    public let bin: String?
    /// The last four digits.
    public let suffix: String?
    /// The service's name for the card.
    public let displayName: String?
    /// The service's name of the status, such as `enabled`.
    public let status: String
    /// True if the payer prefers the card.
    public let isDefault: Bool
    /// The month until whose end the card is valid, as `MM/YY`; nil if the service did not send it.
    public let expiry: String?

    /// Creates an instrument.
    public init(
        id: String, bin: String?, suffix: String?, displayName: String? = nil, status: String = "enabled",
        isDefault: Bool = false, expiry: String? = nil
    ) {
        self.expiry = expiry
        self.id = id
        self.bin = bin
        self.suffix = suffix
        self.displayName = displayName
        self.status = status
        self.isDefault = isDefault
    }

    /// Nil: cards have no e-mail address.
    public var email: String? { nil }
    /// The first digits, three asterisks and the last digits.
    public var description: String? { "\(bin ?? "")***\(suffix ?? "")" }
    /// ``Payrails/PaymentType/card``.
    public var type: Payrails.PaymentType { .card }
}

/// A saved PayPal account.
public struct StoredPayPalInstrument: StoredInstrument, Hashable {
    /// The service's id.
    public let id: String
    private let address: Redacted<String?>
    /// The service's name of the status, such as `enabled`.
    public let status: String
    /// True if the payer prefers the account.
    public let isDefault: Bool

    /// Creates an instrument.
    public init(id: String, email: String?, status: String = "enabled", isDefault: Bool = false) {
        self.id = id
        address = Redacted(email)
        self.status = status
        self.isDefault = isDefault
    }

    /// The account's address. Personal data.
    public var email: String? { address.reveal() }
    /// Nil: accounts have only an address.
    public var description: String? { nil }
    /// ``Payrails/PaymentType/payPal``.
    public var type: Payrails.PaymentType { .payPal }
}
