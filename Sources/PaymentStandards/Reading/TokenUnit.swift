package import PaymentCore

/// The unit of an amount of tokens whose decimals the text does not state, as
/// ``PaymentInstruction/Amount/uncounted(digits:unit:)`` names it.
///
/// It is the token's id, `caip19/…` or as the standard spells it; before it stands `smallest-unit-of:` where the text
/// counts in the token's smallest units. Without that an amount would be read as a million times what is asked for.
package struct TokenUnit: Sendable, Hashable {
    /// The token's id.
    package let token: String
    /// True if the text counts in the token's smallest units.
    package let isSmallest: Bool

    private static let prefix = "smallest-unit-of:"

    /// Creates the unit of a token of this id.
    init(_ token: String, isSmallest: Bool) {
        self.token = token
        self.isSmallest = isSmallest
    }

    /// Creates the unit of this text; nil for a unit that is no token's, such as `wei`.
    package init?(parsing unit: String) {
        isSmallest = unit.hasPrefix(Self.prefix)
        token = isSmallest ? String(unit.dropFirst(Self.prefix.count)) : unit
        guard token.contains(where: { $0 == ":" || $0 == "/" }) else { return nil }
    }

    /// The unit's text.
    var text: String { isSmallest ? Self.prefix + token : token }

    /// The CAIP-19 id; nil where the text has another.
    package var asset: AssetID? {
        let prefix = "caip19/"
        return token.hasPrefix(prefix) ? try? AssetID(String(token.dropFirst(prefix.count))) : nil
    }
}

extension PaymentInstruction.Amount {
    /// Returns an amount of a token; `digits` count its smallest units if `isSmallest` is true.
    static func tokens(_ digits: String, of token: String, isSmallest: Bool) -> Self {
        .uncounted(digits: digits, unit: TokenUnit(token, isSmallest: isSmallest).text)
    }

    /// Returns the words for ``uncounted(digits:unit:)``.
    ///
    /// - Parameter isShort: True if the middle of a long id is left out.
    package static func words(_ digits: String, unit: String, isShort: Bool) -> String {
        if unit == "wei" { return "\(coins(wei: digits)) of the chain's own coin" }
        if unit.isEmpty { return "\(digits) in a currency that the text does not name" }
        guard let unit = TokenUnit(parsing: unit) else { return "\(digits) \(unit)" }
        let id = unit.asset.map { String($0.text.drop { $0 != "/" }.dropFirst()) } ?? unit.token
        return "\(digits) \(unit.isSmallest ? "smallest units " : "")of a token that this program does not know "
            + "(\(isShort ? PaymentInstruction.shortened(id, 28) : unit.token))"
    }

    /// A number of wei as coins of 18 decimals, without zeros at the end.
    private static func coins(wei: String) -> String {
        let padded = String(repeating: "0", count: max(0, 19 - wei.count)) + wei
        let fraction = String(padded.suffix(18).reversed().drop { $0 == "0" }.reversed())
        return padded.dropLast(18) + (fraction.isEmpty ? "" : "." + fraction)
    }
}
