public import PaymentCore
import PaymentCrypto

/// What proves a payment, as payers and payees tell it to each other (Protocol 5.8).
@nonexhaustive
public enum PaykitProof: Sendable, Hashable {
    /// The preimage of a Lightning invoice's payment hash: 64 hexadecimal digits each. Only who was paid gives it away.
    case preimage(String, paymentHash: String)
    /// The id of a bitcoin transaction: 64 hexadecimal digits. That it pays, and whom, only the chain can say.
    case transaction(String)
    /// A proof of another method, for the application to judge.
    case other(method: String, data: JSONValue)

    /// Reads a proof.
    ///
    /// - Parameter json: what somebody sent; nil comes back for what is none.
    public init?(_ json: JSONValue) {
        switch json["proof_type"]?.string {
        case "lightning_preimage":
            guard let preimage = json["preimage"]?.string, let hash = json["payment_hash"]?.string else { return nil }
            self = .preimage(preimage, paymentHash: hash)
        case "bitcoin_txid":
            guard let id = json["txid"]?.string else { return nil }
            self = .transaction(id)
        case "custom":
            guard let method = json["method_id"]?.string else { return nil }
            self = .other(method: method, data: json["data"] ?? .null)
        default: return nil
        }
    }

    /// The proof as it is sent.
    public var json: JSONValue {
        switch self {
        case .preimage(let preimage, let hash):
            ["proof_type": "lightning_preimage", "preimage": .string(preimage), "payment_hash": .string(hash)]
        case .transaction(let id): ["proof_type": "bitcoin_txid", "txid": .string(id)]
        case .other(let method, let data): ["proof_type": "custom", "method_id": .string(method), "data": data]
        }
    }

    /// Whether it can be a proof at all: a preimage is that of its hash (SHA-256), a transaction's id has the form of
    /// one.
    public var isSound: Bool {
        switch self {
        case .preimage(let preimage, let hash):
            guard let secret = Hex.decode(preimage), let digest = Hex.decode(hash), secret.count == 32 else {
                return false
            }
            return Digest.sha256.hash(secret) == digest
        case .transaction(let id): return Hex.decode(id)?.count == 32
        case .other: return true
        }
    }

    /// Whether it proves by itself that the invoice with this payment hash was paid.
    ///
    /// - Parameter paymentHash: 64 hexadecimal digits.
    public func proves(payingHash paymentHash: String) -> Bool {
        guard case .preimage(_, let hash) = self, isSound, let claimed = Hex.decode(hash) else { return false }
        return Hex.decode(paymentHash) == claimed
    }
}
