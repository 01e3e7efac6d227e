public import PaymentCore

/// A link of India's Unified Payments Interface: a payment, or a mandate for later debits.
///
/// Source: NPCI, UPI Linking Specification 1.6, and the schemes of apps that take the same query. Names are compared
/// without regard to case, because mandates mix it. A `+` is usually a space. NPCI asks readers to take a `%` without
/// two hexadecimal digits for a space too. The signature (`sign`) can be checked only with the key of the link's
/// author.
public struct UPILink: WritablePaymentStandard {
    /// `upi`.
    public static let id = "upi"
    /// The specification that it follows.
    public static let specification = "NPCI UPI Linking 1.6"
    /// True.
    public static let ignoresUnknownParts = true
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = (["upi"] + apps).map { .scheme($0) }

    /// Apps that take the query under their own scheme.
    private static let apps = ["phonepe", "paytmmp", "tez", "gpay", "bhim", "credpay"]
    /// The apps whose links have `upi/` before the action.
    private static let nestedApps: Set<String> = ["tez", "gpay", "bhim"]

    /// `pay` or `mandate`.
    let action: String
    /// The scheme of the app that the link was made for, or nil.
    let app: String?
    /// The parameters, decoded, in the specification's order, followed by unspecified ones.
    private let parameters: [Parameter]
    /// True if a name or note is read in part by guessing.
    @Uncompared private var isGuessed: Bool

    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: String
    }

    private static let names = [
        "pa", "pn", "mc", "tid", "tr", "tn", "am", "mam", "cu", "url", "mode", "orgid", "purpose", "mn",
        "validitystart",
        "validityend", "amrule", "recur", "recurvalue", "recurtype", "rev", "share", "block", "txntype", "qrmedium",
        "sign",
    ]
    private static let reader = QueryReader(QueryRules(plusIsSpace: true, foldsNames: true), known: Set(names))
    private static let limits = ["pn": 99, "tid": 35, "tr": 35, "tn": 80, "mn": 50, "url": 2048]
    private static let choices: [String: Set<String>] = [
        "amrule": ["MAX", "EXACT"], "recurtype": ["BEFORE", "ON", "AFTER"],
        "recur": [
            "ONETIME", "DAILY", "WEEKLY", "FORTNIGHTLY", "MONTHLY", "BIMONTHLY", "QUARTERLY", "HALFYEARLY", "YEARLY",
            "ASPRESENTED",
        ],
    ]
    private static let amountRules = DecimalRules(fractionDigits: 2, wholeDigits: 16, allowsZero: false)

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        // The letter case after a % shows whether an escape was meant.
        source.keepEscapes()
        let (link, path) = (source.link, source.path())
        let scheme = link.scheme.map(String.init) ?? ""
        app = scheme == Self.id ? nil : scheme
        guard let authority = source.authority else {
            throw path.defect(.malformed, "action", "must follow \(scheme):// as in upi://pay")
        }
        let isNested = app != nil && authority.equals("upi")
        let word = isNested ? path.dropFirst(1) : authority
        guard word.equals("pay") || word.equals("mandate"), isNested || path.count <= 1 else {
            throw word.defect(.unsupported, "action", "must be pay or mandate; nothing else is a link to pay")
        }
        action = word.text
        // The values at the indices of their names.
        var values: [String?] = Array(repeating: nil, count: Self.names.count)
        var others: [Parameter] = []
        var isGuessed = false
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            let place = Self.names.firstIndex(of: key)
            let part = try Self.decoded(
                parameter.value, place == nil ? "parameter" : key, mayGuess: key == "pn" || key == "tn"
            ) { isGuessed = true }
            if let place {
                values[place] = try Self.value(key, part)
            } else {
                others.append(Parameter(name: key, value: part.text))
            }
        }
        guard values[0] != nil else {
            throw StandardDefect(.missing, "pa", at: link.text.utf8.count, "is missing: there is no payee")
        }
        self.isGuessed = isGuessed
        parameters =
            zip(Self.names, values).compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
            + others
    }

    /// Creates a link to pay.
    ///
    /// - Parameters:
    ///   - address: The payee's virtual address, such as `shop@bank`.
    ///   - name: The payee.
    ///   - paise: Hundredths of a rupee, or nil to let the payer enter the amount.
    ///   - note: A text for both.
    ///   - reference: The payee's id of the transaction.
    /// - Throws: ``StandardDefect`` if the resulting link cannot be read.
    public init(
        address: String, name: String, paise: UInt64? = nil, note: String? = nil, reference: String? = nil
    ) throws(StandardDefect) {
        let values = [
            ("pa", address), ("pn", name), ("tr", reference), ("tn", note),
            ("am", paise.map { String($0).hundredthsAsUnits }), ("cu", "INR"),
        ]
        let parameters = values.compactMap { name, value in value.map { Parameter(name: name, value: $0) } }
        try self.init(text: "upi://pay" + Self.query(parameters))
    }

    private static func value(_ key: String, _ part: TextPart) throws(StandardDefect) -> String? {
        // The specification's own sample has mam=null.
        if part.isEmpty || key == "am" || key == "mam", part.isEmpty || part.equals("null") {
            if key == "pa" { throw part.defect(.missing, "pa", "is empty") }
            return nil
        }
        if let limit = limits[key] {
            if key == "url" {
                guard part.startsIgnoringCase("https://") || part.startsIgnoringCase("http://") else {
                    throw part.defect(.malformed, "url", "must be a web link; others may run a program")
                }
            }
            return try part.limited(to: limit, key).text
        }
        switch key {
        case "pa": try checkAddress(part)
        case "am", "mam": return try DecimalText(part, key, amountRules).text
        case "cu":
            guard part.equals("INR") else { throw part.defect(.unsupported, "cu", "must be INR") }
        case "mc":
            guard part.count == 4, part.isDigits else { throw part.defect(.malformed, "mc", "must be four digits") }
        case "validitystart", "validityend": _ = try CalendarDay(part, key, .ddMMyyyy)
        default:
            guard choices[key]?.contains(part.text.uppercased()) ?? true else {
                throw part.defect(.malformed, key, "has a value that the specification does not know")
            }
        }
        return part.text
    }

    /// Checks `name@handle`.
    private static func checkAddress(_ part: TextPart) throws(StandardDefect) {
        let halves = part.split(at: "@")
        let isName = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "._-".utf8.contains(byte) }
        let isHandle = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: ".") }
        guard halves.count == 2, 2...256 ~= halves[0].count, 2...64 ~= halves[1].count,
            halves[0].bytes.allSatisfy(isName), halves[1].bytes.allSatisfy(isHandle),
            halves[1].bytes.first?.isASCIILetter == true
        else { throw part.defect(.malformed, "pa", "must be an address such as name@bank, with one @") }
    }

    /// Decodes `value`. A `%` without two hexadecimal digits is a space.
    ///
    /// - Parameters:
    ///   - mayGuess: True for a text that only people read. In it, a single escape that is not UTF-8 is a letter of
    ///     ISO-8859-1, or a `%` for a space before a word that begins with two such digits (`Corner%Abmar`).
    ///   - guessed: Called for each guess.
    private static func decoded(
        _ value: TextPart, _ name: String, mayGuess: Bool, guessed: () -> Void
    ) throws(StandardDefect) -> TextPart {
        if let sound = try? value.decoded(name, plusIsSpace: true) { return sound }
        let bytes = value.bytes
        var text: [UInt8] = []
        var index = bytes.startIndex
        func escape(_ index: Int) -> UInt8? {
            guard index + 2 < bytes.endIndex, bytes[index] == UInt8(ascii: "%"),
                let high = Hex.value(of: bytes[index + 1]), let low = Hex.value(of: bytes[index + 2])
            else { return nil }
            return high << 4 | low
        }
        while index < bytes.endIndex {
            let start = index
            var run: [UInt8] = []
            while let byte = escape(index), byte >= 0x80 {
                run.append(byte)
                index += 3
            }
            if !run.isEmpty {
                if let sound = String(validating: run, as: UTF8.self) {
                    text += sound.utf8
                } else if mayGuess, run.count == 1 {
                    guessed()
                    let digits = bytes[(start + 1)...(start + 2)]
                    let isLetter = !digits.contains { $0 >= UInt8(ascii: "a") }
                    text += isLetter ? Array(String(Unicode.Scalar(run[0])).utf8) : [UInt8(ascii: " ")] + digits
                } else {
                    throw StandardDefect(
                        .encoding, name, at: value.place(start),
                        "its percent-encoding is not UTF-8 text; encode the text as UTF-8")
                }
            } else if let byte = escape(index) {
                text.append(byte)
                index += 3
            } else {
                text.append(
                    bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return TextPart(decoded: String(decoding: text, as: UTF8.self), at: value.offset)
    }

    private subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    private func date(_ name: String) -> CalendarDay? {
        self[name].flatMap { try? CalendarDay(TextPart(decoded: $0, at: 0), name, .ddMMyyyy) }
    }

    /// The fields of `upi`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["action": .string(action)]
        fields.set("app", app)
        fields.set("pa", self["pa"])
        fields.set("pn", self["pn"])
        fields.setOrNull("am", self["am"])
        fields.setOrNull("mam", self["mam"])
        let same = [
            "mc", "tid", "tr", "tn", "cu", "url", "mode", "orgid", "purpose", "mn", "amrule", "recur", "recurvalue",
            "recurtype", "rev", "share", "block", "sign",
        ]
        for name in same { fields.set(name, self[name]) }
        fields.set("validityStart", date("validitystart")?.iso)
        fields.set("validityEnd", date("validityend")?.iso)
        fields.set("txnType", self["txntype"])
        fields.set("qrMedium", self["qrmedium"])
        return fields
    }

    /// Pays the address. A mandate lets it take money later.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.purpose = action == "mandate" ? .pull : .payment
            instruction.setUncheckedPayee(self["pa"] ?? "", name: self["pn"])
            instruction.network = "upi"
            instruction.amount = .init(self["am"], iso: "INR")
            if let least = self["mam"], case .fixed(let money) = PaymentInstruction.Amount(least, iso: "INR") {
                instruction.amount = .minimum(money)
                instruction.warnings.append(.amountEditable)
            }
            instruction.memo = self["tn"]
            instruction.reference = self["tr"] ?? self["tid"]
            if let end = date("validityend") {
                // The end of the day in India, five and a half hours ahead.
                instruction.expiresAt = end.date(seconds: 86_400 - 19_800)
                instruction.warnings.append(.expires)
            }
            instruction.repeats = repetition
            if self["url"] != nil { instruction.warnings.append(.opensNothing) }
            if isGuessed { instruction.warnings.append(.irregular) }
            if self["sign"] == nil { instruction.warnings.append(.unsignedOrigin) }
        }
    }

    private static let rhythms: [String: (Int?, PaymentInstruction.Repetition.Unit)] = [
        "DAILY": (1, .day), "WEEKLY": (1, .week), "FORTNIGHTLY": (2, .week), "MONTHLY": (1, .month),
        "BIMONTHLY": (2, .month), "QUARTERLY": (3, .month), "HALFYEARLY": (6, .month), "YEARLY": (1, .year),
        "ASPRESENTED": (nil, .day),
    ]

    private var repetition: PaymentInstruction.Repetition? {
        guard let rhythm = self["recur"].flatMap({ Self.rhythms[$0.uppercased()] }) else { return nil }
        return .init(
            every: rhythm.0, rhythm.1, first: date("validitystart")?.date(), last: date("validityend")?.date())
    }

    /// The canonical link.
    public var text: String {
        let head = app.map { Self.nestedApps.contains($0) ? "\($0)://upi/" : "\($0)://" } ?? "upi://"
        return "\(head)\(action)\(Self.query(parameters))"
    }

    private static func query(_ parameters: [Parameter]) -> String {
        PercentCoding.query(parameters.map { ($0.name, $0.value) }) {
            $0.isASCIILetter || $0.isASCIIDigit || "-_.~@:/".utf8.contains($0)
        }
    }
}
