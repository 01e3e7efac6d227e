import PaymentCore

/// A Zcash address of any kind: transparent, Sapling, unified, or transparent-source-only. Sources: the Zcash protocol
/// specification, section 5.6; ZIP-316, ZIP-320.
struct ZcashAddress: Sendable, Hashable {
    let text: String
    let isMainnet: Bool
    /// True if payments to it are public, and can carry no memo.
    let isTransparent: Bool

    /// The bech32 prefixes.
    private enum Kind {
        case sapling
        case unified
        case source
    }

    /// The prefixes with the 1 behind them.
    private static let prefixes: [(prefix: StaticString, kind: Kind, isMainnet: Bool)] = [
        ("zs1", .sapling, true), ("ztestsapling1", .sapling, false), ("zregtestsapling1", .sapling, false),
        ("u1", .unified, true), ("utest1", .unified, false), ("uregtest1", .unified, false),
        ("tex1", .source, true), ("textest1", .source, false), ("texregtest1", .source, false),
    ]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        text = part.text
        guard let entry = Self.prefixes.first(where: { part.startsIgnoringCase($0.prefix) }) else {
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
            // The receivers are scrambled together with the prefix; the checksum detects any mistake.
            case .unified: decoded.variant == .bech32m && (bytes?.count ?? 0) >= 48
            case .source: decoded.variant == .bech32m && bytes?.count == 20
            }
        guard isSound, decoded.prefix.utf8.count + 1 == entry.prefix.utf8CodeUnitCount else {
            throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one")
        }
        isMainnet = entry.isMainnet
        if case .source = entry.kind { isTransparent = true } else { isTransparent = false }
    }
}
