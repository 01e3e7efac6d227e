import PaymentCore

/// References by which a payee recognises a payment.
enum CreditorReference {
    /// A creditor reference: `RF`, two check digits and 1 to 21 letters or digits, without the spaces of its print
    /// form. Source: ISO 11649.
    ///
    /// - Throws: ``StandardDefect``.
    static func rf(_ part: TextPart, _ name: String) throws(StandardDefect) -> String {
        let bytes = part.bytes.filter { $0 != 0x20 }
        guard bytes.starts(with: "RF".utf8), 5...25 ~= bytes.count else {
            throw part.defect(.malformed, name, "must be RF, two digits and 1 to 21 letters or digits")
        }
        guard CheckDigits.isSound97(bytes[...]) else {
            throw part.defect(
                .checksum, name,
                "the checksum does not match: at least one character is wrong; check it against the original")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A Swiss QR reference: 27 digits, the last by the recursive modulo 10.
    ///
    /// - Throws: ``StandardDefect``.
    static func qr(_ part: TextPart, _ name: String) throws(StandardDefect) -> String {
        let bytes = part.bytes.filter { $0 != 0x20 }
        guard bytes.count == 27, bytes.allSatisfy(\.isASCIIDigit) else {
            throw part.defect(.malformed, name, "must be 27 digits")
        }
        guard CheckDigits.isSound10Recursive(bytes[...]) else {
            throw part.defect(.checksum, name, "fails its check digit: at least one digit is wrong; compare it")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
