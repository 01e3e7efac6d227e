import PaymentCore

// MARK: - Sweden

/// The code on Swedish invoices (UsingQR): a JSON object.
///
/// Source: UsingQR 1.0.
struct SwedishInvoice: PaymentStandard {
    static let id = "usingqr"
    static let specification = "UsingQR 1"
    /// Every JSON object may be an invoice. Its member `uqr` decides.
    static let patterns: [StandardPattern] = [.prefix("{")]

    /// 1 an invoice, 2 a credit note, 3 an invoice that has been paid.
    let type: Int
    let payee: String
    /// The amount due.
    let amount: String?
    /// The currency's letters: `SEK` if the text has none.
    let currency: String
    /// `BG`, `PG`, `IBAN` or `BBAN`.
    let accountType: String
    let account: String
    let reference: String?
    private let organisation: String?
    private let dueDate: String?
    private let invoiceDate: String?
    /// Members that are shown by the standard's own names: taxes, a credited invoice, an address.
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
        /// Returns the text of a member. Its place is the first place of its name: JSON readers do not report places.
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
        let quoted = Array("\"\(name)\"".utf8)
        return part.bytes.indices.first { part.bytes[$0...].starts(with: quoted) } ?? part.offset
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
        makeInstruction { instruction in
            instruction.purpose = type == 1 ? .payment : .information
            let isChecked = accountType == "IBAN"
            instruction.payee = .init(account: account, name: payee, check: isChecked ? .checksum : .none)
            if !isChecked { instruction.warnings.append(.missingChecksum) }
            instruction.network = ["BG": "bankgiro", "PG": "plusgiro"][accountType] ?? "iban:SE"
            instruction.amount = .init(amount, iso: currency)
            instruction.reference = reference
        }
    }
}

// MARK: - Finland

/// The bank barcode of Finnish bills: 54 digits (Code 128).
///
/// Source: Finance Finland, bank bar code guide, versions 4 (national reference) and 5 (RF reference). Days are of this
/// century.
struct FinnishBarcode: PaymentStandard {
    static let id = "fi-barcode"
    static let specification = "Finnish bank barcode 4 and 5"
    static let patterns: [StandardPattern] = ["4", "5"].map { .bare(BareShape($0, lengths: 54...54, .digits)) }

    /// 4 or 5.
    let version: Int
    let iban: IBAN
    /// The amount in euros; nil for the payer to fill in.
    let amount: String?
    /// The reference, without filling zeros.
    let reference: String
    let dueDate: String?

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        let isFirst = text.bytes.first == UInt8(ascii: "4")
        version = isFirst ? 4 : 5
        let account = text.dropFirst(1).prefix(16)
        // The place of the digits is that of the account.
        iban = try IBAN(TextPart(decoded: "FI" + account.text, at: account.offset), "account")
        let amount = text.dropFirst(17).prefix(8).text.hundredthsAsUnits
        self.amount = amount == "0.00" ? nil : amount
        let rest = text.dropFirst(25).prefix(23)
        if isFirst {
            guard rest.prefix(3).equals("000") else {
                throw rest.defect(.malformed, "reserved digits", "must be 000 in version 4")
            }
            let part = rest.dropFirst(3)
            guard CheckDigits.isSound731(part.bytes), part.bytes.contains(where: { $0 != 0x30 }) else {
                throw part.defect(.checksum, "reference", "fails its check digit: at least one digit is wrong")
            }
            reference = String(part.text.drop { $0 == "0" })
        } else {
            let body = String(rest.dropFirst(2).text.drop { $0 == "0" })
            reference = try CreditorReference.rf(
                TextPart(decoded: "RF" + rest.prefix(2).text + body, at: rest.offset), "reference")
        }
        let due = text.dropFirst(48)
        dueDate = due.equals("000000") ? nil : try CalendarDay(due, "due date", .yyMMdd).iso
    }

    var fields: InstructionFields {
        var fields: InstructionFields = [:]
        fields.set("version", version)
        fields.set("iban", iban.text)
        fields.set("currency", "EUR")
        fields.setOrNull("amount", amount)
        fields.set("reference", reference)
        fields.setOrNull("dueDate", dueDate)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = iban.payee()
            instruction.network = "sepa"
            instruction.amount = .init(amount, iso: "EUR")
            instruction.reference = reference
        }
    }
}

