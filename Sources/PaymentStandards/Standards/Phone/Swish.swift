import PaymentCore

/// A link that opens the Swish app.
///
/// Source: Getswish developer guides: `swish://payment?data=` with JSON, `swish://paymentrequest?token=`, and the web
/// form on `app.swish.nu`. Only the service knows a token's amount and payee. The web form has no published grammar.
struct SwishLink: PaymentStandard {
    static let id = "swish-link"
    static let specification = "Swish app links"
    static let patterns: [StandardPattern] = [.scheme("swish"), .host("app.swish.nu")]

    /// The payee's number; nil if the link has only a token.
    private(set) var payee: String?
    /// The amount in kronor.
    private(set) var amount: String?
    private(set) var message: String?
    /// The fields that the payer may change; nil if the link does not state them.
    private(set) var editable: [String]?
    /// The name of a payment request on the service.
    private(set) var token: String?
    /// The address that the app returns to.
    private(set) var callback: String?

    private static let reader = QueryReader(
        QueryRules(), known: ["data", "token", "callbackurl", "sw", "amt", "cur", "msg"])
    private static let amountRules = DecimalRules(fractionDigits: 2, wholeDigits: 12, allowsZero: false)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        let values = try source.parameters(Self.reader)
        func required(_ key: String) throws(StandardDefect) -> TextPart {
            guard let part = values[key], !part.isEmpty else {
                throw StandardDefect(.missing, key, at: link.text.utf8.count, "is missing")
            }
            return part
        }
        if link.isHTTP {
            guard link.isHTTPS else { throw source.all().defect(.malformed, "scheme", "must be https") }
            guard path.equals("/1/p/sw/") || path.equals("/1/p/sw") else {
                throw path.defect(.foreign, "path", "is not that of a payment")
            }
            payee = try Self.number(required("sw"))
            if let digits = values["amt"], !digits.isEmpty {
                amount = try DecimalText(digits, "amt", Self.amountRules).text
            }
            if let currency = values["cur"], !currency.equals("SEK") {
                throw currency.defect(.unsupported, "cur", "must be SEK")
            }
            message = values["msg"].flatMap { $0.isEmpty ? nil : $0.text }
            return
        }
        switch source.authority?.text {
        case "payment": try readData(required("data"), &source)
        case "paymentrequest":
            token = try required("token").text
            callback = values["callbackurl"]?.text
        default:
            throw (source.authority ?? path).defect(
                .unsupported, "action", "must be payment or paymentrequest, as in swish://payment")
        }
    }

    private static func number(_ part: TextPart) throws(StandardDefect) -> String {
        guard 5...15 ~= part.count, part.isDigits else {
            throw part.defect(.malformed, "payee", "must be 5 to 15 digits")
        }
        return part.text
    }

    private mutating func readData(_ part: TextPart, _ source: inout PaymentText) throws(StandardDefect) {
        guard let json = try? JSONValue(parsing: part.text), json.object != nil else {
            throw part.defect(.malformed, "data", "must be a JSON object")
        }
        guard json["version"]?.int64 == 1 else { throw part.defect(.unsupported, "version in data", "must be 1") }
        let known: Set<String> = ["version", "payee", "amount", "message"]
        for (name, member) in (json.object ?? [:]).sorted(by: { $0.key < $1.key }) where !known.contains(name) {
            source.leave(name, member.text)
        }
        /// Returns the text of a member; nil for an empty or missing one.
        func value(_ name: String) throws(StandardDefect) -> TextPart? {
            switch json[name]?["value"] {
            case .string(let text): return text.isEmpty ? nil : TextPart(decoded: text, at: part.offset)
            case .number(let number): return TextPart(decoded: number.text, at: part.offset)
            case nil, .null: return nil
            default: throw part.defect(.malformed, "\(name) in data", "must be a text or a number")
            }
        }
        guard let number = try value("payee") else { throw part.defect(.missing, "payee in data", "is missing") }
        payee = try Self.number(number)
        amount = try value("amount").map { digits throws(StandardDefect) in
            try DecimalText(digits, "amount in data", Self.amountRules).text
        }
        message = try value("message")?.text
        editable = ["payee", "amount", "message"].filter { json[$0]?["editable"]?.bool == true }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = [:]
        fields.set("payee", payee)
        fields.set("amount", amount)
        if payee != nil { fields.set("currency", "SEK") }
        fields.set("message", message)
        if let editable { fields["editable"] = .array(editable.map(JSONValue.string)) }
        fields.set("token", token)
        fields.set("callback", callback)
        return fields
    }

    /// Pays the number, or the payment request of the token.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = "swish"
            if let payee {
                instruction.completeSwish(payee: payee, amount: amount, message: message, editable: editable ?? [])
            } else {
                instruction.amount = .onService
                instruction.reference = token
                instruction.warnings.append(.followsURL)
            }
            if callback != nil { instruction.warnings.append(.opensNothing) }
        }
    }
}

/// The code that the Swish app reads: `C1237856901;100,00;message;mask`.
///
/// Source: Getswish, Guide Swish QR specification, section 6.1. The bits of the mask mark the fields that the payer may
/// change. Without a mask, the payer may change none.
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
        makeInstruction { instruction in
            instruction.completeSwish(payee: payee, amount: amount, message: message, editable: editable)
        }
    }
}

extension PaymentInstruction {
    /// Sets the common values of links and codes.
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
