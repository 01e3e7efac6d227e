import PaymentCore

/// The code on Swedish invoices (UsingQR): a JSON object.
///
/// Source: UsingQR 1.0.
struct SwedishInvoice: PaymentStandard {
    static let id = "usingqr"
    static let specification = "UsingQR 1"
    /// Every JSON object may be one; its member `uqr` decides.
    static let patterns: [StandardPattern] = [.prefix("{")]

    /// 1 an invoice, 2 a credit note, 3 an invoice that has been paid.
    let type: Int
    let payee: String
    /// The amount due.
    let amount: String?
    /// The currency's letters: `SEK` where the text has none.
    let currency: String
    /// `BG`, `PG`, `IBAN` or `BBAN`.
    let accountType: String
    let account: String
    let reference: String?
    private let organisation: String?
    private let dueDate: String?
    private let invoiceDate: String?
    /// Members of the standard that are shown by its own names: taxes, a credited invoice, an address.
    private let others: InstructionFields

    private static let others: Set<String> = ["cr", "vat", "vh", "vm", "vl", "cc", "bc", "adr"]

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all().trimmed
        guard let json = try? JSONValue(parsing: whole.text), let version = json["uqr"] else {
            throw whole.defect(.foreign, "text", "is no JSON object with uqr")
        }
        let known: Set<String> = [
            "uqr", "tp", "nme", "cid", "iref", "ddt", "idt", "due", "cur", "pt", "acc",
        ]
        var others: InstructionFields = [:]
        for (name, value) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            if Self.others.contains(name) {
                others[name] = value
            } else {
                source.leave(name, value.string ?? value.text)
            }
        }
        self.others = others
        /// Returns the text of a member, at the first place of its name: JSON readers do not report places.
        func value(_ name: String) -> TextPart? {
            let text = json[name]?.string ?? json[name]?.number?.text ?? ""
            return text.isEmpty ? nil : TextPart(decoded: text, at: Self.place(of: name, in: whole))
        }
        func required(_ name: String) throws(StandardDefect) -> TextPart {
            guard let part = value(name) else { throw whole.suffix(0).defect(.missing, name, "is missing") }
            return part
        }
        func date(_ name: String) throws(StandardDefect) -> String? {
            try value(name).map { part throws(StandardDefect) in try CalendarDay(part, name, .yyyyMMdd).iso }
        }
        guard version.int64 == 1 else {
            throw StandardDefect(.unsupported, "uqr", at: Self.place(of: "uqr", in: whole), "must be 1")
        }
        guard let type = json["tp"]?.int64, 1...3 ~= type else {
            throw StandardDefect(.malformed, "tp", at: Self.place(of: "tp", in: whole), "must be 1, 2 or 3")
        }
        self.type = Int(type)
        payee = try required("nme").text
        organisation = value("cid")?.text
        reference = value("iref")?.text
        dueDate = try date("ddt")
        invoiceDate = try date("idt")
        amount = try value("due").map { part throws(StandardDefect) in
            try DecimalText(part, "due", DecimalRules(fractionDigits: 2, wholeDigits: 15)).text
        }
        let currency = value("cur") ?? TextPart(decoded: "SEK", at: whole.offset)
        guard ISO4217.exponent(of: currency.text) != nil else {
            throw currency.defect(.malformed, "cur", "must be three capital letters of ISO 4217")
        }
        self.currency = currency.text
        let kind = try required("pt")
        guard ["BG", "PG", "IBAN", "BBAN"].contains(kind.text) else {
            throw kind.defect(.malformed, "pt", "must be BG, PG, IBAN or BBAN")
        }
        accountType = kind.text
        let account = try required("acc")
        if accountType == "IBAN" {
            self.account = try IBAN(account, "acc", allowsSpaces: true).text
        } else {
            guard account.bytes.contains(where: \.isASCIIDigit),
                account.bytes.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == 0x20 })
            else { throw account.defect(.malformed, "acc", "must be digits, parted by - or spaces") }
            self.account = account.text
        }
    }

    /// Returns the place of the member `name`.
    private static func place(of name: String, in part: TextPart) -> Int {
        part.bytes.firstRange(of: Array("\"\(name)\"".utf8))?.lowerBound ?? part.offset
    }

    var fields: InstructionFields {
        var fields: InstructionFields = [:]
        fields.set("type", type)
        fields.set("payee", payee)
        fields.set("organisation", organisation)
        fields.set("reference", reference)
        fields.set("dueDate", dueDate)
        fields.set("invoiceDate", invoiceDate)
        fields.set("amount", amount)
        fields.set("currency", currency)
        fields.set("accountType", accountType)
        fields.set("account", account)
        for member in others { fields[member.name] = member.value }
        return fields
    }

    /// Pays the account; credit notes and paid invoices are for information.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.purpose = type == 1 ? .payment : .information
        let isChecked = accountType == "IBAN"
        instruction.payee = .init(account: account, name: payee, check: isChecked ? .checksum : .none)
        if !isChecked { instruction.warnings.append(.missingChecksum) }
        instruction.network = ["BG": "bankgiro", "PG": "plusgiro"][accountType] ?? "iban:SE"
        instruction.amount = .init(amount, iso: currency)
        instruction.reference = reference
        return instruction
    }
}