// MARK: - Italy

/// The code on a payment notice of Italy's public administration (pagoPA).
///
/// Source: AgID, pagoPA payment notice, version 002 of the code. The amount due may change after printing. pagoPA
/// states it at the time of payment.
struct ItalianNotice: PaymentStandard {
    static let id = "pagopa"
    static let specification = "pagoPA notice 002"
    static let patterns: [StandardPattern] = [.prefix("PAGOPA|")]

    /// 18 digits that name the notice.
    let noticeNumber: String
    /// The creditor's tax code, 11 digits.
    let creditorTaxCode: String
    /// The amount in cents when the notice was printed.
    let cents: String

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        let parts = text.split(at: "|")
        guard parts.count > 1 else { throw text.defect(.foreign, "notice", "has no parts between |") }
        guard parts[1].equals("002") else {
            throw parts[1].defect(.unsupported, "version", "must be 002")
        }
        guard parts.count == 5 else {
            throw text.suffix(0).defect(.malformed, "notice", "must have five parts between |")
        }
        noticeNumber = try Self.digits(parts[2], 18...18, "notice number", mustBe: "18 digits")
        creditorTaxCode = try Self.digits(parts[3], 11...11, "creditor's tax code", mustBe: "11 digits")
        cents = try Self.digits(parts[4], 1...11, "amount", mustBe: "a whole number of cents")
    }

    private static func digits(
        _ part: TextPart, _ counts: ClosedRange<Int>, _ name: String, mustBe words: String
    ) throws(StandardDefect) -> String {
        guard counts.contains(part.count), part.isDigits else {
            throw part.defect(.malformed, name, "must be \(words)")
        }
        return part.text
    }

    var fields: InstructionFields {
        [
            "version": "002", "noticeNumber": .string(noticeNumber), "creditorTaxCode": .string(creditorTaxCode),
            "amountCents": .string(cents), "amount": .string(cents.hundredthsAsUnits), "currency": "EUR",
        ]
    }

    /// Pays the notice; the amount is the printed one.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: creditorTaxCode)
            instruction.network = "pagopa"
            instruction.amount = .init(cents.hundredthsAsUnits, iso: "EUR")
            if case .fixed(let money) = instruction.amount { instruction.amount = .suggested(money) }
            instruction.reference = noticeNumber
            instruction.warnings = [.missingChecksum, .amountMayDiffer]
        }
    }
}

// MARK: - Poland

/// The code on Polish bills (ZBP 2D): nine fields joined by `|`.
///
/// Source: Związek Banków Polskich, recommendation on the 2D code, 2013-12-03.
struct PolishCode: PaymentStandard {
    static let id = "zbp-2d"
    static let specification = "ZBP 2D 2013-12"
    /// With a tax number, or nothing in its place.
    static let patterns: [StandardPattern] =
        [.prefix("|PL|")] + (0...9).map { .bare(BareShape(String($0), lengths: 36...300, .line)) }

