import PaymentCore
import PaymentSecp256k1

/// A static address to which every payment goes to another output. Source: BIP-352.
///
/// Read only inside other standards so far: its bare texts (`sp1…`) carry no other field.
struct SilentPaymentAddress: Sendable, Hashable {
    let isMainnet: Bool

    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name, limit: 1023)
        guard decoded.prefix == "sp" || decoded.prefix == "tsp", decoded.variant == .bech32m else {
            throw part.defect(.malformed, name, "is no silent-payment address; those begin with sp1 or tsp1")
        }
        guard let version = decoded.groups.first, version < 31 else {
            throw part.defect(.unsupported, name, "has a version that no wallet can pay yet; ask for another address")
        }
        guard let data = Bech32.bytes(of: decoded.groups.dropFirst()),
            version == 0 ? data.count == 66 : data.count >= 66
        else {
            throw part.defect(.length, name, "does not hold two public keys; ask for another address")
        }
        for key in [data[..<33], data[33..<66]] where (try? Secp256k1PublicKey(parsing: key)) == nil {
            throw part.defect(.range, name, "holds a public key that is not on the curve; ask for another address")
        }
        isMainnet = decoded.prefix == "sp"
    }
}
