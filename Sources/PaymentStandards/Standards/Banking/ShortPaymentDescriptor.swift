public import PaymentCore

/// The Czech Short Payment Descriptor (SPAYD, "QR Platba").
///
/// Source: SPAYD 1.0, sections on the format, the keys and the checksum. Without `CC`, the account's usual currency
/// applies, which the text does not state.
public struct ShortPaymentDescriptor: WritablePaymentStandard {
    /// `spd`.
    public static let id = "spd"
    /// The specification that it follows.
    public static let specification = "SPAYD 1.0"
    /// True.
    public static let ignoresUnknownParts = true
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.prefix("SPD*")]

    private(set) var iban: IBAN
    private(set) var bic: String?
    /// The fields as written, in the specification's order. The readable values are derived from them.
    private let entries: [Entry]
    private let values: [String: String]

    private struct Entry: Sendable, Hashable {
        let key: String
        let value: String
    }

    /// The keys in the specification's order.
    private static let keys = [
        "ACC", "ALT-ACC", "AM", "CC", "RF", "RN", "DT", "PT", "MSG", "NT", "NTA", "X-PER", "X-VS", "X-SS", "X-KS",
        "X-ID", "X-URL",
    ]
    private static let checksum = "CRC32"
    /// The most characters of the keys that are plain texts.
    private static let limits = ["RN": 35, "PT": 3, "MSG": 60, "NTA": 320, "X-ID": 20, "X-URL": 140]
    /// The most digits of the keys that are numbers.
    private static let digits = ["RF": 16, "X-PER": 2, "X-VS": 10, "X-SS": 10, "X-KS": 10]

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        var parts = text.split(at: "*")
        if parts.count > 2, parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count > 1, parts[1].equals("1.0") else {
            throw (parts.count > 1 ? parts[1] : text.suffix(0)).defect(
                .unsupported, "version", "must be 1.0, as in SPD*1.0*")
        }
        var raw: [String: TextPart] = [:]
        for part in parts.dropFirst(2) {
            let (key, value) = part.cut(at: ":")
            guard let value, !value.isEmpty, !key.isEmpty else {
                throw part.defect(.malformed, "field", "must be a key, a colon and a value; remove empty fields")
            }
            let isKnown = Self.keys.contains(key.text) || key.equals("CRC32")
            guard isKnown || key.starts(with: "X-") else {
                throw key.defect(.unsupported, "key", "is not one of the standard; own keys begin with X-")
            }
            guard raw.updateValue(value, forKey: key.text) == nil else {
                throw key.defect(
                    .duplicate, "key \(isKnown ? key.text : "X-…")", "stands twice; readers would disagree which counts"
                )
            }
        }
        try Self.check(raw["CRC32"], over: raw)
        var values: [String: String] = [:]
        for (key, value) in raw { values[key] = try Self.value(key, value.decoded(key)) }
        guard let account = raw["ACC"] else {
            throw text.suffix(0).defect(.missing, "account (ACC)", "is missing: there is no payee")
        }
        (iban, bic) = try Self.account(account.decoded("ACC"), "account (ACC)")
        if let alternatives = try raw["ALT-ACC"]?.decoded("ALT-ACC").split(at: ",") {
            guard alternatives.count <= 2 else {
                throw alternatives[2].defect(.length, "other accounts (ALT-ACC)", "are more than two")
            }
            for part in alternatives { _ = try Self.account(part, "other account (ALT-ACC)") }
        }
        self.values = values
        let own = raw.keys.filter { !Self.keys.contains($0) && $0 != Self.checksum }.sorted()
        for key in own { source.leave(key, values[key]) }
        entries = (Self.keys + own + [Self.checksum]).compactMap { key in
            raw[key].map { Entry(key: key, value: $0.text) }
        }
    }

    /// Creates a descriptor.
    ///
    /// - Parameters:
    ///   - iban: The payee's account.
    ///   - bic: The payee's bank; nil for none.
    ///   - hundredths: Hundredths of `currency`, or nil to let the payer enter the amount.
    ///   - currency: The letters of ISO 4217.
    ///   - recipientName: The payee.
    ///   - message: A text for the payee.
    ///   - variableSymbol: Digits for the payee to recognise the payment.
    ///   - constantSymbol: Digits for the kind of payment.
    ///   - specificSymbol: Further digits.
    ///   - hasChecksum: True if a CRC-32 is added at the end.
    /// - Throws: ``StandardDefect`` if the resulting descriptor cannot be read.
    public init(
        iban: String, bic: String? = nil, hundredths: UInt64? = nil, currency: String = "CZK",
        recipientName: String? = nil, message: String? = nil, variableSymbol: String? = nil,
        constantSymbol: String? = nil, specificSymbol: String? = nil, hasChecksum: Bool = false
    ) throws(StandardDefect) {
        let values: [(String, String?)] = [
            ("ACC", bic.map { "\(iban)+\($0)" } ?? iban), ("AM", hundredths.map { String($0).hundredthsAsUnits }),
            ("CC", currency), ("RN", recipientName), ("MSG", message), ("X-VS", variableSymbol),
            ("X-SS", specificSymbol), ("X-KS", constantSymbol),
        ]
        var fields = values.compactMap { key, value in value.map { "\(key):\(Self.encode($0))" } }
        if hasChecksum { fields.append("CRC32:\(Self.sum(of: fields))") }
        try self.init(text: (["SPD", "1.0"] + fields).joined(separator: "*"))
    }

    private static func account(_ part: TextPart, _ name: String) throws(StandardDefect) -> (IBAN, String?) {
        let (number, code) = part.cut(at: "+")
        let iban = try IBAN(number, name)
        guard let code else { return (iban, nil) }
        return (iban, try BankCode(code, "BIC in \(name)").text)
    }

    /// Checks the value of `key`.
    ///
    /// - Returns: The form to show.
    private static func value(_ key: String, _ part: TextPart) throws(StandardDefect) -> String {
        if let limit = limits[key] { return try part.limited(to: limit, key).text }
        if let most = digits[key] {
            guard part.isDigits, part.count <= most else {
                throw part.defect(.malformed, key, "must be at most \(most) digits")
            }
            if key == "X-PER", Int(part.text) ?? 31 > 30 { throw part.defect(.range, key, "must be at most 30 days") }
            return part.text
        }
        switch key {
        case "AM":
            guard part.count <= 10 else { throw part.defect(.length, "amount (AM)", "has more than 10 characters") }
            return try DecimalText(part, "amount (AM)", DecimalRules(fractionDigits: 2)).text
        case "CC":
            guard ISO4217.exponent(of: part.text) != nil else {
                throw part.defect(.malformed, "currency (CC)", "must be three capital letters of ISO 4217")
            }
        case "DT": return try CalendarDay(part, "due date (DT)", .yyyyMMdd).iso
        case "NT":
            guard part.equals("P") || part.equals("E") else {
                throw part.defect(.malformed, "notification (NT)", "must be P or E")
            }
        default: break
        }
        return part.text
    }

    private static func check(_ sum: TextPart?, over raw: [String: TextPart]) throws(StandardDefect) {
        guard let sum else { return }
        guard sum.count == 8, Hex.decode(sum.text) != nil else {
            throw sum.defect(.malformed, "checksum (CRC32)", "must be eight hexadecimal digits")
        }
        let fields = raw.filter { $0.key != checksum }.map { "\($0.key):\($0.value.text)" }
        guard self.sum(of: fields).equalsIgnoringASCIICase(sum.text) else {
            throw sum.defect(
                .checksum, "checksum (CRC32)", "is wrong: the text was misread or changed; scan it again")
        }
    }

    /// Returns the checksum of `fields`, which are sorted by key.
    private static func sum(of fields: [String]) -> String {
        let sorted = fields.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let sum = CyclicRedundancy.crc32((["SPD", "1.0"] + sorted).joined(separator: "*").utf8)
        return Hex.encode((0..<4).reversed().map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }).uppercased()
    }

    private static func encode(_ text: String) -> String {
        PercentCoding.encode(text) { 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "%") }
    }

    /// The fields of `spd`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["version": "1.0"]
        fields.set("iban", iban.text)
        fields.set("bic", bic)
        fields.set("alternatives", values["ALT-ACC"]?.split(separator: ",").map(String.init) ?? [])
        let names = [
            ("AM", "amount"), ("CC", "currency"), ("RF", "reference"), ("RN", "recipientName"), ("DT", "dueDate"),
            ("PT", "paymentType"), ("MSG", "message"),
        ]
        for (key, name) in names { fields.set(name, values[key]) }
        fields.set("notifyBy", values["NT"].map { $0 == "P" ? "phone" : "email" })
        fields.set("notifyAddress", values["NTA"])
        fields.set("retryDays", values["X-PER"].flatMap { Int($0) })
        let own = [
            ("X-VS", "variableSymbol"), ("X-SS", "specificSymbol"), ("X-KS", "constantSymbol"), ("X-ID", "payerId"),
            ("X-URL", "url"), (Self.checksum, "crc32"),
        ]
        for (key, name) in own { fields.set(name, values[key]) }
        return fields
    }

    /// Pays the account.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: values["RN"])
            instruction.network = "iban:\(iban.country)"
            instruction.amount = .init(values["AM"], iso: values["CC"])
            instruction.memo = values["MSG"]
            instruction.reference = values["X-VS"] ?? values["RF"]
            if values["ALT-ACC"] != nil { instruction.warnings.append(.severalPayees) }
            if values["AM"] != nil, values["CC"] == nil { instruction.warnings.append(.missingField) }
        }
    }

    /// The canonical text: the fields in the specification's order.
    public var text: String {
        let text = (["SPD", "1.0"] + entries.map { "\($0.key):\($0.value)" }).joined(separator: "*")
        // Readers drop a space at the end of a text. A star keeps it.
        return text.utf8.last?.isSpaceOrLineEnd == true ? text + "*" : text
    }
}
