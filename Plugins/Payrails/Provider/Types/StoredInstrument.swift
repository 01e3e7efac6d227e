import PaymentCore

/// A payment method that the payer saved earlier.
public protocol StoredInstrument: Sendable {
    /// The service's id.
    var id: String { get }
    /// The e-mail address of an account, if the method has one. Personal data.
    var email: String? { get }
    /// A short text that identifies the instrument for the payer; for a card `411111***1111`.
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
    /// The vendor's releases show a card's ``description`` instead of its last digits. This method does so only if the
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

// MARK: - Requests

/// The answer to a deletion.
public struct DeleteInstrumentResponse: Sendable, Hashable, Codable {
    /// True if the instrument is deleted.
    public let success: Bool

    /// Creates an answer.
    public init(success: Bool) { self.success = success }
}

/// The changes to a stored instrument; a nil value leaves the present one.
public struct UpdateInstrumentBody: Sendable, Hashable, Codable {
    /// The status, `enabled` or `disabled`.
    public var status: String?
    /// A reference of the card network.
    public var networkTransactionReference: String?
    /// The merchant's own reference.
    public var merchantReference: String?
    /// The kind of method.
    public var paymentMethod: String?
    /// True if the payer prefers the instrument.
    public var `default`: Bool?

    /// Creates a change.
    public init(
        status: String? = nil, networkTransactionReference: String? = nil, merchantReference: String? = nil,
        paymentMethod: String? = nil, default: Bool? = nil
    ) {
        self.status = status
        self.networkTransactionReference = networkTransactionReference
        self.merchantReference = merchantReference
        self.paymentMethod = paymentMethod
        self.default = `default`
    }
}

/// The later use of a saved instrument.
public enum FutureUsage: String, Sendable, Hashable, Codable {
    /// Payments that the payer starts.
    case cardOnFile = "CardOnFile"
    /// Regular payments.
    case subscription = "Subscription"
    /// Other payments that the merchant starts.
    case unscheduledCardOnFile = "UnscheduledCardOnFile"
}

/// The options for saving an instrument.
public struct TokenizeOptions: Sendable, Hashable {
    /// True if the instrument is kept for later payments.
    public var storeInstrument: Bool
    /// The later use of the instrument.
    public var futureUsage: FutureUsage

    /// Creates options.
    public init(storeInstrument: Bool = false, futureUsage: FutureUsage = .cardOnFile) {
        self.storeInstrument = storeInstrument
        self.futureUsage = futureUsage
    }
}

// MARK: - Answers

/// A stored instrument as the service describes it after a change or after saving it.
public struct InstrumentResponse: Sendable, Hashable, Codable {
    /// The data of a card or an account. A value that is missing or of another kind is nil, and does not affect the
    /// others.
    public struct CardData: Sendable, Hashable, Codable {
        /// The first digits of a card (its issuer's number); nil for accounts.
        public let bin: String?
        /// The card network as the service names it.
        public let network: String?
        /// The last four digits.
        public let suffix: String?
        /// The month, `01` to `12`.
        public let expiryMonth: String?
        /// The year, with four digits or the last two, as the service writes it.
        public let expiryYear: String?
        /// The data that the service derives from the first digits of the card.
        public let binLookup: BinLookup?
        private let name: Redacted<String?>
        private let address: Redacted<String?>

        /// The name on a card. Personal data.
        public var holderName: String? { name.reveal() }
        /// The e-mail address of an account. Personal data.
        public var email: String? { address.reveal() }
    }

    /// The data of a card that the service derives from its first digits.
    public struct BinLookup: Sendable, Hashable, Codable {
        /// The first digits.
        public let bin: String?
        /// The card network as the service names it.
        public let network: String?
        /// The bank.
        public let issuer: String?
        /// The kind of card, such as `credit`.
        public let type: String?
        /// The bank's country.
        public let issuerCountry: IssuerCountry?
    }

    /// A country as the service names it.
    public struct IssuerCountry: Sendable, Hashable, Codable {
        /// Two letters (ISO 3166).
        public let code: String?
        /// The country's name.
        public let name: String?
        /// Three letters (ISO 3166).
        public let iso3: String?
    }

    /// The service's id.
    public let id: String
    /// The time of creation, as the service writes it.
    public let createdAt: String
    /// The service's id of the holder.
    public let holderId: String
    /// The kind of method.
    public let paymentMethod: String
    /// The service's name of the instrument's status.
    public let status: String
    /// The data of the card or account.
    public let data: CardData
    /// The fingerprint, equal for equal cards.
    public let fingerprint: String?
    /// The later use of the instrument.
    public let futureUsage: String?

    /// Creates a value by reading the service's answer. A member that is not always present is nil if it has another
    /// form: it does not turn a saved instrument into a failure.
    ///
    /// - Throws: `DecodingError` if the id, the time, the holder, the method, the status or the data is missing.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        createdAt = try members.decode(String.self, forKey: .createdAt)
        holderId = try members.decode(String.self, forKey: .holderId)
        paymentMethod = try members.decode(String.self, forKey: .paymentMethod)
        status = try members.decode(String.self, forKey: .status)
        data = try members.decode(CardData.self, forKey: .data)
        fingerprint = members.text(.fingerprint)
        futureUsage = members.text(.futureUsage)
    }
}

/// The answer to a change.
public typealias UpdateInstrumentResponse = InstrumentResponse
/// The answer to saving an instrument.
public typealias SaveInstrumentResponse = InstrumentResponse

extension InstrumentResponse.CardData {
    private enum CodingKeys: String, CodingKey {
        case bin, network, suffix, expiryMonth, expiryYear, binLookup, holderName, email
    }

    /// Creates a value by reading the service's answer.
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        bin = members.text(.bin)
        network = members.text(.network)
        suffix = members.text(.suffix)
        expiryMonth = members.text(.expiryMonth)
        expiryYear = members.text(.expiryYear)
        binLookup = try? members.decode(InstrumentResponse.BinLookup.self, forKey: .binLookup)
        name = Redacted(members.text(.holderName))
        address = Redacted(members.text(.email))
    }

    /// Writes the values that ``init(from:)`` reads, names and addresses included.
    ///
    /// - Throws: any error of `encoder`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(bin, forKey: .bin)
        try members.encodeIfPresent(network, forKey: .network)
        try members.encodeIfPresent(suffix, forKey: .suffix)
        try members.encodeIfPresent(expiryMonth, forKey: .expiryMonth)
        try members.encodeIfPresent(expiryYear, forKey: .expiryYear)
        try members.encodeIfPresent(binLookup, forKey: .binLookup)
        try members.encodeIfPresent(holderName, forKey: .holderName)
        try members.encodeIfPresent(email, forKey: .email)
    }
}

extension InstrumentResponse.BinLookup {
    /// Creates a value by reading the service's answer.
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        bin = members.text(.bin)
        network = members.text(.network)
        issuer = members.text(.issuer)
        type = members.text(.type)
        issuerCountry = try? members.decode(InstrumentResponse.IssuerCountry.self, forKey: .issuerCountry)
    }
}

extension InstrumentResponse.IssuerCountry {
    /// Creates a value by reading the service's answer.
    ///
    /// - Throws: `DecodingError` if the value is not an object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = members.text(.code)
        name = members.text(.name)
        iso3 = members.text(.iso3)
    }
}

extension KeyedDecodingContainer {
    /// Returns the text of a member, or its whole number as text; nil for any other value.
    fileprivate func text(_ key: Key) -> String? {
        if let text = try? decode(String.self, forKey: key) { return text }
        return (try? decode(Int64.self, forKey: key)).map(String.init)
    }
}
