import PaymentCore

/// A Zcash address of any kind: transparent, Sapling, unified, or transparent-source-only. Sources: the Zcash protocol
/// specification, section 5.6; ZIP-316, ZIP-320.
struct ZcashAddress: Sendable, Hashable {
    let text: String
    let isMainnet: Bool
    /// Whether payments to it are public, and can carry no memo.
    let isTransparent: Bool

    /// The bech32 prefixes.
    private enum Kind {
        case sapling
        case unified
        case source
    }

    private static let prefixes: [(prefix: String, kind: Kind, isMainnet: Bool)] = [
        ("zs", .sapling, true), ("ztestsapling", .sapling, false), ("zregtestsapling", .sapling, false),
        ("u", .unified, true), ("utest", .unified, false), ("uregtest", .unified, false),
        ("tex", .source, true), ("textest", .source, false), ("texregtest", .source, false),
    ]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        text = part.text
        let lower = part.lowercased
        guard let entry = Self.prefixes.first(where: { lower.hasPrefix("\($0.prefix)1") }) else {
            do throws(StandardDefect) {
                isMainnet = try CoinAddress(part, of: .zcash, name).network == "mainnet"
            } catch {
                throw error.kind == .foreign ? part.defect(.mismatch, name, error.advice) : error
            }
            isTransparent = true
            return
        }
        let decoded = try Bech32(part, name, limit: 1024)
        let bytes = Bech32.bytes(of: decoded.groups)
        let isSound =
            switch entry.kind {
            case .sapling: decoded.variant == .bech32 && bytes?.count == 43
            // Its receivers are scrambled with its prefix; the checksum shows any mistake.
            case .unified: decoded.variant == .bech32m && (bytes?.count ?? 0) >= 48
            case .source: decoded.variant == .bech32m && bytes?.count == 20
            }
        guard isSound, decoded.prefix == entry.prefix else {
            throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one")
        }
        isMainnet = entry.isMainnet
        if case .source = entry.kind { isTransparent = true } else { isTransparent = false }
    }
}
