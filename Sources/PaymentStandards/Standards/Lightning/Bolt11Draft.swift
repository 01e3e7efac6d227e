import PaymentCrypto
package import PaymentSecp256k1

/// A Lightning invoice before it is signed, for simulated nodes (BOLT 11).
package struct Bolt11Draft: Sendable {
    /// The purpose of the payment.
    package enum Purpose: Sendable {
        /// In words.
        case words(String)
        /// By the hash of a text that the payer has from elsewhere.
        case hash([UInt8])
    }

    package let network: Bolt11.Network
    /// In thousandths of a satoshi; nil if the payer chooses.
    package let amountMsat: UInt64?
    package let paymentHash: [UInt8]
    package let paymentSecret: [UInt8]
    package let purpose: Purpose
    /// In seconds of Unix time.
    package let timestamp: UInt64
    /// In seconds.
    package let lifetime: UInt64

    package init(
        _ network: Bolt11.Network, amountMsat: UInt64?, paymentHash: [UInt8], paymentSecret: [UInt8], purpose: Purpose,
        timestamp: UInt64, lifetime: UInt64
    ) {
        self.network = network
        self.amountMsat = amountMsat
        self.paymentHash = paymentHash
        self.paymentSecret = paymentSecret
        self.purpose = purpose
        self.timestamp = timestamp
        self.lifetime = lifetime
    }

    /// Returns the invoice, signed by the payee's node.
    ///
    /// - Throws: `Secp256k1Error`.
    package func text(signedBy node: Secp256k1PrivateKey) throws -> String {
        let letters = Bolt11.Network.prefixes.first { $0.1 == network }?.0 ?? ""
        let prefix = "ln" + letters + (amountMsat.map(Self.amount) ?? "")
        var groups = Self.number(timestamp, count: 7)
        groups += Self.field("p", Bech32.groups(of: paymentHash))
        groups += Self.field("s", Bech32.groups(of: paymentSecret))
        switch purpose {
        case .words(let words): groups += Self.field("d", Bech32.groups(of: words.utf8))
        case .hash(let hash): groups += Self.field("h", Bech32.groups(of: hash))
        }
        groups += Self.field("x", Self.number(lifetime))
        // The number of blocks for the last hop, and support for payment secrets (BOLT 9: bits 8 and 14).
        groups += Self.field("c", Self.number(40)) + Self.field("9", [16, 8, 0])
        let filler = [UInt8](repeating: 0, count: (8 - groups.count % 8) % 8)
        let packed = (Bech32.bytes(of: groups + filler) ?? []).prefix((groups.count * 5 + 7) / 8)
        let signature = try node.sign(digest: Digest.sha256.hash(Array(prefix.utf8) + packed))
        groups += Bech32.groups(of: signature.r + signature.s + [signature.recoveryID])
        return Bech32.encode(prefix: prefix, groups: groups, .bech32)
    }

    /// Returns an amount in the largest unit of a bitcoin that needs no fraction.
    private static func amount(_ msat: UInt64) -> String {
        let units: [(UInt64, String)] = [
            (100_000_000_000, ""), (100_000_000, "m"), (100_000, "u"), (100, "n"),
        ]
        for (unit, name) in units where msat % unit == 0 { return "\(msat / unit)\(name)" }
        return "\(UInt128(msat) * 10)p"
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
