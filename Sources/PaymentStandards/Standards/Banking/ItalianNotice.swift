import PaymentCore

/// The code on a payment notice of Italy's public administration (pagoPA).
///
/// Source: AgID, pagoPA payment notice, version 002 of the code. The amount due may have changed since the notice was
/// printed; pagoPA states it at the time of payment.
struct ItalianNotice: PaymentStandard {
    static let id = "pagopa"
    static let specification = "pagoPA notice 002"
    static let patterns: [StandardPattern] = [.prefix("PAGOPA|")]

    /// 18 digits that name the notice.
    let noticeNumber: String
    /// The creditor's tax code, 11 digits.
    let creditorTaxCode: String
    /// The amount in cents when the notice was printed.
    let cents: String

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        let parts = text.split(at: "|")
        guard parts.count > 1 else { throw text.defect(.foreign, "notice", "has no parts between |") }
        guard parts[1].equals("002") else {
            throw parts[1].defect(.unsupported, "version", "must be 002")
        }
        guard parts.count == 5 else {
            throw text.suffix(0).defect(.malformed, "notice", "must have five parts between |")
        }
        noticeNumber = try Self.digits(parts[2], 18...18, "notice number", mustBe: "18 digits")
        creditorTaxCode = try Self.digits(parts[3], 11...11, "creditor's tax code", mustBe: "11 digits")
        cents = try Self.digits(parts[4], 1...11, "amount", mustBe: "a whole number of cents")
    }

    private static func digits(
        _ part: TextPart, _ counts: ClosedRange<Int>, _ name: String, mustBe words: String
    ) throws(StandardDefect) -> String {
        guard counts.contains(part.count), part.isDigits else {
            throw part.defect(.malformed, name, "must be \(words)")
        }
        return part.text
    }

    var fields: InstructionFields {
        [
            "version": "002", "noticeNumber": .string(noticeNumber), "creditorTaxCode": .string(creditorTaxCode),
            "amountCents": .string(cents), "amount": .string(cents.hundredthsAsUnits), "currency": "EUR",
        ]
    }

    /// Pays the notice; the amount is the printed one.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: creditorTaxCode)
        instruction.network = "pagopa"
        instruction.amount = .init(cents.hundredthsAsUnits, iso: "EUR")
        if case .fixed(let money) = instruction.amount { instruction.amount = .suggested(money) }
        instruction.reference = noticeNumber
        instruction.warnings = [.missingChecksum, .amountMayDiffer]
        return instruction
    }
}
