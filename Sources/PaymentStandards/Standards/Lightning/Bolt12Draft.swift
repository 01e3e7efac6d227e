import PaymentCrypto
package import PaymentSecp256k1

/// A BOLT 12 text before it is signed, for simulated nodes.
package struct Bolt12Draft: Sendable {
    private let prefix: String
    private var records: [UInt64: [UInt8]]

    /// - Parameters:
    ///   - prefix: `lno` for an offer, `lni` for an invoice.
    ///   - records: the values by their types.
    package init(_ prefix: String, _ records: [UInt64: [UInt8]]) { (self.prefix, self.records) = (prefix, records) }

    /// The text without a signature, as offers are.
    package var text: String {
        let bytes = records.sorted { $0.key < $1.key }.flatMap { type, value in
            Self.number(type) + Self.number(UInt64(value.count)) + value
        }
        return prefix + "1" + String(decoding: Bech32.groups(of: bytes).map(Bolt12Stream.letter(of:)), as: UTF8.self)
    }

    /// Returns the text, signed as a `message` (`invoice`), and the signature.
    ///
    /// - Throws: `Secp256k1Error`, and ``StandardDefect`` for records that no text can have.
    package func signed(
        _ message: String, by node: Secp256k1PrivateKey
    ) throws -> (text: String, signature: SchnorrSignature) {
        var signed = self
        let stream = try Bolt12Stream(TextPart(bytes: Array(text.utf8)[...]), "draft")
        let signature = try node.schnorrSign(digest: stream.digest(message))
        signed.records[240] = signature.bytes
        return (signed.text, signature)
    }

    /// A number in as few bytes as it needs (BOLT 1, BigSize).
    private static func number(_ value: UInt64) -> [UInt8] {
        let (mark, count): (UInt8?, Int) =
            switch value {
            case ..<0xFD: (nil, 1)
            case ..<0x1_0000: (0xFD, 2)
            case ..<0x1_0000_0000: (0xFE, 4)
            default: (0xFF, 8)
            }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        return (mark.map { [$0] } ?? []) + bytes
    }
}
