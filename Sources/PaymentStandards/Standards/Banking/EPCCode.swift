public import PaymentCore

/// The European Payments Council's code for a SEPA credit transfer: GiroCode, "BCD", Stuzza.
///
/// Source: EPC069-12 v2.1 section 3.2. The identification `INST` comes from newer guidelines. The Ukrainian code shares
/// the first line; its fourth is `UCT`.
public struct EPCCode: WritablePaymentStandard {
    /// `epc-qr`.
    public static let id = "epc-qr"
    /// The specification that it follows.
    public static let specification = "EPC069-12"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.firstLine("BCD")]

    /// `001`, which demands a BIC, or `002`.
    private(set) var version = "002"
    /// The number of the character set: 1 for UTF-8.
    private(set) var charset = 1
    /// `SCT`, or `INST` for an instant transfer.
    private(set) var identification = "SCT"
    private(set) var bic: String?
    private(set) var name: String
    private(set) var iban: IBAN
    /// The amount in euros, as written.
    private(set) var amount: String?
    /// Up to four letters of ISO 20022.
    private(set) var purpose: String?
    /// A creditor reference or a national one, without spaces.
    private(set) var structuredReference: String?
    private(set) var remittance: String?
    /// A note for the payer.
    private(set) var information: String?

    static let amountRules = DecimalRules(fractionDigits: 2, wholeDigits: 9, allowsZero: false)

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = source.all().trimmed
        let lines = TextLines(whole)
        guard !lines[3].equals("UCT") else {
            throw lines[3].defect(.foreign, "line 4", "is that of the Ukrainian code")
        }
        guard lines.ending == .lf || lines.ending == .crlf else {
            throw whole.defect(.malformed, "line ends", "must all be LF or all CR LF")
        }
        let behind = lines.lines.indices.dropFirst(12).first { !lines[$0].isEmpty }
        guard behind == nil else { throw lines[12].defect(.length, "line 13", "stands behind the last; remove it") }
        version = try Self.required(lines[1], "version (line 2)", ["001", "002"])
        charset = try Self.number(lines[2])
        // A reader that decodes another character set returns other bytes. In the code, each character was one byte.
        guard (charset == 1 ? whole.count : whole.scalarCount) <= 331 else {
            throw whole.defect(.length, "code", "has more than 331 bytes; shorten its texts")
        }
        identification = try Self.required(lines[3], "identification (line 4)", ["SCT", "INST"])
        bic = try Self.bankCode(lines[4], isRequired: version == "001")
        guard !lines[5].isEmpty else { throw lines[5].defect(.missing, "name (line 6)", "is missing") }
        name = try lines[5].limited(to: 70, "name (line 6)").text
        iban = try IBAN(lines[6], "IBAN (line 7)", allowsSpaces: true)
        amount = try Self.amount(lines[7])
        purpose = try Self.optional(lines[8], 4, "purpose (line 9)")
        structuredReference = try Self.reference(lines[9])
        remittance = try Self.optional(lines[10], 140, "text (line 11)")
        guard structuredReference == nil || remittance == nil else {
            throw lines[10].defect(.mismatch, "text (line 11)", "may not stand beside a reference in line 10")
        }
        information = try Self.optional(lines[11], 70, "information (line 12)")
    }

    /// Creates a code of version 002 in UTF-8.
    ///
    /// - Parameters:
    ///   - name: The payee.
    ///   - iban: The payee's account.
    ///   - cents: 1 to 99 999 999 999, or nil to let the payer enter the amount.
    ///   - purpose: A code of ISO 20022, up to four letters; nil for none.
    ///   - reference: A creditor reference; excludes `remittance`.
    ///   - remittance: A free text for the payee.
    ///   - information: A text for the payer.
    /// - Throws: ``StandardDefect`` if the resulting code cannot be read.
    public init(
        name: String, iban: String, cents: UInt64? = nil, purpose: String? = nil, reference: String? = nil,
        remittance: String? = nil, information: String? = nil
    ) throws(StandardDefect) {
        let amount = cents.map { "EUR\($0 / 100).\($0 % 100 < 10 ? "0" : "")\($0 % 100)" }
        let lines = ["BCD", "002", "1", "SCT", "", name, iban, amount, purpose, reference, remittance, information]
        try self.init(text: FixedLines.joined(lines.map { $0 ?? "" }))
    }

    private static func required(
        _ line: TextPart, _ name: String, _ choices: [String]
    ) throws(StandardDefect) -> String {
        guard choices.contains(line.text) else {
            throw line.defect(.malformed, name, "must be \(choices.joined(separator: " or "))")
        }
        return line.text
    }

    private static func number(_ line: TextPart) throws(StandardDefect) -> Int {
        guard line.count == 1, let digit = line.bytes.first, UInt8(ascii: "1")...UInt8(ascii: "8") ~= digit else {
            throw line.defect(.malformed, "character set (line 3)", "must be a digit from 1 to 8")
        }
        return Int(digit - 0x30)
    }

    private static func bankCode(_ line: TextPart, isRequired: Bool) throws(StandardDefect) -> String? {
        guard !line.isEmpty else {
            guard !isRequired else { throw line.defect(.missing, "BIC (line 5)", "is missing; version 001 demands it") }
            return nil
        }
        return try BankCode(line, "BIC (line 5)").text
    }

    private static func amount(_ line: TextPart) throws(StandardDefect) -> String? {
        guard !line.isEmpty else { return nil }
        guard line.starts(with: "EUR") else {
            throw line.defect(.malformed, "amount (line 8)", "must begin with EUR")
        }
        return try DecimalText(line.dropFirst(3), "amount (line 8)", amountRules).text
    }

    private static func reference(_ line: TextPart) throws(StandardDefect) -> String? {
        guard !line.isEmpty else { return nil }
        let name = "reference (line 10)"
        guard line.starts(with: "RF") else { return try line.limited(to: 35, name).text }
        return try CreditorReference.rf(line, name)
    }

    private static func optional(_ line: TextPart, _ limit: Int, _ name: String) throws(StandardDefect) -> String? {
        line.isEmpty ? nil : try line.limited(to: limit, name).text
    }

    /// The fields of `epc-qr`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["version": .string(version)]
        fields.set("charset", charset)
        fields.setOrNull("bic", bic)
        fields.set("name", name)
        fields.set("iban", iban.text)
        fields.setOrNull("currency", amount == nil ? nil : "EUR")
        fields.setOrNull("amount", amount)
        fields.setOrNull("purpose", purpose)
        fields.setOrNull("structuredReference", structuredReference)
        fields.setOrNull("text", remittance)
        fields.setOrNull("info", information)
        return fields
    }

    /// Pays the account by SEPA credit transfer.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: name)
            instruction.network = identification == "INST" ? "sepa-instant" : "sepa"
            instruction.amount = .init(amount, iso: "EUR")
            instruction.memo = remittance
            instruction.reference = structuredReference
        }
    }

    /// The canonical text: LF between lines, empty lines at the end left out.
    public var text: String {
        var lines = [
            "BCD", version, String(charset), identification, bic ?? "", name, iban.text,
            amount.map { "EUR\($0)" } ?? "",
            purpose ?? "", structuredReference ?? "", remittance ?? "", information ?? "",
        ]
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

/// The credit transfer code of Ukraine (NBU). It shares its first lines with the European one.
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
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: name)
            instruction.network = "iban:UA"
            instruction.amount = .init(amount, iso: "UAH")
            instruction.memo = purpose
            instruction.reference = receiverCode
        }
    }
}
