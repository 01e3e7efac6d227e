public import PaymentCore

/// A `payto:` link: an account of some payment system, and the payment to it.
///
/// Source: RFC 8905, and the target types of its registry. Unknown targets are recognised by their path alone.
public struct Payto: WritablePaymentStandard {
    /// `payto`.
    public static let id = "payto"
    /// The specification that it follows.
    public static let specification = "RFC 8905"
    /// True.
    public static let ignoresUnknownParts = true
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("payto")]

    /// The payment system: `iban`, `ach`, `upi` …
    private(set) var target: String
    /// The segments of the path, decoded; a slash at its end leaves an empty last one.
    private(set) var path: [String]
    /// The account of the path, by the target's own names.
    private(set) var account: [Part]
    /// The amount's currency or unit.
    private(set) var currency: String?
    /// The amount's digits, without commas.
    private(set) var amount: String?
    /// True if the amount has commas that do not separate thousands.
    @Uncompared private var hasOddComma = false
    private(set) var receiverName: String?
    private(set) var senderName: String?
    /// The purpose of the payment; shown to the payee.
    private(set) var message: String?
    /// An id of the payment, end to end.
    private(set) var instructionID: String?
    /// Options that the standard does not name, in order.
    private(set) var unknown: [Part] = []

    /// A named text.
    struct Part: Sendable, Hashable {
        let name: String
        let value: String
    }

    private static let known: Set<String> = [
        "amount", "receiver-name", "sender-name", "message", "instruction",
    ]
    private static let reader = QueryReader(QueryRules(), known: known)
    private static let amountRules = DecimalRules(fractionDigits: 8, wholeDigits: 16)
    /// The largest amount of RFC 8905 section 5. A binary fraction still counts every unit up to there.
    private static let maximumUnits: UInt128 = 1 << 53

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        guard let authority = source.authority, !authority.isEmpty else {
            throw StandardDefect(.missing, "target type", at: 6, "must follow payto:// as in payto://iban/…")
        }
        guard source.link.port == nil else {
            throw StandardDefect(.malformed, "target type", at: authority.end, "may not have a port")
        }
        target = authority.text
        let segments = try Self.segments(source.path(), of: target)
        path = segments.map(\.text)
        account = try Self.account(target, segments.last?.isEmpty == true ? segments.dropLast() : segments[...])
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in try take(key, parameter) }
    }

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - target: The payment system, such as `iban`.
    ///   - path: The segments that name the account, in order: for `iban` an optional BIC and the IBAN.
    ///   - amount: Digits with at most one point, and the unit that they count: `("EUR", "10.50")`; nil to leave it
    ///     open.
    ///   - receiverName: The payee.
    ///   - senderName: The payer.
    ///   - message: A text for the payee.
    ///   - instruction: An id of the payment, end to end.
    /// - Throws: ``StandardDefect`` if the resulting link cannot be read or would be read differently.
    public init(
        target: String, path: [String], amount: (unit: String, digits: String)? = nil, receiverName: String? = nil,
        senderName: String? = nil, message: String? = nil, instruction: String? = nil
    ) throws(StandardDefect) {
        self.target = target
        self.path = path
        account = []
        (currency, self.amount) = (amount?.unit, amount?.digits)
        (self.receiverName, self.senderName, self.message) = (receiverName, senderName, message)
        instructionID = instruction
        let read = try Payto(text: text)
        guard read.target == target, read.path == path, read.currency == currency, read.amount == self.amount else {
            throw StandardDefect(.malformed, "link", at: 0, "of these parts would be read as other parts")
        }
        self = read
    }

    private static func segments(_ path: TextPart, of target: String) throws(StandardDefect) -> [TextPart] {
        // The registry of RFC 8905 has a target for payments out of band, which have no account.
        if path.count <= 1, target == "void" { return [] }
        guard path.count > 1 else { throw path.defect(.missing, "path", "is missing; it names the account") }
        var segments: [TextPart] = []
        let written = path.dropFirst(1).split(at: "/")
        for (index, segment) in written.enumerated() {
            guard !segment.isEmpty || index == written.count - 1 else {
                throw segment.defect(.malformed, "path", "has an empty segment")
            }
            segments.append(try segment.decoded("path"))
        }
        return segments
    }

    private static func account(_ target: String, _ path: ArraySlice<TextPart>) throws(StandardDefect) -> [Part] {
        guard let first = path.first, let last = path.last else { return [] }
        func counted(_ counts: ClosedRange<Int>, _ what: String) throws(StandardDefect) {
            guard counts.contains(path.count) else { throw last.defect(.malformed, "path", "must be \(what)") }
        }
        switch target {
        case "iban":
            try counted(1...2, "an IBAN, or a BIC and an IBAN")
            let iban = try IBAN(last, "IBAN")
            guard path.count == 2 else { return [Part(name: "iban", value: iban.text)] }
            return [try bankCode(first), Part(name: "iban", value: iban.text)]
        case "bic":
            try counted(1...1, "one BIC")
            return [try bankCode(first)]
        case "ach":
            try counted(2...2, "a routing number and an account number")
            guard CheckDigits.isRoutingNumber(first.bytes) else {
                throw first.defect(.checksum, "routing number", "must be nine digits that fit its check digit")
            }
            return [Part(name: "routing", value: first.text), Part(name: "account", value: last.text)]
        case "bitcoin":
            try counted(1...1, "one address")
            do throws(StandardDefect) {
                return [Part(name: "address", value: try BitcoinAddress(first, "address").text)]
            } catch {
                throw error.kind == .foreign ? first.defect(.checksum, "address", error.advice) : error
            }
        case "upi":
            try counted(1...1, "one virtual payment address")
            guard first.split(at: "@").count == 2 else {
                throw first.defect(.malformed, "virtual payment address", "must be name@bank")
            }
            return [Part(name: "vpa", value: first.text)]
        default: return []
        }
    }

    private static func bankCode(_ part: TextPart) throws(StandardDefect) -> Part {
        Part(name: "bic", value: try BankCode(part, "BIC").text)
    }

    private mutating func take(_ key: String, _ parameter: QueryParameter) throws(StandardDefect) {
        let value = try Self.reader.text(parameter, Self.known.contains(key) ? key : "option")
        switch key {
        case "amount": try takeAmount(value)
        case "receiver-name": receiverName = value.text
        case "sender-name": senderName = value.text
        case "message": message = value.text
        case "instruction": instructionID = value.text
        default: unknown.append(Part(name: key, value: value.text))
        }
    }

    private mutating func takeAmount(_ value: TextPart) throws(StandardDefect) {
        let (unit, digits) = value.cut(at: ":")
        guard let digits, 1...11 ~= unit.count, unit.bytes.allSatisfy(\.isASCIILetter) else {
            throw value.defect(.malformed, "amount", "must be a currency, a colon and a number, such as EUR:10.50")
        }
        // RFC 8905 section 5: commas are to be ignored.
        let plain = String(decoding: digits.bytes.filter { $0 != UInt8(ascii: ",") }, as: UTF8.self)
        let hasCommas = plain.utf8.count < digits.count
        let groups = digits.cut(at: ".").head.split(at: ",")
        let isGrouped = groups.dropFirst().allSatisfy { $0.count == 3 } && 1...3 ~= groups[0].count
        let isBehindPoint = digits.cut(at: ".").tail?.bytes.contains(UInt8(ascii: ",")) == true
        hasOddComma = hasCommas && (!isGrouped || groups[0].starts(with: "0") || isBehindPoint)
        let decimal = try DecimalText(
            hasCommas ? TextPart(decoded: plain, at: digits.offset) : digits, "amount", Self.amountRules)
        guard let units = decimal.units(exponent: 8), units < Self.maximumUnits * 100_000_000 else {
            throw digits.defect(.range, "amount", "is too large; it must be below 2^53")
        }
        currency = unit.text
        amount = decimal.text
    }

    /// The fields of `payto`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["target": .string(target)]
        fields.set("path", path)
        for part in account { fields.set(part.name, part.value) }
        fields.set("currency", currency)
        fields.set("amountValue", amount)
        fields.set("receiverName", receiverName)
        fields.set("senderName", senderName)
        fields.set("message", message)
        fields.set("instruction", instructionID)
        fields.set("unknown", Dictionary(unknown.map { ($0.name, $0.value) }) { first, _ in first })
        return fields
    }

    /// Pays the account.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            let isChecked = ["iban", "ach", "bitcoin"].contains(target)
            instruction.payee = .init(
                account: account.last?.value ?? (path.isEmpty ? nil : path.joined(separator: "/")), name: receiverName,
                check: isChecked ? .checksum : .none)
            if !isChecked { instruction.warnings.append(.missingChecksum) }
            instruction.network = target == "void" ? nil : target
            if let amount, let currency {
                let money = currency == "BTC" ? try? Money(decimal: amount.dropLeadingZeros, currency: .satoshi) : nil
                if let money {
                    instruction.amount = .fixed(money)
                } else if let fiat = try? FiatCurrency(currency),
                    let money = try? Money(decimal: amount.dropLeadingZeros, currency: .fiat(fiat))
                {
                    instruction.amount = .fixed(money)
                } else {
                    instruction.amount = .uncounted(digits: amount, unit: currency)
                }
            }
            instruction.memo = message
            instruction.reference = instructionID
            if hasOddComma { instruction.warnings.append(.ignoredComma) }
        }
    }

    /// The canonical link.
    public var text: String {
        let path = path.map { PercentCoding.encode($0) { Self.staysBare($0) } }.joined(separator: "/")
        let amount = amount.flatMap { amount in currency.map { "\($0):\(amount)" } }
        let options =
            [
                ("amount", amount), ("receiver-name", receiverName), ("sender-name", senderName), ("message", message),
                ("instruction", instructionID),
            ] + unknown.map { ($0.name, $0.value) }
        // A plus is a plus by RFC 3986, and a space to readers of forms. Escaped, it is a plus to both.
        let query = PercentCoding.query(options) { Self.staysBare($0) && $0 != UInt8(ascii: "+") }
        return "payto://\(target)/\(path)\(query)"
    }

    /// Returns true for RFC 3986's unreserved characters, and those without a meaning in a segment or an option.
    private static func staysBare(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "-_.~!$'()*,;:@+".utf8.contains(byte)
    }
}
