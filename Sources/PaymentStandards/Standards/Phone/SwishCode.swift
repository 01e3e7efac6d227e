import PaymentCore

/// The code that the Swish app reads: `C1237856901;100,00;message;mask`.
///
/// Source: Getswish, Guide Swish QR specification, section 6.1. The bits of the mask mark the fields that the payer may
/// change; without a mask, none.
struct SwishCode: PaymentStandard {
    static let id = "swish-qr"
    static let specification = "Swish QR"
    static let patterns: [StandardPattern] = (0...9).map { .prefix("C\($0)") }

    /// The payee's phone or Swish number.
    let payee: String
    /// The amount in kronor; nil for the payer to fill in.
    let amount: String?
    let message: String?
    /// The fields that the payer may change: `payee`, `amount`, `message`.
    let editable: [String]

    static let amountRules = DecimalRules(
        mark: UInt8(ascii: ","), fractionDigits: 2, wholeDigits: 12, needsFraction: false, allowsZero: false)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let text = source.all().trimmed
        let parts = text.split(at: ";")
        let number = parts[0].dropFirst(1)
        guard parts.count > 1, number.isDigits else { throw text.defect(.foreign, "code", "is not one of Swish") }
        guard parts.count <= 4 else { throw parts[4].defect(.length, "part 5", "stands behind the last; remove it") }
        guard 5...15 ~= number.count else {
            throw number.defect(.length, "number", "must have 5 to 15 digits")
        }
        payee = number.text
        amount =
            parts[1].isEmpty ? nil : try DecimalText(parts[1], "amount", Self.amountRules).text.trimmingPoint
        let message = parts.count > 2 ? try parts[2].decoded("message").limited(to: 50, "message").text : ""
        self.message = message.isEmpty ? nil : message
        let mask = parts.count > 3 ? parts[3] : text.suffix(0)
        guard mask.isEmpty || mask.count == 1 && UInt8(ascii: "0")...UInt8(ascii: "7") ~= mask.bytes[mask.offset] else {
            throw mask.defect(.range, "mask", "must be a digit from 0 to 7")
        }
        let bits = mask.bytes.first.map { $0 - 0x30 } ?? 0
        editable = zip(["payee", "amount", "message"], 0...).filter { bits >> $0.1 & 1 == 1 }.map(\.0)
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["payee": .string(payee)]
        fields.setOrNull("amount", amount)
        fields.setOrNull("message", message)
        fields["editable"] = .array(editable.map(JSONValue.string))
        return fields
    }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.completeSwish(payee: payee, amount: amount, message: message, editable: editable)
        return instruction
    }
}

extension PaymentInstruction {
    /// Sets the common values of both forms of Swish.
    mutating func completeSwish(payee: String, amount digits: String?, message: String?, editable: [String]) {
        setUncheckedPayee(payee)
        network = "swish"
        amount = .init(digits, iso: "SEK")
        memo = message
        if editable.contains("amount"), case .fixed(let money) = amount {
            amount = .suggested(money)
            warnings.append(.amountEditable)
        }
    }
}
