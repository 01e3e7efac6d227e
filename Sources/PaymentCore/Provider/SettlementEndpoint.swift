/// The destination of a settler's payment: an invoice, an address or a name, with its kind and its network.
///
/// Its text is canonical, however it was written, also when it is read from a journal: endpoints are equal where their
/// spellings differ only in the case of letters that their kind does not distinguish, or in white space.
///
/// Create one from a text that was read and found sound, never from a text alone; see
/// ``init(_:text:network:paymentHash:)``.
public struct SettlementEndpoint: Sendable, Hashable, Codable {
    /// The kind of an endpoint. Open: later versions and applications may add kinds.
    public struct Kind: Sendable, Hashable, Codable, RawRepresentable {
        /// The kind's name, as journals store it.
        public let rawValue: String

        /// Creates a kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A Lightning invoice (BOLT 11): it is paid once, and the preimage of its payment hash proves it.
        public static let bolt11 = Kind(rawValue: "bolt11")
        /// A Lightning offer (BOLT 12), at which the settler asks for an invoice.
        public static let bolt12Offer = Kind(rawValue: "bolt12-offer")
        /// A Lightning address (LUD-16), at whose host the settler asks for an invoice.
        public static let lightningAddress = Kind(rawValue: "lightning-address")
        /// An LNURL (LUD-01, LUD-17) that the settler follows to an invoice.
        public static let lnurl = Kind(rawValue: "lnurl")
        /// An address on Bitcoin's chain, or on one of its test chains.
        public static let bitcoinAddress = Kind(rawValue: "bitcoin-address")
        /// An address of another coin, which ``SettlementEndpoint/network`` names.
        public static let coinAddress = Kind(rawValue: "coin-address")
    }

    /// The kind of endpoint.
    public let kind: Kind
    /// The invoice, address or name itself, without a scheme and without parameters. Bech32, hexadecimal digits and
    /// host names are in lower case, and an offer is in one part.
    public let text: String
    /// The network on which the money moves, where the text states it: for Bitcoin and Lightning `mainnet`, `testnet`,
    /// `signet` or `regtest`, for other coins their chain.
    public let network: String?
    /// The payment hash of an invoice, 64 hexadecimal digits in lower case; only its payer has the preimage. Nil where
    /// the text has none.
    public let paymentHash: String?

    /// Creates an endpoint from a text that was read.
    ///
    /// - Parameters:
    ///   - kind: the kind of endpoint.
    ///   - text: the invoice, address or name, in any spelling.
    ///   - network: the network that the text names.
    ///   - paymentHash: of an invoice: 64 hexadecimal digits, in any case.
    public init(_ kind: Kind, text: String, network: String? = nil, paymentHash: String? = nil) {
        self.kind = kind
        self.text = CanonicalText.endpoint(text, kind)
        self.network = network
        self.paymentHash = paymentHash?.lowercased()
    }

    private enum CodingKeys: String, CodingKey { case kind, text, network, paymentHash }

    /// Reads a stored endpoint.
    ///
    /// - Throws: the decoder's error where a member is missing or of another type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(Kind.self, forKey: .kind), text: try members.decode(String.self, forKey: .text),
            network: try members.decodeIfPresent(String.self, forKey: .network),
            paymentHash: try members.decodeIfPresent(String.self, forKey: .paymentHash))
    }
}

extension SettlementEndpoint.Kind {
    /// True if the money moves over Lightning, so that a preimage proves it.
    package var isLightning: Bool { [.bolt11, .bolt12Offer, .lightningAddress, .lnurl].contains(self) }

    /// The method by which endpoints of this kind are paid, whatever name their publisher uses: `lightning`, `onchain`,
    /// or the kind's own name.
    package var method: String {
        if isLightning { return "lightning" }
        return self == .bitcoinAddress ? "onchain" : rawValue
    }
}

extension SettlementEndpoint.Kind: CustomStringConvertible {
    /// A few words for people.
    public var description: String {
        switch self {
        case .bolt11: "a Lightning invoice"
        case .bolt12Offer: "a Lightning offer"
        case .lightningAddress: "a Lightning address"
        case .lnurl: "an LNURL"
        case .bitcoinAddress: "a bitcoin address"
        case .coinAddress: "a coin address"
        default: rawValue
        }
    }
}
