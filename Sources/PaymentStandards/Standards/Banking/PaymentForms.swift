import PaymentCore

// MARK: - Slovenia

/// The code on Slovenia's payment form (UPN QR).
///
/// Source: Bank Association of Slovenia, UPN QR technical standard: 19 lines and a control number, in ISO 8859-2.
struct SlovenianBill: PaymentStandard {
    static let id = "upn-qr"
    static let specification = "UPN QR"
    static let patterns: [StandardPattern] = [.firstLine("UPNQR")]

    let iban: IBAN
    let payee: String
    /// The amount in euros with two decimals.
    let amount: String
    /// The payee's reference, such as `SI12…`.
    let reference: String?
    let purpose: String?
    private let other: InstructionFields
    private let dueDate: String?
    private let control: Int

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let lines = try source.lines(20...21)
        for index in [2, 3, 10] where !(lines[index].isEmpty || lines[index].equals("X")) {
            throw lines[index].defect(.malformed, "mark (line \(index + 1))", "must be X or empty")
        }
        if !lines[1].isEmpty { _ = try IBAN(lines[1], "payer's IBAN (line 2)", allowsSpaces: true) }
        var other: InstructionFields = [:]
        for (index, name) in [(2, "deposit"), (3, "withdrawal"), (10, "urgent")] where !lines[index].isEmpty {
            other.set(name, true)
        }
        if !lines[1].isEmpty { other.set("payerIban", lines[1].text) }
        other.set("payerReference", try lines.optional(4, 26, "payer's reference"))
        other.set("payer", try lines.optional(5, 33, "payer"))
        other.set("payerAddress", try lines.optional(6, 33, "payer's street"))
        other.set("payerPlace", try lines.optional(7, 33, "payer's place"))
        guard lines[8].count == 11, lines[8].isDigits else {
            throw lines[8].defect(.malformed, "amount (line 9)", "must be eleven digits, the last two cents")
        }
        amount = lines[8].text.hundredthsAsUnits
        other.set(
            "purposeCode",
            try lines.shaped(11, 4...4, "purpose code", mustBe: "four capital letters") { $0 &- 0x41 < 26 })
        purpose = try lines.optional(12, 42, "purpose")
        if !lines[13].isEmpty { _ = try CalendarDay(lines[13], "due date (line 14)", .dottedDay) }
        dueDate = lines[13].isEmpty ? nil : lines[13].text
        iban = try IBAN(lines[14], "payee's IBAN (line 15)", allowsSpaces: true)
        reference = try lines.shaped(15, 4...26, "reference", mustBe: "SI or RF, two digits and up to 22 characters") {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
        }
        if let reference {
            guard ["SI", "RF"].contains(reference.prefix(2)),
                reference.utf8.dropFirst(2).prefix(2).allSatisfy(\.isASCIIDigit)
            else {
                throw lines[15].defect(
                    .malformed, "reference (line 16)", "must begin with SI or RF and two digits")
            }
        }
        if lines[15].starts(with: "RF") { _ = try CreditorReference.rf(lines[15], "reference (line 16)") }
        payee = try lines.required(16, 33, "payee")
        other.set("payeeAddress", try lines.optional(17, 33, "payee's street"))
        other.set("payeePlace", try lines.optional(18, 33, "payee's place"))
        self.other = other
        // Each of the 19 line ends counts as one character.
        let sum = 19 + lines.scalarCount(ofFirst: 19)
        guard lines[19].count == 3, lines[19].isDigits, Int(lines[19].text) == sum else {
            throw lines[19].defect(
                .checksum, "control number (line 20)", "does not fit the lengths of the lines; scan the code again")
        }
        control = sum
        guard lines[20].bytes.allSatisfy({ $0 == 0x20 }) else {
            throw lines[20].defect(.length, "line 21", "stands behind the control number; remove it")
        }
    }

    var fields: InstructionFields {
        var fields = other
        fields.set("amount", amount)
        fields.set("currency", "EUR")
        fields.set("purpose", purpose)
        fields.setOrNull("dueDate", dueDate)
        fields.set("iban", iban.text)
        fields.set("reference", reference)
        fields.set("payee", payee)
        fields.set("control", control)
        return fields
    }

    /// Pays the account. An amount of zero lets the payer enter one.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: payee)
            instruction.network = "sepa"
            if amount != "0.00" { instruction.amount = .init(amount, iso: "EUR") }
            instruction.memo = purpose
            instruction.reference = reference
        }
    }
}

// MARK: - Croatia

/// The code on Croatia's payment form (HUB3), printed as PDF417.
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
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: payee)
            instruction.network = "iban:\(iban.country)"
            if amount != "0.00" { instruction.amount = .init(amount, iso: currency) }
            instruction.memo = description
            instruction.reference = [model, reference].compactMap { $0 }.joined(separator: " ")
        }
    }
}