    /// The payee's tax number, ten digits.
    let taxID: String?
    /// 26 digits: an IBAN without its country.
    let account: String
    /// The amount in zloty; nil for the payer to fill in.
    let amount: String?
    let name: String
    let title: String?
    private let directDebitID: String?
    private let invoobillID: String?

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all()
        let parts = whole.split(at: "|")
        guard parts.count > 3, parts[1].equals("PL"), parts[0].bytes.allSatisfy(\.isASCIIDigit) else {
            throw whole.defect(.foreign, "text", "is not one of ZBP")
        }
        guard parts.count == 9 else {
            throw whole.suffix(0).defect(.malformed, "code", "must have nine fields between |")
        }
        guard parts[0].isEmpty || parts[0].count == 10 else {
            throw parts[0].defect(.malformed, "tax number", "must be ten digits or empty")
        }
        taxID = parts[0].isEmpty ? nil : parts[0].text
        guard parts[2].count == 26, parts[2].isDigits else {
            throw parts[2].defect(.malformed, "account", "must be 26 digits")
        }
        guard CheckDigits.isSound97(("PL".utf8 + Array(parts[2].bytes))[...]) else {
            throw parts[2].defect(.checksum, "account", "fails its check digits: at least one digit is wrong")
        }
        account = parts[2].text
        guard 6...15 ~= parts[3].count, parts[3].isDigits else {
            throw parts[3].defect(.malformed, "amount", "must be six digits or more, the last two grosze")
        }
        let amount = parts[3].text.hundredthsAsUnits
        self.amount = amount == "0.00" ? nil : amount
        guard !parts[4].isEmpty else { throw parts[4].defect(.missing, "name", "is missing") }
        name = try parts[4].limited(to: 20, "name").text
        title = parts[5].isEmpty ? nil : try parts[5].limited(to: 32, "title").text
        directDebitID = parts[6].isEmpty ? nil : try parts[6].limited(to: 20, "direct debit id").text
        invoobillID = parts[7].isEmpty ? nil : try parts[7].limited(to: 12, "Invoobill id").text
        if !parts[8].isEmpty { source.leave("reserve", try parts[8].limited(to: 24, "reserve").text) }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["country": "PL", "currency": "PLN"]
        fields.setOrNull("taxId", taxID)
        fields.set("account", account)
        fields.setOrNull("amount", amount)
        fields.set("name", name)
        fields.set("title", title)
        fields.set("directDebitId", directDebitID)
        fields.set("invoobillId", invoobillID)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: "PL\(account)", name: name, check: .checksum)
            instruction.network = "iban:PL"
            instruction.amount = .init(amount, iso: "PLN")
            instruction.memo = title
        }
    }
}

// MARK: - Russia

/// The code on Russian bills (`ST00011`, `ST00012`, `ST00013`).
///
/// Source: GOST R 56042-2014: a mark, a character set, a separator that the writer chooses, then `Key=value`. Keys are
/// compared without regard to case, as banks' readers do.
struct RussianCode: PaymentStandard {
    static let id = "st00012"
    static let specification = "GOST R 56042-2014"
    static let ignoresUnknownParts = true
    static let patterns: [StandardPattern] = [.prefix("ST000")]

    /// The character set of the code's bytes: `windows-1251`, `utf-8` or `koi8-r`.
    let encoding: String
    /// The character between fields.
    let separator: String
    let name: String
    /// The payee's account, 20 digits.
    let account: String
    /// The amount in kopecks.
    let kopecks: String?
    private let bankName: String
    private let bankCode: String
    private let correspondent: String
    private let purpose: String?
    private let payeeTaxNumber: String?
    /// The values of the ``others``, by their names in lower case.
    private let otherValues: [String: String]

