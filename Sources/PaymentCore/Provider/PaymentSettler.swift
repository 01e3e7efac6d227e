/// Sends the payer's own money to an endpoint: a Lightning node, a wallet of coins, a service that does either. Keys
/// stay inside.
///
/// Only the settler sees that money, so its report is all that is ever known of it. It stores each name, with the
/// payment that was first requested under it, before it sends anything: a node knows payment hashes, and no names.
///
/// ```swift
/// func settle(_ settlement: Settlement) async throws -> SettlementState {
///     // In one transaction: the row of this name; otherwise a new one, refused where another name has the invoice.
///     let (row, isNew) = try await rows.begin(settlement)
///     if isNew { await node.pay(row.endpoint.text, row.amount) }
///     return try await state(of: row)
/// }
/// ```
public protocol PaymentSettler: Sendable {
    /// The permanent name of the settler's memory: of the orders that it keeps, not of the wallet that pays them. It is
    /// drawn once, with that memory. An attempt that this settler was asked to pay is asked about, and resumed, under
    /// no other name: a settler with another memory knows nothing of it.
    var name: String { get }

    /// Returns true if endpoints of this kind can be paid at all, on the network that their text names (nil if it
    /// names none). Decides which options the payer can choose.
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool

    /// Returns the most that paying an amount may cost beyond the amount, in its currency and decimals, rounded up; nil
    /// if it never costs more. Limits for paying without a question reserve it.
    func feeLimit(for amount: Money, to kind: SettlementEndpoint.Kind) -> Money?

    /// Notes that a payment may be requested under a name, unless the name is known. Durable when it returns, and sends
    /// nothing. A router calls it before its journal records that the payment may have begun. A settler that does not
    /// know a name with such a record has lost it, and is not asked to pay under it.
    ///
    /// - Throws: any error; the payment is not requested then.
    func register(_ name: String) async throws

    /// Returns what was begun under a name (``Settlement/key``), whatever it pays:
    /// ``SettlementState/registered`` if nothing was requested yet, nil for a name that was never registered here.
    /// Sends nothing.
    ///
    /// - Throws: any error, when that cannot be determined.
    func order(named name: String) async throws -> SettlementOrder?

    /// Returns the payment of an invoice that was made or is in flight, under any name; nil if there is none.
    ///
    /// - Throws: any error, when that cannot be determined, and for another invoice of the payment hash of `endpoint`.
    func order(paying endpoint: SettlementEndpoint) async throws -> SettlementOrder?

    /// Pays, at most once for each name and for each payment hash. The first payment of a name is its only one: later
    /// calls with another endpoint send nothing, and return the first one's state.
    ///
    /// - Returns: the state of the name. ``SettlementState/nothingSent(reason:)`` is final for it: no earlier or later
    ///   request under it is carried out. It is also the result when the payer declines.
    /// - Throws: any error, when the state cannot be determined; money is taken to have moved then.
    func settle(_ settlement: Settlement) async throws -> SettlementState

    /// Promises that nothing is ever sent under a name, unless it was requested before.
    ///
    /// - Returns: ``SettlementState/nothingSent(reason:)``, which is the promise; otherwise the name's state.
    /// - Throws: any error, when neither can be stated.
    func abandon(_ name: String) async throws -> SettlementState

    /// Ends a name by a person's decision that nothing was sent under it, and never will be: nothing is sent under it
    /// after this. A settler whose orders all end by themselves needs no decision, and has this method already.
    ///
    /// - Parameters:
    ///   - name: ``Settlement/key``.
    ///   - evidence: what the person has seen, such as the record of the node behind a server.
    /// - Returns: the name's state then; ``SettlementState/settled(_:)`` if the settler knows that it paid.
    /// - Throws: any error, when it cannot be stored, or the name is unknown.
    func end(_ name: String, because evidence: String) async throws -> SettlementState
}

extension PaymentSettler {
    /// Abandons the name.
    ///
    /// - Throws: any error, when it cannot be stored.
    public func end(_ name: String, because evidence: String) async throws -> SettlementState {
        try await abandon(name)
    }
}

extension PaymentError {
    /// The error of a settler that did not answer. Only the settler's state proves that nothing was sent, whatever
    /// phase its error claims.
    ///
    /// - Parameter hasAsked: true if it was asked to pay before.
    package static func settlerUnanswered(_ error: any Error, hasAsked: Bool) -> PaymentError {
        let reason = (error as? PaymentError)?.message ?? "\(type(of: error))"
        return PaymentError(
            .payer, "the payer's settler did not say what became of the payment (\(reason))",
            phase: hasAsked ? .maybeSent : .beforeSend, retry: .later, cause: error)
    }
}

/// A settler's record of a payment.
public struct SettlementOrder: Sendable, Hashable {
    /// The name, ``Settlement/key``; nil for a payment that was requested without one, as from the wallet itself.
    public let name: String?
    /// The endpoint that is paid; nil if none was requested before the name was abandoned.
    public let endpoint: SettlementEndpoint?
    /// The amount, if it is known.
    public let amount: Money?
    /// The state.
    public let state: SettlementState

