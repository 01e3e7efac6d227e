/// Sends the payer's own money to an endpoint: a Lightning node, a wallet of coins, a service that does either. Keys
/// stay inside.
///
/// Nobody but the settler sees that money, so what it says is all that is ever known of it. It has to know its payments
/// again: by the payment hash where the endpoint has one, by ``Settlement/key`` otherwise.
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
    /// Returns whether endpoints of this kind can be paid at all. Decides which options the payer can choose.
    ///
    /// - Parameters:
    ///   - kind: what the endpoint is.
    ///   - network: the network that its text names; nil where it names none.
    func canSettle(_ kind: SettlementEndpoint.Kind, on network: String?) -> Bool

    /// Says what has become of a settlement. Changes nothing.
    ///
    /// Asked before anything is sent, and again after a crash: an invoice that was paid before, by this attempt or any
    /// other, is ``SettlementState/settled(_:)``. Another invoice of the same payment hash is not: throw, so that
    /// neither is it paid, which would give its money away, nor is it told paid.
    ///
    /// - Parameter settlement: what was to be paid.
    /// - Returns: what is known of it; ``SettlementState/nothingSent(reason:)`` only if that is certain.
    /// - Throws: any error, when it cannot tell.
    func state(of settlement: Settlement) async throws -> SettlementState

    /// Pays, at most once for each key and for each payment hash, however often it is called.
    ///
    /// - Parameter settlement: what is paid; everything in it was checked.
    /// - Returns: what has become of it. ``SettlementState/nothingSent(reason:)`` is the last word on this key: nothing
    ///   that was asked for under it, or is asked for later, is carried out any more; who asks again hears the same. A
    ///   payer who says no is that, too.
    /// - Throws: any error, when it cannot tell; money is taken to have moved then.
    func settle(_ settlement: Settlement) async throws -> SettlementState
}

/// What a settler is asked to pay.
public struct Settlement: Sendable, Hashable {
    /// By which the settler knows this payment again: a text of at most 64 ASCII characters, always the same for one
    /// attempt.
    public let key: String
    /// Where the money goes.
    public let endpoint: SettlementEndpoint
    /// How much: bitcoin in satoshi, or in thousandths of a satoshi where the exponent is 11.
    public let amount: Money

    /// Creates a settlement.
    public init(key: String, endpoint: SettlementEndpoint, amount: Money) {
        self.key = key
        self.endpoint = endpoint
        self.amount = amount
    }
}

extension Payer {
    /// What the settler knows of an invoice that `settlement` has not begun to pay: it is about another payment, and
    /// would pass for this one without a coin having moved. Nil where it knows nothing, and for what is no invoice:
    /// that takes every payment.
    ///
    /// - Throws: ``PaymentError``, when the settler does not say.
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

/// What has become of a settlement, by the settler's word.
@nonexhaustive
public enum SettlementState: Sendable, Hashable {
    /// The money has arrived, or was broadcast to the chain.
    case settled(SettlementProof)
    /// It is on its way, or may be. Ask again after so long, when known.
    case inFlight(retryAfter: Duration?)
    /// Certainly nothing was sent. The reason, where there is one, is for people and holds no secrets.
    case nothingSent(reason: String?)
}

/// What proves that a settler paid.
@nonexhaustive
public enum SettlementProof: Sendable, Hashable {
    /// The preimage of an invoice's payment hash: 64 hexadecimal digits.
    case preimage(String)
    /// The id of a transaction on the chain, as the chain writes it.
    case transaction(String)

    /// The proof without the word for what it is.
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

    /// Reads a proof as journals store it: one text, with the word for what it is before it.
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
    /// - Throws: what the encoder throws.
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
