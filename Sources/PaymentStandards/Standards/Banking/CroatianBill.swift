import PaymentCore

/// The code on Croatia's payment form (HUB3), a PDF417 symbol.
///
/// Source: Croatian Banking Association, 2D barcode for payment orders (HUB3A). The euro replaced the kuna on
/// 2023-01-01; old bills still use the kuna.
struct CroatianBill: PaymentStandard {
    static let id = "hub3"
    static let specification = "HUB3A 2D barcode"
    static let patterns: [StandardPattern] = [.prefix("HRVHUB")]

    let iban: IBAN
    let payee: String
    /// `EUR` or `HRK`.
    let currency: String
    /// The amount with two decimals.
    let amount: String
    /// The payee's reference, without its model.
    let reference: String?
    private let payer: String?
    private let model: String?
    private let purposeCode: String?
    private let description: String?
    /// The addresses of payer and payee.
    private let places: InstructionFields

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all()
        let head = whole.firstLine
        guard head.equals("HRVHUB30") else {
            throw head.defect(.unsupported, "version (line 1)", "must be HRVHUB30")
        }
        let lines = try source.lines(14...14)
        currency = try lines.choice(1, ["EUR", "HRK"], "currency")
        guard lines[2].count == 15, lines[2].isDigits else {
            throw lines[2].defect(.malformed, "amount (line 3)", "must be fifteen digits, the last two cents")
        }
        amount = lines[2].text.hundredthsAsUnits
        payer = try lines.optional(3, 30, "payer")
        var places: InstructionFields = [:]
        places.set("payerStreet", try lines.optional(4, 27, "payer's street"))
        places.set("payerPlace", try lines.optional(5, 27, "payer's place"))
        payee = try lines.required(6, 25, "payee")
        places.set("payeeStreet", try lines.optional(7, 25, "payee's street"))
        places.set("payeePlace", try lines.optional(8, 27, "payee's place"))
        self.places = places
        iban = try IBAN(lines[9], "IBAN (line 10)")
        model = try lines.shaped(10, 4...4, "model", mustBe: "HR and two digits") {
            $0.isASCIILetter || $0.isASCIIDigit
        }
        if let model, !model.hasPrefix("HR") || !model.utf8.dropFirst(2).allSatisfy(\.isASCIIDigit) {
            throw lines[10].defect(.malformed, "model (line 11)", "must be HR and two digits")
        }
        reference = try lines.optional(11, 22, "reference")
        purposeCode = try lines.shaped(12, 4...4, "purpose code", mustBe: "four capital letters") { $0 &- 0x41 < 26 }
        description = try lines.optional(13, 35, "description")
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["currency": .string(currency)]
        fields.set("amount", amount)
        fields.setOrNull("payer", payer)
        fields.set("payee", payee)
        fields.set("iban", iban.text)
        fields.set("model", model)
        fields.set("reference", reference)
        fields.set("purposeCode", purposeCode)
        fields.set("description", description)
        for place in places { fields[place.name] = place.value }
        return fields
    }

    /// Pays the account. An amount of zero lets the payer enter one.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = iban.payee(named: payee)
        instruction.network = "iban:\(iban.country)"
        if amount != "0.00" { instruction.amount = .init(amount, iso: currency) }
        instruction.memo = description
        instruction.reference = [model, reference].compactMap { $0 }.joined(separator: " ")
        return instruction
    }
}
