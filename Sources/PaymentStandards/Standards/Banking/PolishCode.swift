import PaymentCore

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
        var instruction = bareInstruction
        instruction.payee = .init(account: "PL\(account)", name: name, check: .checksum)
        instruction.network = "iban:PL"
        instruction.amount = .init(amount, iso: "PLN")
        instruction.memo = title
        return instruction
    }
}
