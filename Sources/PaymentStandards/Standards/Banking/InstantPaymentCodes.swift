import PaymentCore

// MARK: - Hungary

/// The code of Hungary's instant payments: a transfer (`HCT`) or a request to pay (`RTP`).
///
/// Source: Magyar Nemzeti Bank, guide to QR codes for instant payments (2019-07-12): 17 lines.
struct HungarianCode: PaymentStandard {
    static let id = "mnb-qr"
    static let specification = "MNB QR 2019-07"
    static let patterns: [StandardPattern] = [.firstLine("HCT"), .firstLine("RTP")]

    /// `HCT` for a transfer by the reader, `RTP` for a request to pay.
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

    /// Reads `YYYYMMDDhhmmss`, `+` and the hours of the offset.
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
        makeInstruction { instruction in
            if kind == "RTP" { instruction.purpose = .pull }
            instruction.payee = iban.payee(named: name)
            instruction.network = "iban:HU"
            instruction.amount = .init(amount, iso: "HUF")
            instruction.memo = texts["message"]
            instruction.reference = texts["invoiceId"] ?? texts["transactionId"]
            instruction.expiresAt = expiry.day.date(seconds: expiry.time.seconds - expiry.offset * 3600)
            instruction.warnings.append(.expires)
        }
    }
}

// MARK: - Serbia

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
    /// The payee's name. Line ends in it separate the address.
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
        makeInstruction { instruction in
            instruction.payee = .init(account: account, name: payee, check: .checksum)
            instruction.network = "nbs-ips"
            instruction.amount = .init(amount, iso: "RSD")
            instruction.memo = purpose
            instruction.reference = reference
        }
    }
}