    /// Creates a record.
    public init(name: String?, endpoint: SettlementEndpoint?, amount: Money?, state: SettlementState) {
        (self.name, self.endpoint, self.amount, self.state) = (name, endpoint, amount, state)
    }
}

/// A payment that a settler is asked to make.
public struct Settlement: Sendable, Hashable {
    /// The payment's name at the settler: at most 64 ASCII characters, always the same for one attempt.
    public let key: String
    /// The destination of the money.
    public let endpoint: SettlementEndpoint
    /// The amount: bitcoin in satoshi, or in thousandths of a satoshi if the exponent is 11.
    public let amount: Money

    /// Creates a settlement.
    public init(key: String, endpoint: SettlementEndpoint, amount: Money) {
        (self.key, self.endpoint, self.amount) = (key, endpoint, amount)
    }
}

/// The state of a settlement, as the settler reports it.
@nonexhaustive
public enum SettlementState: Sendable, Hashable {
    /// The money has arrived, or was broadcast to the chain.
    case settled(SettlementProof)
    /// It is on its way, or may be. Ask again after so long, when known.
    case inFlight(retryAfter: Duration?)
    /// The name is registered, and nothing was requested under it: nothing was sent, and something may be.
    case registered
    /// Certainly nothing was sent. The reason, if there is one, is for people and holds no secrets.
    case nothingSent(reason: String?)
    /// The invoice was paid under another name; under this one nothing was sent, and nothing will be.
    case settledElsewhere(name: String)
}

/// The proof that a settler paid.
@nonexhaustive
public enum SettlementProof: Sendable, Hashable {
    /// The preimage of an invoice's payment hash: 64 hexadecimal digits.
    case preimage(String)
    /// The id of a transaction on the chain, as the chain writes it.
    case transaction(String)
    /// No proof: the record of the wallet that paid says that the invoice of this payment hash is paid, and has no
    /// preimage. A payment inside one server has none, for example.
    case unproven(paymentHash: String)

    /// The proof without the prefix that names its kind; of a payment without a proof its payment hash.
    public var text: String {
        switch self {
        case .preimage(let text), .transaction(let text), .unproven(let text): text
        }
    }

    /// The proof as one text, with a prefix that names its kind.
    package var stored: String {
        switch self {
        case .preimage(let text): "preimage:" + text
        case .transaction(let text): "transaction:" + text
        case .unproven(let text): "unproven:" + text
        }
    }

    /// Reads ``stored``; nil when it is not the proof of a settlement.
    package init?(stored: String) {
        let words = stored.split(separator: ":", maxSplits: 1).map(String.init)
        switch words.count == 2 ? words[0] : "" {
        case "preimage": self = .preimage(words[1])
        case "transaction": self = .transaction(words[1])
        case "unproven": self = .unproven(paymentHash: words[1])
        default: return nil
        }
    }
}

extension PaymentReceipt {
    /// Creates the receipt of a settlement. One without a proof says so, and names no transaction.
    public init(reference: PaymentReference, amount: Money?, proof: SettlementProof) {
        var unproven: String?
        if case .unproven(let hash) = proof {
            unproven = "the wallet's own record says that the invoice \(hash) is paid, and has no preimage"
        }
        self.init(
            reference: reference, amount: amount, transactionID: unproven == nil ? proof.text : nil, unproven: unproven)
    }
}

extension SettlementProof: Codable {
    /// Reads a proof as journals store it: one text, with a prefix that names its kind.
    ///
    /// - Throws: `DecodingError` when it is not a proof.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let proof = Self(stored: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the proof of a settlement")
        }
        self = proof
    }

    /// Writes the proof.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stored)
    }
}

extension Payer {
    /// Returns the payment of an invoice under another name than `name`: it could be taken for this one although no
    /// money moved. Nil if there is none, and for an endpoint that is not an invoice, because that takes every payment.
    package func order(paying endpoint: SettlementEndpoint, except name: String? = nil)
        async throws(PaymentError) -> SettlementOrder?
    {
        guard endpoint.paymentHash != nil, let settler else { return nil }
        do {
            let order = try await settler.order(paying: endpoint)
            return name == nil || order?.name != name ? order : nil
        } catch {
            throw .settlerUnanswered(error, hasAsked: false)
        }
    }
}

// MARK: - Endpoint

/// The destination of a settler's payment: an invoice, an address or a name, with its kind and its network.
///
/// Its text is canonical, however it was written, also when it is read from a journal: endpoints are equal if their
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
    /// The network on which the money moves, if the text states it: for Bitcoin and Lightning `mainnet`, `testnet`,
    /// `signet` or `regtest`, for other coins their chain.
    public let network: String?
    /// The payment hash of an invoice, 64 hexadecimal digits in lower case; only its payer has the preimage. Nil if
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
    /// - Throws: the decoder's error if a member is missing or of another type.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(Kind.self, forKey: .kind), text: try members.decode(String.self, forKey: .text),
            network: try members.decodeIfPresent(String.self, forKey: .network),
            paymentHash: try members.decodeIfPresent(String.self, forKey: .paymentHash))
    }
}

extension SettlementEndpoint.Kind {
    /// True if the money moves over Lightning: a preimage proves it.
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
