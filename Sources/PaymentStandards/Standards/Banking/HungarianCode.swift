import PaymentCore

/// The code of Hungary's instant payments: a transfer (`HCT`) or a request to pay (`RTP`).
///
/// Source: Magyar Nemzeti Bank, guide to QR codes for instant payments (2019-07-12): 17 lines.
struct HungarianCode: PaymentStandard {
    static let id = "mnb-qr"
    static let specification = "MNB QR 2019-07"
    static let patterns: [StandardPattern] = [.firstLine("HCT"), .firstLine("RTP")]

    /// `HCT` for a transfer that the reader makes, `RTP` for one that the code requests.
    let kind: String
    let bic: String
    let name: String
    let iban: IBAN
    /// Whole forints; nil for the payer to fill in.
    let amount: String?
    /// ISO 8601, with Hungary's offset.
    let validUntil: String
    private let expiry: Moment
    private let texts: [String: String]

    private struct Moment: Sendable, Hashable {
        let day: CalendarDay
        let time: ClockTime
        let offset: Int
    }

    private static let names = [
        "message", "shopId", "deviceId", "invoiceId", "customerId", "transactionId", "loyaltyId", "navCode",
    ]

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all()
        guard whole.count <= 345 else {
            throw whole.defect(.length, "code", "has more than 345 bytes; shorten its texts")
        }
        let lines = try source.lines(17...17)
        kind = lines[0].text
        _ = try lines.choice(1, ["001"], "version")
        _ = try lines.choice(2, ["1"], "character set")
        bic = try BankCode(lines[3], "BIC (line 4)").text
        name = try lines.required(4, 70, "name")
        iban = try IBAN(lines[5], "IBAN (line 6)")
        guard iban.country == "HU" else { throw lines[5].defect(.range, "IBAN (line 6)", "must be one of Hungary") }
        amount = try Self.amount(lines[6])
        expiry = try Self.moment(lines[7])
        let offset = expiry.offset
        validUntil = "\(expiry.day.iso)T\(expiry.time.iso)+\(twoDigits(offset)):00"
        var texts: [String: String] = [:]
        texts["purpose"] = try lines.shaped(8, 4...4, "purpose", mustBe: "four capital letters of ISO 20022") {
            $0 &- 0x41 < 26
        }
        for (index, name) in Self.names.enumerated() {
            texts[name] = try lines.optional(index + 9, name == "message" ? 70 : 35, name)
        }
        self.texts = texts
    }

    private static func amount(_ line: TextPart) throws(StandardDefect) -> String? {
        guard !line.isEmpty else { return nil }
        let name = "amount (line 7)"
        guard line.starts(with: "HUF") else { throw line.defect(.malformed, name, "must begin with HUF") }
        let rules = DecimalRules(fractionDigits: 0, wholeDigits: 12, allowsZero: false)
        return try DecimalText(line.dropFirst(3), name, rules).text
    }

    /// `YYYYMMDDhhmmss`, `+` and the hours of the offset.
    private static func moment(_ line: TextPart) throws(StandardDefect) -> Moment {
        let name = "valid until (line 8)"
        let (head, tail) = line.cut(at: "+")
        guard head.count == 14, let tail, 1...2 ~= tail.count, let hours = Int(tail.text), tail.isDigits, hours <= 14
        else { throw line.defect(.malformed, name, "must be 14 digits, + and the offset, as in 20301231235959+1") }
        return Moment(
            day: try CalendarDay(head.prefix(8), name, .yyyyMMdd), time: try ClockTime(head.dropFirst(8), name),
            offset: hours)
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["kind": .string(kind), "version": "001", "bic": .string(bic)]
        fields.set("name", name)
        fields.set("iban", iban.text)
        fields.set("currency", "HUF")
        fields.setOrNull("amount", amount)
        fields.set("validUntil", validUntil)
        for name in ["purpose"] + Self.names { fields.set(name, texts[name]) }
        return fields
    }

    /// Pays the account; a request to pay asks for money from the named account.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        if kind == "RTP" { instruction.purpose = .pull }
        instruction.payee = iban.payee(named: name)
        instruction.network = "iban:HU"
        instruction.amount = .init(amount, iso: "HUF")
        instruction.memo = texts["message"]
        instruction.reference = texts["invoiceId"] ?? texts["transactionId"]
        instruction.expiresAt = expiry.day.date(seconds: expiry.time.seconds - expiry.offset * 3600)
        instruction.warnings.append(.expires)
        return instruction
    }
}
