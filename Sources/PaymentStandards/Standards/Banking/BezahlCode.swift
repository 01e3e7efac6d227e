import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `bank:` link of the German BezahlCode.
///
/// Source: BezahlCode specification. Withdrawn in practice, still printed. A direct debit asks the reader for a
/// mandate, a contact asks for nothing: neither is a payment. Some terminals encode ISO-8859-1 and write amounts with a
/// point.
struct BezahlCode: PaymentStandard {
    static let id = "bezahlcode"
    static let specification = "BezahlCode"
    static let patterns: [StandardPattern] = [.scheme("bank")]

    /// The requested action: `singlepaymentsepa`, `contact` …
    let action: String
    /// The parameters as shown, by their own names.
    private let values: [String: String]
    /// True if a text is encoded in ISO-8859-1, or the amount has a point.
    private let isIrregular: Bool

    private static let actions: Set<String> = [
        "singlepayment", "singlepaymentsepa", "singledirectdebit", "singledirectdebitsepa", "periodicsinglepayment",
        "periodicsinglepaymentsepa", "contact", "contact_v2",
    ]
    private static let names = [
        "name", "iban", "bic", "separeference", "amount", "reason", "currency", "executiondate", "account", "bnc",
        "creditorid", "mandateid", "dateofsignature", "periodictimeunit", "periodictimeunitrotation",
        "periodicfirstexecutiondate", "periodiclastexecutiondate", "postingkey",
    ]
    private static let reader = QueryReader(QueryRules(), known: Set(names))
    private static let limits = ["name": 70, "reason": 140, "separeference": 35, "creditorid": 35, "mandateid": 35]
    private static let amountRules = DecimalRules(
        mark: UInt8(ascii: ","), fractionDigits: 2, wholeDigits: 9, allowsZero: false)
    private static let pointRules = DecimalRules(fractionDigits: 2, wholeDigits: 9, allowsZero: false)

    private var isContact: Bool { action.hasPrefix("contact") }
    /// True if it asks for a mandate to take money.
    var isPull: Bool { action.hasPrefix("singledirectdebit") }

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        guard let authority = source.authority, Self.actions.contains(authority.text) else {
            throw (source.authority ?? path).defect(
                .unsupported, "action",
                "is not defined by BezahlCode; it must follow bank:// as in bank://singlepaymentsepa")
        }
        action = authority.text
        var values: [String: String] = [:]
        var isIrregular = false
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            guard Self.names.contains(key) else { return }
            let (text, isLatin) = try Self.text(parameter, key)
            isIrregular = isIrregular || isLatin || key == "amount" && text.bytes.contains(UInt8(ascii: "."))
            values[key] = try Self.value(key, text)
        }
        (self.values, self.isIrregular) = (values, isIrregular)
        var needed = ["name"]
        if !isContact { needed += action.hasSuffix("sepa") ? ["iban"] : ["account", "bnc"] }
        for name in needed where values[name] == nil {
            throw StandardDefect(.missing, name, at: link.text.utf8.count, "is missing")
        }
    }

    /// Returns the decoded value of `parameter`, and true if its bytes are ISO-8859-1.
    private static func text(_ parameter: QueryParameter, _ key: String) throws(StandardDefect) -> (TextPart, Bool) {
        do throws(StandardDefect) {
            return (try reader.text(parameter, key), false)
        } catch {
            guard error.kind == .encoding, let bytes = PercentCoding.bytes(of: parameter.value.bytes) else {
                throw error
            }
            let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            return (TextPart(decoded: text, at: parameter.value.offset), true)
        }
    }

    private static func value(_ key: String, _ part: TextPart) throws(StandardDefect) -> String? {
        guard !part.isEmpty else { return nil }
        if let limit = limits[key] { return try part.limited(to: limit, key).text }
        switch key {
        case "iban": return try IBAN(part, "iban", allowsSpaces: true).text
        case "bic": return try BankCode(part, "bic").text
        case "amount":
            return try DecimalText(part, "amount", part.bytes.contains(UInt8(ascii: ".")) ? pointRules : amountRules)
                .text
        case "currency":
            guard ISO4217.exponent(of: part.text) != nil else {
                throw part.defect(.malformed, "currency", "must be three capital letters of ISO 4217")
            }
        case "account", "bnc":
            guard part.isDigits, part.count <= 9 else {
                throw part.defect(.malformed, key, "must be at most nine digits")
            }
        case "executiondate", "dateofsignature", "periodicfirstexecutiondate", "periodiclastexecutiondate":
            return try CalendarDay(part, key, .ddMMyyyy).iso
        case "periodictimeunit":
            guard part.equals("M") || part.equals("W") else { throw part.defect(.malformed, key, "must be M or W") }
        case "periodictimeunitrotation", "postingkey":
            guard part.isDigits, part.count <= 3 else {
                throw part.defect(.malformed, key, "must be at most three digits")
            }
        default: break
        }
        return part.text
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["action": .string(action)]
        let names = [
            ("name", "name"), ("iban", "iban"), ("bic", "bic"), ("account", "account"), ("bnc", "bankCode"),
            ("separeference", "reference"), ("amount", "amount"), ("reason", "reason"), ("currency", "currency"),
            ("executiondate", "executionDate"), ("creditorid", "creditorId"), ("mandateid", "mandateId"),
            ("dateofsignature", "dateOfSignature"), ("postingkey", "postingKey"), ("periodictimeunit", "periodUnit"),
        ]
        for (key, name) in names { fields.set(name, values[key]) }
        fields.set("periodRotation", values["periodictimeunitrotation"].flatMap { Int($0) })
        fields.set("first", values["periodicfirstexecutiondate"])
        fields.set("last", values["periodiclastexecutiondate"])
        if isPull { fields.set("pull", true) }
        if isContact { fields.set("payment", false) }
        return fields
    }

    /// Pays the account, unless it asks for a mandate or is a contact.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.purpose = isPull ? .pull : isContact ? .information : .payment
            let isChecked = values["iban"] != nil
            let account = values["iban"] ?? values["account"].map { "\(values["bnc"] ?? "")/\($0)" }
            instruction.payee = .init(account: account, name: values["name"], check: isChecked ? .checksum : .none)
            if !isChecked { instruction.warnings.append(.missingChecksum) }
            instruction.network = isContact ? nil : isChecked ? "sepa" : "de-bank-account"
            instruction.amount = .init(values["amount"], iso: values["currency"] ?? "EUR")
            instruction.memo = values["reason"]
            instruction.reference = values["separeference"]
            if action.hasPrefix("periodic") {
                func date(_ name: String) -> Date? {
                    values[name].flatMap { text in
                        try? CalendarDay(TextPart(decoded: text.filter { $0 != "-" }, at: 0), name, .yyyyMMdd).date()
                    }
                }
                instruction.repeats = .init(
                    every: values["periodictimeunitrotation"].flatMap { Int($0) } ?? 1,
                    values["periodictimeunit"] == "W" ? .week : .month, first: date("periodicfirstexecutiondate"),
                    last: date("periodiclastexecutiondate"))
            }
            if isIrregular { instruction.warnings.append(.irregular) }
        }
    }
}
