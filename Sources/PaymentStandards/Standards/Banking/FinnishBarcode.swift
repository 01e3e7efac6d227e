import PaymentCore

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
        var instruction = bareInstruction
        instruction.payee = iban.payee()
        instruction.network = "sepa"
        instruction.amount = .init(amount, iso: "EUR")
        instruction.reference = reference
        return instruction
    }
}
