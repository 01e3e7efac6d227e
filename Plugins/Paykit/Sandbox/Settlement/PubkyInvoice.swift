import PaykitProvider
import PaykitPubky
import PaymentCore
import PaymentCrypto
import PaymentSecp256k1
import PaymentStandards

/// A Lightning invoice of one of the sandbox's users, and the proof of its payment.
struct PubkyInvoice: Sendable {
    let payee: PubkyKey
    /// In satoshi; nil if the payer chooses.
    let amount: UInt64?
    /// The time of its expiry, in seconds of Unix time.
    let end: UInt64
    let preimage: [UInt8]
    /// The published text (BOLT 11).
    let text: String
    var isPaid = false

    /// The payment hash, by which it is identified.
    var hash: String { Hex.encode(Digest.sha256.hash(preimage)) }

    /// Writes an invoice.
    ///
    /// - Parameters:
    ///   - time: the time of its creation, in seconds of Unix time.
    ///   - secrets: 32 bytes each, for the preimage, the payment secret and the node that signs.
    init(
        _ amount: UInt64?, for payee: PubkyKey, at time: UInt64, lifetime: UInt64, chain: PubkySandbox.Chain,
        secrets: (preimage: [UInt8], payment: [UInt8], node: [UInt8])
    ) throws {
        self.payee = payee
        self.amount = amount
        end = time + lifetime
        preimage = secrets.preimage
        let prefix = "ln" + chain.prefix + (amount.map(Self.amount) ?? "")
        var groups = Self.number(time, count: 7)
        groups += Self.field("p", Bech32.groups(of: Digest.sha256.hash(secrets.preimage)))
        groups += Self.field("s", Bech32.groups(of: secrets.payment))
        groups += Self.field("d", Bech32.groups(of: "Paykit sandbox".utf8))
        groups += Self.field("x", Self.number(lifetime))
        // The number of blocks for the last hop, and support for payment secrets (BOLT 9: bits 8 and 14).
        groups += Self.field("c", Self.number(40)) + Self.field("9", [16, 8, 0])
        let filler = [UInt8](repeating: 0, count: (8 - groups.count % 8) % 8)
        let packed = (Bech32.bytes(of: groups + filler) ?? []).prefix((groups.count * 5 + 7) / 8)
        let signature = try Secp256k1PrivateKey(secrets.node).sign(
            digest: Digest.sha256.hash(Array(prefix.utf8) + packed))
        groups += Bech32.groups(of: signature.r + signature.s + [signature.recoveryID])
        text = Bech32.encode(prefix: prefix, groups: groups, .bech32)
    }

    /// Returns an amount in the largest unit of a bitcoin that needs no fraction.
    private static func amount(_ satoshi: UInt64) -> String {
        for (unit, name) in [(100_000_000, ""), (100_000, "m"), (100, "u")] as [(UInt64, String)]
        where satoshi % unit == 0 { return "\(satoshi / unit)\(name)" }
        return "\(UInt128(satoshi) * 10)n"
    }

    private static func field(_ tag: Character, _ groups: [UInt8]) -> [UInt8] {
        let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        let type = UInt8(letters.firstIndex(of: tag) ?? 0)
        return [type, UInt8(groups.count >> 5), UInt8(groups.count & 31)] + groups
    }

    /// Returns a number in groups of five bits: as few as possible, or `count`.
    private static func number(_ value: UInt64, count: Int? = nil) -> [UInt8] {
        let count = count ?? max(1, (64 - value.leadingZeroBitCount + 4) / 5)
        return (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(5 * (count - 1 - $0)) & 31) }
    }
}
