import PaymentCrypto

/// A proof of payment, as payers and payees exchange it (Protocol 5.8).
@nonexhaustive
public enum PaykitProof: Sendable, Hashable {
    /// The preimage of a Lightning invoice's payment hash: 64 hexadecimal digits each. Only the payee reveals it.
    case preimage(String, paymentHash: String)
    /// The id of a bitcoin transaction: 64 hexadecimal digits. Only the chain shows that it pays, and which address.
    case transaction(String)
    /// A proof of another method, for the application to judge.
    case other(method: String, data: JSONValue)

    /// Reads a received proof; nil if the JSON is not a proof.
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

    /// The proof's JSON, as it is sent.
    public var json: JSONValue {
        switch self {
        case .preimage(let preimage, let hash):
            ["proof_type": "lightning_preimage", "preimage": .string(preimage), "payment_hash": .string(hash)]
        case .transaction(let id): ["proof_type": "bitcoin_txid", "txid": .string(id)]
        case .other(let method, let data): ["proof_type": "custom", "method_id": .string(method), "data": data]
        }
    }

    /// True if the proof is consistent: the preimage has the stated hash (SHA-256), the transaction's id its form.
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

    /// Returns true if the proof alone shows that the invoice with `paymentHash` (64 hexadecimal digits) was paid.
    public func proves(payingHash paymentHash: String) -> Bool {
        guard case .preimage(_, let hash) = self, isSound, let claimed = Hex.decode(hash) else { return false }
        return Hex.decode(paymentHash) == claimed
    }
}

// MARK: - Private links

extension PaykitProof {
    /// Reads a proof from a link's message, in the form of any of the wallets.
    package init?(_ message: PrivateLinkMessage.PaymentProof) {
        let members = message.proof
        switch members["type"]?.string {
        case "bitcoin-transaction":
            guard let id = members["data"]?.string else { return nil }
            self = .transaction(id)
        case "bitcoin-bolt11-preimage", nil:
            guard let text = (members["data"] ?? members["preimage"])?.string, let preimage = Hex.decode(text) else {
                return nil
            }
            self = .preimage(text, paymentHash: Hex.encode(Digest.sha256.hash(preimage)))
        case let type?: self = .other(method: type, data: members["data"] ?? .object(members))
        }
    }

    /// The proof as it is sent over a link. Each method has other members (Protocol 12.9).
    var linkMembers: [String: JSONValue] {
        switch self {
        case .preimage(let preimage, _): ["type": "bitcoin-bolt11-preimage", "data": .string(preimage)]
        case .transaction(let id): ["type": "bitcoin-transaction", "data": .string(id)]
        case .other(let method, let data): ["type": .string(method), "data": data]
        }
    }
}
