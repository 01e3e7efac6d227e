import PaymentCore

/// An international bank account number. A bare one only names a payee.
///
/// Source: ISO 13616-1 and the lengths of its registry. A country that is not in the registry has no such numbers.
struct IBAN: PaymentStandard {
    static let id = "iban"
    static let specification = "ISO 13616"
    static let patterns: [StandardPattern] = [.bare(BareShape(lengths: 15...42, .spacedAlphanumeric))]

    /// The number without spaces.
    let text: String

    /// Creates a value from a text that is only a number, in groups of four or without spaces.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = source.all().trimmed
        let start = part.bytes.prefix(4)
        // Any two words have this shape, so a known country followed by digits decides.
        guard start.count == 4, start.dropFirst(2).allSatisfy(\.isASCIIDigit), let length = Self.length(start),
            part.bytes.reduce(0, { $1 == 0x20 ? $0 : $0 + 1 }) == length
        else { throw part.defect(.foreign, "IBAN", "does not begin with a country and two digits") }
        try self.init(part, "IBAN", allowsSpaces: true)
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String, allowsSpaces: Bool = false) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing") }
        var part = part
        if allowsSpaces, part.bytes.contains(where: { $0 >= 0x80 }) {
            // Banking apps separate groups with no-break spaces (U+00A0, U+202F).
            let scalars = part.text.unicodeScalars.filter { $0.isASCII || !$0.properties.isWhitespace }
            part = TextPart(decoded: String(String.UnicodeScalarView(scalars)), at: part.offset)
        }
        var hasSpaces = false
        for index in part.bytes.indices {
            let byte = part.bytes[index]
            if byte == 0x20 { hasSpaces = true }
            guard byte &- 0x41 < 26 || byte.isASCIIDigit || allowsSpaces && byte == 0x20 else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "may hold only capital letters and digits")
            }
        }
        let bytes = hasSpaces ? part.bytes.filter { $0 != 0x20 }[...] : part.bytes
        guard bytes.count > 4, bytes.prefix(2).allSatisfy({ !$0.isASCIIDigit }),
            bytes.dropFirst(2).prefix(2).allSatisfy(\.isASCIIDigit)
        else {
            throw part.defect(.malformed, name, "must begin with a country's two letters and two digits")
        }
        guard let length = Self.length(bytes) else {
            throw part.defect(.range, name, "begins with letters of no country that has such numbers")
        }
        guard bytes.count == length else {
            let country = String(decoding: bytes.prefix(2), as: UTF8.self)
            throw part.defect(.length, name, "has \(bytes.count) characters; those of \(country) have \(length)")
        }
        guard CheckDigits.isSound97(bytes) else {
            throw part.defect(
                .checksum, name,
                "the checksum does not match: at least one character is wrong; check it against the original")
        }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// The country's two letters.
    var country: String { String(text.prefix(2)) }

    /// True if it is a Swiss or Liechtenstein number for payments with a QR reference: its bank number is 30000 to
    /// 31999.
    var isQRIBAN: Bool {
        guard country == "CH" || country == "LI", let bank = Int(text.dropFirst(4).prefix(5)) else { return false }
        return 30000...31999 ~= bank
    }

    var fields: InstructionFields {
        ["country": .string(country), "normalised": .string(text), "qrIban": .bool(isQRIBAN)]
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = payee()
            instruction.network = "iban:\(country)"
        }
    }

    /// Returns the account as a payee.
    func payee(named name: String? = nil) -> PaymentInstruction.Payee {
        .init(account: text, name: name, check: .checksum)
    }
}

extension IBAN {
    /// The length in characters of each country's numbers (SWIFT's registry), at the place of its two letters; 0 for
    /// letters that are not a country's.
    private static let lengths: [UInt8] = {
        var lengths = [UInt8](repeating: 0, count: 26 * 26)
        for (length, countries) in lists {
            for country in countries.split(separator: " ") {
                if let place = place(Array(country.utf8)[...]) { lengths[place] = length }
            }
        }
        return lengths
    }()

    /// Returns the place of the two capital letters that `bytes` begin with; nil for anything else.
    private static func place(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[bytes.startIndex] &- 0x41, bytes[bytes.startIndex + 1] &- 0x41)
        return first < 26 && second < 26 ? Int(first) * 26 + Int(second) : nil
    }

    /// Returns the length in characters of the numbers that begin like `bytes`; nil if no country has such numbers.
    static func length(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let place = place(bytes), lengths[place] > 0 else { return nil }
        return Int(lengths[place])
    }

    private static let lists: [(UInt8, String)] = [
        (15, "NO"), (16, "BE"), (18, "DK FI FK FO GL NL SD"), (19, "MK SI"),
        (20, "AT BA EE KZ LT LU MN XK"), (21, "CH HR LI LV"), (22, "BG BH CR DE GB GE IE ME RS VA"),
        (23, "AE GI IL IQ OM SO TL"), (24, "AD CZ ES MD PK RO SA SE SK TN VG"), (25, "LY PT ST"),
        (26, "IS TR"), (27, "BI DJ FR GR IT MC MR SM"), (28, "AL AZ BY CY DO GT HN HU LB NI PL SV"),
        (29, "BR EG PS QA UA"), (30, "JO KW MU YE"), (31, "MT SC"), (32, "LC"), (33, "RU"),
    ]
}

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

    var text: String { bank + country + location + (branch ?? "") }
}

/// References for a payee to recognise a payment.
enum CreditorReference {
    /// Returns a creditor reference: `RF`, two check digits and 1 to 21 letters or digits, without the spaces of its
    /// printed form. Source: ISO 11649.
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

    /// Returns a Swiss QR reference: 27 digits, the last by recursive modulo 10.
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
