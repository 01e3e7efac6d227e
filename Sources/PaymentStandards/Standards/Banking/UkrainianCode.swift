import PaymentCore

/// The credit transfer code of Ukraine (NBU), which shares its first lines with the European one.
///
/// Source: National Bank of Ukraine, QR code for credit transfers, version 002: line 4 is `UCT`.
struct UkrainianCode: PaymentStandard {
    static let id = "nbu-qr"
    static let specification = "NBU QR 002"
    static let patterns: [StandardPattern] = [.firstLine("BCD")]

    let name: String
    let iban: IBAN
    /// The amount in hryvnia.
    let amount: String?
    /// The payee's tax or registration number.
    let receiverCode: String?
    let purpose: String?

    private static let amountRules = DecimalRules(fractionDigits: 2, wholeDigits: 12, allowsZero: false)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all()
        let mark = TextLines(whole)[3]
        guard mark.equals("UCT") else { throw mark.defect(.foreign, "line 4", "is not UCT") }
        let lines = try source.lines(12...14)
        _ = try lines.choice(1, ["001", "002"], "version")
        _ = try lines.choice(2, ["1", "2"], "character set")
        if !lines[4].isEmpty { _ = try BankCode(lines[4], "BIC (line 5)") }
        name = try lines.required(5, 140, "name")
        iban = try IBAN(lines[6], "IBAN (line 7)")
        guard iban.country == "UA" else { throw lines[6].defect(.range, "IBAN (line 7)", "must be one of Ukraine") }
        amount = try Self.amount(lines[7])
        receiverCode = try lines.shaped(8, 8...14, "receiver's code", mustBe: "8 to 14 letters or digits") {
            $0.isASCIIDigit || $0.isASCIILetter
        }
        purpose = try lines.optional(11, 420, "purpose")
    }

    private static func amount(_ line: TextPart) throws(StandardDefect) -> String? {
        guard !line.isEmpty else { return nil }
        guard line.starts(with: "UAH") else {
            throw line.defect(.malformed, "amount (line 8)", "must begin with UAH")
        }
        return try DecimalText(line.dropFirst(3), "amount (line 8)", amountRules).text
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["name": .string(name), "iban": .string(iban.text), "currency": "UAH"]
        fields.set("amount", amount)
        fields.set("receiverCode", receiverCode)
        fields.set("purpose", purpose)
        return fields
    }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = iban.payee(named: name)
        instruction.network = "iban:UA"
        instruction.amount = .init(amount, iso: "UAH")
        instruction.memo = purpose
        instruction.reference = receiverCode
        return instruction
    }
}
