import PaymentCore

/// A bank's code (BIC). Does not prove that the bank exists.
///
/// Source: ISO 9362.
struct BankCode: Sendable, Hashable {
    /// Four letters or digits.
    let bank: String
    /// The country's two letters.
    let country: String
    /// Two letters or digits.
    let location: String
    /// Three letters or digits; nil for the head office.
    let branch: String?

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard CheckDigits.isBankCode(part.bytes) else {
            throw part.defect(.malformed, name, "must be 8 or 11 letters and digits, such as BFSWDE33BER")
        }
        bank = part.prefix(4).text
        country = part.dropFirst(4).prefix(2).text
        location = part.dropFirst(6).prefix(2).text
        branch = part.count == 11 ? part.suffix(3).text : nil
    }

    /// The code.
    var text: String { bank + country + location + (branch ?? "") }
}
