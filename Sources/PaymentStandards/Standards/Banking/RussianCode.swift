import PaymentCore

/// The code on Russian bills (`ST00011`, `ST00012`, `ST00013`).
///
/// Source: GOST R 56042-2014: a mark, a character set, a separator of the writer's choice, then `Key=value`. Keys are
/// compared without regard to case, as banks' readers do.
struct RussianCode: PaymentStandard {
    static let id = "st00012"
    static let specification = "GOST R 56042-2014"
    /// True.
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

    /// Fields of GOST R 56042 that describe the payer or the bill. `AddAmount`, a further amount, is not among them.
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
        var instruction = bareInstruction
        instruction.payee = .init(account: account, name: name)
        instruction.warnings.append(.missingChecksum)
        instruction.network = "ru-bank-account"
        instruction.amount = .init(kopecks?.hundredthsAsUnits, iso: "RUB")
        instruction.memo = purpose
        return instruction
    }
}
