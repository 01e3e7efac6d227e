import PaymentCore

/// Bitcoin Cash's address form: a prefix, a colon, groups of five bits and a checksum of 40 bits. Source: cashaddr.md.
struct CashAddress: Sendable, Hashable {
    /// The prefix in lower case.
    let prefix: String
    /// The kind of hash: 0 of a public key, 1 of a script, 2 and 3 the same for tokens.
    let type: UInt8
    /// The hash, 20 to 64 bytes.
    let hash: [UInt8]
    /// The text without its prefix, as written.
    let text: String

    /// The prefixes that chains use, in the order in which they are tried for a text without one.
    static let prefixes = ["bitcoincash", "bchtest", "bchreg"]

    private static let sizes = [20, 24, 28, 32, 40, 48, 56, 64]

    /// Reads `part`, which its standard calls `name` and which stands behind `prefix` and a colon.
    init(_ part: TextPart, prefix: String, _ name: String) throws(StandardDefect) {
        let values = Bech32.values
        var hasLower = false
        var hasUpper = false
        var groups: [UInt8] = []
        groups.reserveCapacity(part.count)
        for index in part.bytes.indices {
            let byte = part.bytes[index]
            let value = values[Int(byte)]
            guard value < 32 else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "has a character that such addresses do not use")
            }
            if byte.isASCIILetter { if byte & 0x20 == 0 { hasUpper = true } else { hasLower = true } }
            guard !(hasLower && hasUpper) else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "mixes capital and small letters; copy it again")
            }
            groups.append(value)
        }
        guard 9...112 ~= groups.count else {
            throw part.defect(.length, name, "is too short or too long; copy all of it")
        }
        guard Self.checksum(prefix, groups) == 1 else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard let bytes = Bech32.bytes(of: groups.dropLast(8)), let version = bytes.first, version < 0x80,
            bytes.count - 1 == Self.sizes[Int(version & 7)]
        else { throw part.defect(.malformed, name, "does not hold a hash; ask the payee for a new address") }
        self.prefix = prefix
        type = version >> 3
        hash = Array(bytes.dropFirst())
        text = part.text
    }

    /// 1 for a sound text.
    private static func checksum(_ prefix: String, _ groups: [UInt8]) -> UInt64 {
        remainders.withUnsafeBufferPointer { remainders in
            func step(_ state: UInt64, _ group: UInt8) -> UInt64 {
                (state & 0x7_FFFF_FFFF) << 5 ^ UInt64(group) ^ remainders[Int(state >> 35)]
            }
            var state: UInt64 = 1
            for byte in prefix.utf8 { state = step(state, byte & 31) }
            state = step(state, 0)
            for group in groups { state = step(state, group) }
            return state
        }
    }

    /// The contribution to the checksum of each value of the five bits that are shifted out.
    private static let remainders: [UInt64] = (0..<32).map { top in
        let parts: [UInt64] = [0x98_F2BC_8E61, 0x79_B76D_99E2, 0xF3_3E5F_B3C4, 0xAE_2EAB_E2A8, 0x1E_4F43_E470]
        return parts.enumerated().reduce(0) { top >> $1.offset & 1 == 1 ? $0 ^ $1.element : $0 }
    }

    /// The same account in the older form, which is also Bitcoin's; nil where there is none.
    var legacy: String? {
        guard prefix == "bitcoincash", hash.count == 20, type < 2 else { return nil }
        return Base58Check.encode([type == 0 ? 0x00 : 0x05] + hash)
    }
}