    /// Fields of GOST R 56042 that describe the payer or the bill. `AddAmount` is not among them: it is a further
    /// amount.
    private static let others = [
        "lastName", "firstName", "middleName", "payerAddress", "payerINN", "kpp", "drawerStatus", "cbc", "oktmo",
        "paytReason", "taxPeriod", "docNo", "docDate", "taxPaytKind", "personalAccount", "docIdx", "pensAcc",
        "contract", "persAcc", "flat", "phone", "payerIdType", "payerIdNum", "childFio", "birthDate", "paymTerm",
        "paymPeriod", "category", "serviceName", "counterId", "counterVal", "quittId", "quittDate", "instNum",
        "classNum", "specFio", "ruleId", "execId", "regType", "uin", "techCode",
    ]
    private static let otherKeys = Set(others.map { $0.lowercased() })
    private static let encodings: [UInt8: String] = [0x31: "windows-1251", 0x32: "utf-8", 0x33: "koi8-r"]

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all().trimmed
        guard whole.starts(with: "ST0001") else {
            throw whole.dropFirst(2).defect(.unsupported, "version", "must be 0001")
        }
        let tail = whole.dropFirst(6)
        guard let digit = tail.bytes.first, let encoding = Self.encodings[digit] else {
            throw tail.defect(.unsupported, "character set", "must be 1, 2 or 3")
        }
        guard let mark = tail.bytes.dropFirst().first, mark > 0x20, mark < 0x7F, !mark.isASCIILetter,
            !mark.isASCIIDigit, mark != UInt8(ascii: "=")
        else { throw tail.dropFirst(1).defect(.malformed, "separator", "must be a mark such as |") }
        self.encoding = encoding
        let separator = Unicode.Scalar(mark)
        self.separator = String(Character(separator))
        var raw: [NamedParts.Part] = []
        var keys: Set<String> = []
        for field in tail.dropFirst(2).split(at: separator) where !field.isEmpty {
            let (key, value) = field.cut(at: "=")
            guard let value, !key.isEmpty else {
                throw field.defect(.malformed, "field", "must be a key, = and a value")
            }
            guard keys.insert(key.lowercased).inserted else {
                throw key.defect(.duplicate, "field", "stands twice; readers would disagree which counts")
            }
            raw.append(.init(name: key.lowercased, value: value))
        }
        let fields = source.named(raw)
        func required(_ key: String, _ name: String) throws(StandardDefect) -> TextPart {
            guard let part = fields[key], !part.isEmpty else {
                throw whole.suffix(0).defect(.missing, name, "is missing")
            }
            return part
        }
        name = try required("name", "Name").limited(to: 160, "Name").text
        account = try Self.digits(required("personalacc", "PersonalAcc"), "PersonalAcc", 20...20)
        bankName = try required("bankname", "BankName").limited(to: 45, "BankName").text
        bankCode = try Self.digits(required("bic", "BIC"), "BIC", 9...9)
        let correspondent = try required("correspacc", "CorrespAcc")
        if !correspondent.equals("0") { _ = try Self.digits(correspondent, "CorrespAcc", 20...20) }
        self.correspondent = correspondent.text
        kopecks = try fields["sum"].map { part throws(StandardDefect) in try Self.digits(part, "Sum", 1...18) }
        purpose = try fields["purpose"]?.limited(to: 210, "Purpose").text
        let tax = fields["payeeinn"]
        if let tax, !tax.isEmpty { _ = try Self.digits(tax, "PayeeINN", 1...12) }
        payeeTaxNumber = tax?.text
        otherValues = fields.take(Self.otherKeys)
    }

    private static func digits(
        _ part: TextPart, _ name: String, _ counts: ClosedRange<Int>
    ) throws(StandardDefect) -> String {
        guard counts.contains(part.count), part.isDigits else {
            let count = counts.count == 1 ? "\(counts.upperBound)" : "at most \(counts.upperBound)"
            throw part.defect(.malformed, name, "must be \(count) digits")
        }
        return part.text
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["encoding": .string(encoding), "separator": .string(separator)]
        fields.set("name", name)
        fields.set("personalAcc", account)
        fields.set("bankName", bankName)
        fields.set("bic", bankCode)
        fields.set("correspAcc", correspondent)
        fields.set("sumKopecks", kopecks)
        fields.set("amount", kopecks?.hundredthsAsUnits)
        if kopecks != nil { fields.set("currency", "RUB") }
        fields.set("purpose", purpose)
        fields.set("payeeINN", payeeTaxNumber)
        if !otherValues.isEmpty { for key in Self.others { fields.set(key, otherValues[key.lowercased()]) } }
        return fields
    }

    /// Pays the account. Its check digits need the bank's number; the bank checks them.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: account, name: name)
            instruction.warnings.append(.missingChecksum)
            instruction.network = "ru-bank-account"
            instruction.amount = .init(kopecks?.hundredthsAsUnits, iso: "RUB")
            instruction.memo = purpose
        }
    }
}
