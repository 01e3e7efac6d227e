import PaymentCore

/// Blech32 and blech32m: bech32 with a checksum of twelve characters, for Liquid's confidential addresses. Source:
/// Elements, `blech32.cpp`.
enum Blech32 {
    private static let constants: [UInt64: Bech32.Variant] = [1: .bech32, 0x455_972A_3350_F7A1: .bech32m]
    private static let parts: [UInt64] = [
        0x7D_52FB_A40B_D886, 0x5E_8DBF_1A03_950C, 0x1C_3A3C_7407_2A18, 0x38_5D72_FA0E_5139, 0x70_93E5_A608_865B,
    ]

    /// Reads `part`, whose prefix `prefix` with the `1` behind it has been found, in one case.
    ///
    /// - Throws: ``StandardDefect`` where a character is not allowed, or the checksum is wrong.
    static func groups(
        _ part: TextPart, prefix: String, _ name: String
    ) throws(StandardDefect) -> (groups: ArraySlice<UInt8>, variant: Bech32.Variant) {
        let hasBoth = part.bytes.contains { $0 &- 0x61 < 26 } && part.bytes.contains { $0 &- 0x41 < 26 }
        let data = part.bytes.dropFirst(prefix.utf8.count + 1).map { Bech32.values[Int($0)] }
        guard !hasBoth, data.count > 12, data.allSatisfy({ $0 < 32 }) else {
            throw part.defect(.malformed, name, "has characters that such addresses do not use; copy it again")
        }
        let values = prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 } + data
        let state = values.reduce(into: UInt64(1)) { state, value in
            let top = state >> 55
            state = (state & 0x7F_FFFF_FFFF_FFFF) << 5 ^ UInt64(value)
            for (bit, part) in parts.enumerated() where top >> UInt64(bit) & 1 == 1 { state ^= part }
        }
        guard let variant = constants[state] else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        return (data.dropLast(12), variant)
    }
}
