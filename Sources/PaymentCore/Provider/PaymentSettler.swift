/// Sends the payer's own money to an endpoint: a Lightning node, a wallet of coins, a service that does either. Keys
/// stay inside.
///
/// Only the settler sees that money, so its report is all that is ever known of it. It has to recognise its payments:
/// by the payment hash where the endpoint has one, by ``Settlement/key`` otherwise.
///
/// ```swift
/// struct Node: PaymentSettler {
///     func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool {
///         kind == .bolt11 && network == "mainnet"
///     }
///     func state(of settlement: Settlement) async throws -> SettlementState {
///         try await node.payment(settlement.endpoint.paymentHash)?.state ?? .nothingSent(reason: nil)
///     }
///     func settle(_ settlement: Settlement) async throws -> SettlementState {
///         try await node.pay(settlement.endpoint.text, settlement.amount, label: settlement.key).state
///     }
/// }
/// ```
public protocol PaymentSettler: Sendable {
    /// Returns true if endpoints of this kind can be paid at all. Decides which options the payer can choose.
    ///
    /// - Parameters:
    ///   - kind: the kind of the endpoint.
    ///   - network: the network that its text names; nil where it names none.
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool

    /// Returns the state of a settlement. Changes nothing.
    ///
    /// Called before anything is sent, and again after a crash: an invoice that was paid before, by this attempt or any
    /// other, is ``SettlementState/settled(_:)``. Another invoice of the same payment hash is not: throw, so that it is
    /// neither paid, which would lose the money, nor reported as paid.
    ///
    /// - Parameter settlement: the settlement as it was to be paid.
    /// - Returns: the known state; ``SettlementState/nothingSent(reason:)`` only if that is certain.
    /// - Throws: any error, when the state cannot be determined.
    func state(of settlement: Settlement) async throws -> SettlementState

    /// Pays, at most once for each key and for each payment hash, however often it is called.
    ///
    /// - Parameter settlement: the settlement to pay; everything in it was checked.
    /// - Returns: the state of the settlement. ``SettlementState/nothingSent(reason:)`` is final for this key: no
    ///   earlier or later request under it is carried out any more, and a repeated call returns the same. It is also
    ///   the result when the payer declines.
    /// - Throws: any error, when the state cannot be determined; money is taken to have moved then.
    func settle(_ settlement: Settlement) async throws -> SettlementState
}

/// A payment that a settler is asked to make.
public struct Settlement: Sendable, Hashable {
    /// The settler's identifier of this payment: a text of at most 64 ASCII characters, always the same for one
    /// attempt.
    public let key: String
    /// The destination of the money.
    public let endpoint: SettlementEndpoint
    /// The amount: bitcoin in satoshi, or in thousandths of a satoshi where the exponent is 11.
    public let amount: Money

    /// Creates a settlement.
    public init(key: String, endpoint: SettlementEndpoint, amount: Money) {
        self.key = key
        self.endpoint = endpoint
        self.amount = amount
    }
}

extension Payer {
    /// Returns the settler's state of an invoice that `settlement` has not begun to pay: it is about another payment,
    /// and would pass for this one without a coin having moved. Nil where the settler knows nothing, and for an
    /// endpoint that is no invoice: that takes every payment.
    ///
    /// - Throws: ``PaymentError``, when the settler does not answer.
    package func otherPayment(than settlement: Settlement) async throws(PaymentError) -> SettlementState? {
        guard settlement.endpoint.paymentHash != nil, let settler else { return nil }
        let state: SettlementState
        do { state = try await settler.state(of: settlement) } catch {
            throw PaymentError(
                .payer, "the payer's settler does not say whether it knows the payee's invoice", retry: .later)
        }
        if case .nothingSent = state { return nil }
        return state
    }
}

/// The state of a settlement, as the settler reports it.
@nonexhaustive
public enum SettlementState: Sendable, Hashable {
    /// The money has arrived, or was broadcast to the chain.
    case settled(SettlementProof)
    /// It is on its way, or may be. Ask again after so long, when known.
    case inFlight(retryAfter: Duration?)
    /// Certainly nothing was sent. The reason, where there is one, is for people and holds no secrets.
    case nothingSent(reason: String?)
}

/// The proof that a settler paid.
@nonexhaustive
public enum SettlementProof: Sendable, Hashable {
    /// The preimage of an invoice's payment hash: 64 hexadecimal digits.
    case preimage(String)
    /// The id of a transaction on the chain, as the chain writes it.
    case transaction(String)

    /// The proof without the prefix that names its kind.
    public var text: String {
        switch self {
        case .preimage(let text), .transaction(let text): text
        }
    }
}

extension SettlementProof: Codable {
    private enum Prefix: String, CaseIterable {
        case preimage = "preimage:"
        case transaction = "transaction:"
    }

    /// Reads a proof as journals store it: one text, with a prefix that names its kind.
    ///
    /// - Throws: `DecodingError` when it is none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let word = Prefix.allCases.first(where: { text.hasPrefix($0.rawValue) }) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not the proof of a settlement")
        }
        let proof = String(text.dropFirst(word.rawValue.count))
        self =
            switch word {
            case .preimage: .preimage(proof)
            case .transaction: .transaction(proof)
            }
    }

    /// Writes the proof.
    ///
    /// - Throws: any error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        let word: Prefix =
            switch self {
            case .preimage: .preimage
            case .transaction: .transaction
            }
        var container = encoder.singleValueContainer()
        try container.encode(word.rawValue + text)
    }
}
