import PaymentCore

/// An address of the Liquid network. Source: Elements, `chainparams.cpp` and `key_io.cpp`.
struct LiquidAddress: Sendable, Hashable {
    let text: String
    let isMainnet: Bool
    /// True if amounts paid to it are hidden from others.
    let isConfidential: Bool

    /// The readable prefixes, and whether they are of confidential addresses.
    private static let prefixes: [(prefix: String, isMainnet: Bool, isConfidential: Bool)] = [
        ("lq", true, true), ("ex", true, false), ("tlq", false, true), ("tex", false, false),
    ]
    /// The most characters of a confidential address in base58.
    private static let longest = 80
    /// The version bytes of plain addresses, and that of confidential ones before them.
    private static let versions: [(plain: Set<UInt8>, confidential: UInt8, isMainnet: Bool)] = [
        ([57, 39], 12, true), ([36, 19], 23, false),
    ]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let head = part.cut(at: "1").head.lowercased
        if let kind = Self.prefixes.first(where: { $0.prefix == head }) {
            try Self.checkProgram(part, kind.prefix, isConfidential: kind.isConfidential, name)
            (text, isMainnet, isConfidential) = (part.lowercased, kind.isMainnet, kind.isConfidential)
            return
        }
        guard let bytes = Base58Check.decode(part, limit: Self.longest) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        for version in Self.versions {
            // A key of 33 bytes blinds the amount.
            let isConfidential = bytes.first == version.confidential && bytes.count == 2 + 33 + 20
            let isPlain = bytes.first.map(version.plain.contains) == true && bytes.count == 1 + 20
            if isPlain || isConfidential && version.plain.contains(bytes[1]) {
                (text, isMainnet, self.isConfidential) = (part.text, version.isMainnet, isConfidential)
                return
            }
        }
        throw part.defect(.mismatch, name, "is of another chain than Liquid")
    }

    private static func checkProgram(
        _ part: TextPart, _ prefix: String, isConfidential: Bool, _ name: String
    ) throws(StandardDefect) {
        let groups: ArraySlice<UInt8>
        let variant: Bech32.Variant
        if isConfidential {
            (groups, variant) = try Blech32.groups(part, prefix: prefix, name)
        } else {
            let decoded = try Bech32(part, name)
            (groups, variant) = (decoded.groups[...], decoded.variant)
        }
        let keyCount = isConfidential ? 33 : 0
        guard let version = groups.first, version <= 16, variant == (version == 0 ? .bech32 : .bech32m),
            let bytes = Bech32.bytes(of: groups.dropFirst()),
            version == 0 ? [20, 32].contains(bytes.count - keyCount) : 2...40 ~= bytes.count - keyCount
        else { throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one") }
    }
}
