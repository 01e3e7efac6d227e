public import PaymentCore

/// The Swiss QR-bill.
///
/// Source: SIX, Swiss Implementation Guidelines QR-bill 2.x, section 4 (data structure). Addresses of type K ended on
/// 2025-11-22 but are still read, because old bills remain. A line end after the last line and CR alone are common, so
/// both are read.
public struct SwissBill: WritablePaymentStandard {
    /// `swiss-qr-bill`.
    public static let id = "swiss-qr-bill"
    /// The specification that it follows.
    public static let specification = "SIX Swiss QR-bill 2.x"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.firstLine("SPC")]

    /// Four digits that begin with `02`; readers ignore the last two.
    private(set) var version = "0200"
    /// The payee's account, in Switzerland or Liechtenstein.
    let iban: IBAN
    let creditor: Party
    /// The amount with two decimals, or nil for the payer to fill in.
    let amount: String?
    /// `CHF` or `EUR`.
    let currency: String
    /// The payer, if the bill names one.
    let debtor: Party?
    /// `QRR`, `SCOR` or `NON`.
    let referenceType: String
    /// 27 digits (`QRR`) or an ISO 11649 reference (`SCOR`).
    let reference: String?
    /// A message for people.
    let message: String?
    /// Information about the bill for programs.
    let billInformation: String?
    /// Other ways to settle it, at most two.
    let alternative: [String]

    /// The payee or the payer.
    public struct Party: Sendable, Hashable {
        /// `S` for an address in fields, `K` for one in two lines.
        let type: String
        let name: String
        /// The street, or the first line.
        let line1: String?
        /// The house number, or the second line.
        let line2: String?
        /// The postal code, of type `S`.
        let postalCode: String?
        /// The town, of type `S`.
        let town: String?
        /// The country's two letters.
        let country: String

        /// Creates a party with its address in fields.
        /// ``SwissBill/init(iban:creditor:cents:currency:debtor:reference:message:billInformation:)`` checks it.
        public init(
            name: String, street: String? = nil, houseNumber: String? = nil, postalCode: String, town: String,
            country: String
        ) {
            self.init(
                "S", name: name, line1: street, line2: houseNumber, postalCode: postalCode, town: town, country: country
            )
        }

        fileprivate init(
            _ type: String, name: String, line1: String?, line2: String?, postalCode: String?, town: String?,
            country: String
        ) {
            (self.type, self.name, self.line1, self.line2) = (type, name, line1, line2)
            (self.postalCode, self.town, self.country) = (postalCode, town, country)
        }

        fileprivate var lines: [String] {
            [type, name, line1 ?? "", line2 ?? "", postalCode ?? "", town ?? "", country]
        }

        fileprivate var json: JSONValue {
            func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
            return [
                "type": .string(type), "name": .string(name), "line1": text(line1), "line2": text(line2),
                "postalCode": text(postalCode), "town": text(town), "country": .string(country),
            ]
        }
    }

    private static let amountRules = DecimalRules(
        fractionDigits: 2, wholeDigits: 9, allowsLeadingZeros: false, allowsZero: false)

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let whole = try SwissText.checked(source.all())
        // An unknown version may have any lines, so the version is checked first.
        let head = TextLines(whole)
        guard head[1].count == 4, head[1].isDigits, head[1].starts(with: "02") else {
            throw head[1].defect(.unsupported, "version (line 2)", "must be 02 and two digits")
        }
        let lines = try source.lines(31...34, of: whole, allowsCR: true)
        version = lines[1].text
        _ = try lines.choice(2, ["1"], "coding")
        iban = try Self.account(lines[3])
        creditor = try Self.party(lines, 4, "creditor")
        for index in 11...17 where !lines[index].isEmpty {
            throw lines[index].defect(.malformed, "ultimate creditor (line \(index + 1))", "must be empty")
        }
        amount = try Self.amount(lines[18])
        currency = try lines.choice(19, ["CHF", "EUR"], "currency")
        debtor = (20...26).allSatisfy { lines[$0].isEmpty } ? nil : try Self.party(lines, 20, "debtor")
        referenceType = try lines.choice(27, ["QRR", "SCOR", "NON"], "reference type")
        reference = try Self.reference(lines[28], type: referenceType, lines[27], isQRIBAN: iban.isQRIBAN)
        message = try lines.optional(29, 140, "message")
        _ = try lines.choice(30, ["EPD"], "trailer")
        billInformation = try lines.optional(31, 140, "bill information")
        guard lines[29].scalarCount + lines[31].scalarCount <= 140 else {
            throw lines[31].defect(
                .length, "bill information (line 32)", "has, with the message, more than 140 characters")
        }
        var alternative = [try lines.optional(32, 100, "alternative"), try lines.optional(33, 100, "alternative")]
        while case .some(.none) = alternative.last { alternative.removeLast() }
        self.alternative = alternative.map { $0 ?? "" }
    }

    /// Creates a bill.
    ///
    /// - Parameters:
    ///   - iban: The creditor's account, an IBAN or a QR-IBAN.
    ///   - creditor: The payee.
    ///   - cents: 1 to 99 999 999 999, or nil to let the payer enter the amount.
    ///   - currency: `CHF` or `EUR`.
    ///   - debtor: The payer; nil leaves it open.
    ///   - reference: 27 digits for a QR-IBAN, else an ISO 11649 reference or nil.
    ///   - message: A text for the creditor.
    ///   - billInformation: Coded information about the bill.
    /// - Throws: ``StandardDefect`` if the resulting bill cannot be read.
    public init(
        iban: String, creditor: Party, cents: UInt64? = nil, currency: String = "CHF", debtor: Party? = nil,
        reference: String? = nil, message: String? = nil, billInformation: String? = nil
    ) throws(StandardDefect) {
        let none = Array(repeating: "", count: 7)
        let type = reference.map { $0.hasPrefix("RF") ? "SCOR" : "QRR" } ?? "NON"
        var lines = ["SPC", "0200", "1", iban] + creditor.lines + none
        lines += [cents.map { String($0).hundredthsAsUnits } ?? "", currency] + (debtor?.lines ?? none)
        lines += [type, reference ?? "", message ?? "", "EPD", billInformation ?? ""]
        try self.init(text: FixedLines.joined(lines))
    }

    private static func account(_ line: TextPart) throws(StandardDefect) -> IBAN {
        let iban = try IBAN(line, "IBAN (line 4)")
        guard iban.country == "CH" || iban.country == "LI" else {
            throw line.defect(.range, "IBAN (line 4)", "must be one of Switzerland or Liechtenstein")
        }
        return iban
    }

    private static func party(_ lines: FixedLines, _ first: Int, _ who: String) throws(StandardDefect) -> Party {
        let type = try lines.choice(first, ["S", "K"], "\(who)'s address type")
        let isCombined = type == "K"
        let name = try lines.required(first + 1, 70, "\(who)'s name")
        let line1 = try lines.optional(first + 2, 70, "\(who)'s address")
        let line2 =
            isCombined
            ? try lines.required(first + 3, 70, "\(who)'s address")
            : try lines.optional(first + 3, 16, "\(who)'s house number")
        for (index, what) in [(first + 4, "postal code"), (first + 5, "town")] where isCombined {
            guard lines[index].isEmpty else {
                throw lines[index].defect(
                    .malformed, FixedLines.name("\(who)'s \(what)", index), "must be empty for an address of type K")
            }
        }
        let postalCode = isCombined ? nil : try lines.required(first + 4, 16, "\(who)'s postal code")
        let town = isCombined ? nil : try lines.required(first + 5, 35, "\(who)'s town")
        let country = try lines.required(first + 6, 2, "\(who)'s country")
        guard CountryCodes.contains(country) else {
            throw lines[first + 6].defect(
                .range, FixedLines.name("\(who)'s country", first + 6), "must be two capital letters of a country")
        }
        return Party(
            type, name: name, line1: line1, line2: line2, postalCode: postalCode, town: town, country: country)
    }

    private static func amount(_ line: TextPart) throws(StandardDefect) -> String? {
        guard !line.isEmpty else { return nil }
        let decimal = try DecimalText(line, "amount (line 19)", amountRules)
        guard decimal.fractionCount == 2 else {
            throw line.defect(.malformed, "amount (line 19)", "must have two digits behind the point")
        }
        return decimal.text
    }

    private static func reference(
        _ line: TextPart, type: String, _ typeLine: TextPart, isQRIBAN: Bool
    ) throws(StandardDefect) -> String? {
        let name = "reference (line 29)"
        guard isQRIBAN == (type == "QRR") else {
            throw typeLine.defect(
                .mismatch, "reference type (line 28)",
                isQRIBAN
                    ? "must be QRR, since the account is a QR-IBAN" : "may be QRR only where the account is a QR-IBAN")
        }
        switch type {
        case "QRR": return try CreditorReference.qr(line, name)
        case "SCOR": return try CreditorReference.rf(line, name)
        default:
            guard line.isEmpty else { throw line.defect(.mismatch, name, "must be empty where line 28 says NON") }
            return nil
        }
    }

    /// The fields of `swiss-qr-bill`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["version": .string(version)]
        fields.set("iban", iban.text)
        fields.set("qrIban", iban.isQRIBAN)
        fields["creditor"] = creditor.json
        fields.setOrNull("amount", amount)
        fields.set("currency", currency)
        fields["debtor"] = debtor?.json ?? .null
        fields.set("referenceType", referenceType)
        fields.setOrNull("reference", reference)
        fields.setOrNull("message", message)
        fields.set("trailer", "EPD")
        fields.setOrNull("billInformation", billInformation)
        fields["alternative"] = alternative.isEmpty ? .null : .array(alternative.map(JSONValue.string))
        return fields
    }

    /// Pays the account.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = iban.payee(named: creditor.name)
            instruction.network = currency == "EUR" ? "sepa" : "six-interbank-clearing"
            instruction.amount = .init(amount, iso: currency)
            instruction.reference = reference
            instruction.memo = message
        }
    }

    /// The canonical text: LF between lines, empty lines after the trailer left out.
    public var text: String {
        let none = Array(repeating: "", count: 7)
        var lines = ["SPC", version, "1", iban.text] + creditor.lines + none
        lines += [amount ?? "", currency] + (debtor?.lines ?? none)
        lines += [referenceType, reference ?? "", message ?? "", "EPD", billInformation ?? ""] + alternative
        while lines.last == "" { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

/// The characters that a Swiss QR-bill may hold. Others may look like them: a Cyrillic `а` in a payee's name.
private enum SwissText {
    static func checked(_ text: TextPart) throws(StandardDefect) -> TextPart {
        guard text.scalarCount <= 997 else {
            throw text.defect(.length, "bill", "has more than 997 characters; shorten its texts")
        }
        guard text.bytes.contains(where: { $0 >= 0x80 || $0 == 0x09 }) else { return text }
        var index = text.bytes.startIndex
        for scalar in text.text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x17F, 0x218...0x21B, 0x20AC: break
            default:
                throw StandardDefect(
                    .encoding, "text", at: text.place(index), "has a character that the bill's Latin set does not hold")
            }
            index += UTF8.width(scalar)
        }
        return text
    }
}
