import PaymentCore

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
