import PaymentCore

/// A stored instrument as the service describes it after a change or when it is saved.
public struct InstrumentResponse: Sendable, Hashable, Codable {
    /// What is known of a card or an account. Whatever is missing or of another kind is nil: it costs itself only.
    public struct CardData: Sendable, Hashable, Codable {
        /// The first digits: of a card only, as the next four.
        public let bin: String?
        /// The card network in the service's word.
        public let network: String?
        /// The last four digits.
        public let suffix: String?
        /// `01` to `12`.
        public let expiryMonth: String?
        /// Four digits, or the last two, as the service has it.
        public let expiryYear: String?
        /// What the first digits say about the card.
        public let binLookup: BinLookup?
        private let name: Redacted<String?>
        private let address: Redacted<String?>

        /// The name on a card. Personal data.
        public var holderName: String? { name.reveal() }
        /// The e-mail address of an account. Personal data.
        public var email: String? { address.reveal() }
    }

    /// What the first digits of a card say about it.
    public struct BinLookup: Sendable, Hashable, Codable {
        /// The first digits.
        public let bin: String?
        /// The card network in the service's word.
        public let network: String?
        /// The bank.
        public let issuer: String?
        /// The kind of card, such as `credit`.
        public let type: String?
        /// The bank's country.
        public let issuerCountry: IssuerCountry?
    }

    /// A country in the service's words.
    public struct IssuerCountry: Sendable, Hashable, Codable {
        /// Two letters (ISO 3166).
        public let code: String?
        /// Its name.
        public let name: String?
        /// Three letters (ISO 3166).
        public let iso3: String?
    }

    /// The service's id.
    public let id: String
    /// When it was made, as the service writes it.
    public let createdAt: String
    /// The service's id of the holder.
    public let holderId: String
    /// The kind of method.
    public let paymentMethod: String
    /// The service's word for its state.
    public let status: String
    /// What is known of it.
    public let data: CardData
    /// The same for the same card.
    public let fingerprint: String?
    /// What it may be used for later.
    public let futureUsage: String?

    /// Creates a value by reading the service's answer. What it says besides the members that are never missing costs
    /// itself only when it has another shape: an instrument that was saved is not reported as a failure for it.
    ///
    /// - Throws: `DecodingError` when the id, the time, the holder, the method, the state or the data is missing.
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
    /// - Throws: `DecodingError` when it is no object.
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

    /// Writes what ``init(from:)`` reads, names and addresses too.
    ///
    /// - Throws: what `encoder` throws.
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
    /// - Throws: `DecodingError` when it is no object.
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
    /// - Throws: `DecodingError` when it is no object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        code = members.text(.code)
        name = members.text(.name)
        iso3 = members.text(.iso3)
    }
}

extension KeyedDecodingContainer {
    /// The text of a member, or its whole number as text; nil for everything else.
    fileprivate func text(_ key: Key) -> String? {
        if let text = try? decode(String.self, forKey: key) { return text }
        return (try? decode(Int64.self, forKey: key)).map(String.init)
    }
}
