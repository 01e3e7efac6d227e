import PaymentCore

/// The code of Serbia's instant payments (NBS IPS QR).
///
/// Source: National Bank of Serbia, IPS QR: fields of a key and a value, joined by `|`.
struct SerbianCode: PaymentStandard {
    static let id = "nbs-ips"
    static let specification = "NBS IPS QR"
    static let patterns: [StandardPattern] = kinds.map { .prefix("K:\($0)|") }

    /// Printed bill, point of sale, shown by the payer, online.
    private static let kinds = ["PR", "PT", "PK", "EK"]

    /// `PR`, `PT`, `PK` or `EK`.
    let kind: String
    /// 18 digits with their check digits.
    let account: String
    /// The payee's name; line ends in it separate the address.
    let payee: String
    /// The amount in dinars, or nil.
    let amount: String?
    private let payer: String?
    private let paymentCode: String?
    private let purpose: String?
    private let reference: String?

    private static let amountRules = DecimalRules(
        mark: UInt8(ascii: ","), fractionDigits: 2, wholeDigits: 15, needsFraction: false)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all()
        guard whole.count <= 355 else {
            throw whole.defect(.length, "code", "has more than 355 bytes; shorten its texts")
        }
        var raw: [NamedParts.Part] = []
        for field in whole.split(at: "|") {
            let (key, value) = field.cut(at: ":")
            guard let value, !value.isEmpty, 1...2 ~= key.count, key.bytes.allSatisfy({ $0 &- 0x41 < 26 }) else {
                throw field.defect(.malformed, "field", "must be a key of capital letters, a colon and a value")
            }
            let name = key.text
            guard !raw.contains(where: { $0.name == name }) else {
                throw key.defect(.duplicate, "field \(name)", "stands twice; readers would disagree which counts")
            }
            raw.append(.init(name: name, value: value))
        }
        let fields = source.named(raw)
        func required(_ key: String, _ name: String) throws(StandardDefect) -> TextPart {
            guard let part = fields[key] else {
                throw whole.suffix(0).defect(.missing, "\(name) (\(key))", "is missing")
            }
            return part
        }
        kind = try required("K", "kind").text
        for (key, wanted, name) in [("V", "01", "version"), ("C", "1", "character set")] {
            let part = try required(key, name)
            guard part.text == wanted else { throw part.defect(.unsupported, "\(name) (\(key))", "must be \(wanted)") }
        }
        let account = try required("R", "account")
        guard account.count == 18, account.isDigits else {
            throw account.defect(.malformed, "account (R)", "must be 18 digits")
        }
        guard CheckDigits.remainder97(account.bytes) == 1 else {
            throw account.defect(.checksum, "account (R)", "fails its check digits: at least one digit is wrong")
        }
        self.account = account.text
        payee = try required("N", "payee").limited(to: 70, "payee (N)").text
        amount = try fields["I"].map(Self.amount)
        let code = fields["SF"]
        if let code, code.count != 3 || !code.isDigits {
            throw code.defect(.malformed, "payment code (SF)", "must be three digits")
        }
        paymentCode = code?.text
        payer = try fields["P"]?.limited(to: 70, "P").text
        purpose = try fields["S"]?.limited(to: 35, "S").text
        reference = try fields["RO"]?.limited(to: 35, "RO").text
    }

    private static func amount(_ part: TextPart) throws(StandardDefect) -> String {
        let name = "amount (I)"
        guard part.starts(with: "RSD") else { throw part.defect(.malformed, name, "must begin with RSD") }
        let digits = part.dropFirst(3)
        let decimal = try DecimalText(digits, name, amountRules)
        guard digits.bytes.contains(amountRules.mark) else {
            throw digits.defect(.malformed, name, "must have a comma, as in RSD100,00")
        }
        return decimal.text.trimmingPoint
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["kind": .string(kind), "version": "01"]
        fields.set("account", account)
        fields.set("payee", payee)
        fields.set("currency", "RSD")
        fields.set("amount", amount)
        fields.set("payer", payer)
        fields.set("paymentCode", paymentCode)
        fields.set("purpose", purpose)
        fields.set("reference", reference)
        return fields
    }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: account, name: payee, check: .checksum)
        instruction.network = "nbs-ips"
        instruction.amount = .init(amount, iso: "RSD")
        instruction.memo = purpose
        instruction.reference = reference
        return instruction
    }
}
