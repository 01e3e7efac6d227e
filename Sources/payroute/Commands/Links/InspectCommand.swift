import PaymentCore
import PaymentRouting
import PaymentStandards
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `payroute inspect`: everything that can be read from a link.
enum InspectCommand: Command {
    static let name = "inspect"
    static let summary = "Say what a payment text is: who gets how much until when."
    static let syntax = CommandSyntax(
        path: "payroute inspect",
        overview:
            "Say what a payment text is: who gets how much until when, then its fields; on a terminal also its QR code. Nothing is sent anywhere.",
        discussion:
            "Exits with 0 if something can be done with every text: a registered provider claims it, or it is valid by a "
            + "known payment standard. Otherwise with 1.",
        arguments: [LinkArgument.optionalURI],
        options: [
            .init(name: "image", value: "file", help: "Read the QR codes in a picture: PNG or JPEG."),
            LinkArgument.json,
            LinkArgument.reveal, ExternalOption.syntax,
            .init(name: "schema", help: "Print the JSON schema of the lines of --json, and nothing else."),
        ],
        examples: [
            .init("payroute inspect 'upi://pay?pa=nadeem@npci&pn=Nadeem&am=3000&cu=INR'", "who gets how much"),
            .init("payroute inspect --image code.png", "the same for the codes in a picture"),
            .init("payroute inspect --json - < texts.txt", "one object a line, for scripts"),
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        guard !arguments.has("schema") else {
            console.output.write(InspectSchema.text)
            return .done
        }
        let codes = try arguments.value("image").map(CodeReader.texts) ?? []
        guard !codes.isEmpty || !arguments.positionals.isEmpty else {
            throw UsageError("Missing expected argument '<uri> ...', or '--image <file>'", syntax)
        }
        let registry = try console.vendors.registry(with: try ExternalOption.load(arguments, console))
        let inputs = LinkInputs(arguments: arguments.positionals, codes: codes, console: console)
        let context = ReadingContext(
            console.vendors, registry, at: console.clock.now, reveals: arguments.has(LinkArgument.reveal.name))
        let isJSON = arguments.has("json")
        let totals = try inputs.forEach { input in
            let inspected = InspectedText(input, in: context)
            if isJSON {
                console.output.edit {
                    inspected.report.write(to: &$0, with: inspected.inspection, reading: inspected.reading)
                }
            } else {
                show(input, inspected, on: console)
            }
            return inspected.report.decision
        }
        return totals.number(of: .rejected) + totals.number(of: .unroutable) == 0 ? .done : .failed
    }

    private static func show(_ input: LinkInput, _ inspected: InspectedText, on console: Console) {
        let (report, inspection, reading) = (inspected.report, inspected.inspection, inspected.reading)
        let style = console.style
        let tone = report.isVerified == false ? Style.Tone.doubtful : report.decision.tone
        var rows = reading.rows.map { ($0.label, Table.Cell($0.text, $0.label == "note" ? .doubtful : nil)) }
        rows.append(("text", Table.Cell(Printable.text(report.input, limit: .max))))
        rows.append(("decision", Table.Cell(report.decision.rawValue, tone)))
        // If no provider takes the text, its next step states the reason, and a way to pay it.
        if report.decision != .recognized { rows.append(("why", Table.Cell(Printable.text(report.reason)))) }
        if let provider = report.provider { rows.append(("provider", Table.Cell(provider))) }
        if !report.candidates.isEmpty {
            rows.append(("candidates", Table.Cell(report.candidates.joined(separator: ", "))))
        }
        if let standard = report.standard { rows.append(("standard", Table.Cell(standard))) }
        if let role = report.role { rows.append(("role", Table.Cell(role))) }
        if report.decision == .unroutable, let error = inspection.error, !error.contains(report.reason) {
            rows.append(("error", Table.Cell(Printable.text(error, limit: .max))))
        }
        let fields = inspection.rows.map { ($0.label, Table.Cell($0.text)) }
        console.output.write(style(.strong, Printable.text(reading.summary, limit: 2000)) + "\n")
        write(rows, on: console)
        if !fields.isEmpty {
            console.output.write("  " + style(.faint, inspection.title(standard: report.standard)) + "\n")
            write(fields, indent: "    ", on: console)
        }
        if console.drawsCodes, report.decision != .rejected, case .text(let text) = input {
            if inspection.hidesSecret {
                console.output.write("  (the QR code would show the secret in the text; --reveal draws it)\n")
            } else {
                QRCode.show(text, console)
            }
        }
        console.output.write("\n")
    }

    /// Writes rows under each other, wrapped at words on a terminal.
    private static func write(_ rows: [(String, Table.Cell)], indent: String = "  ", on console: Console) {
        let width = rows.reduce(0) { max($0, $1.0.count) }
        for (label, cell) in rows {
            let head = indent + label + String(repeating: " ", count: width - label.count + 2)
            let pieces = console.pieces(cell.text, behind: head.count)
            for (index, piece) in pieces.enumerated() {
                let start =
                    index == 0
                    ? indent + console.style(.faint, label) + head.dropFirst(indent.count + label.count)
                    : String(repeating: " ", count: head.count)
                console.output.write(start + console.style(cell.tone, piece) + "\n")
            }
        }
    }
}

/// One text with everything that the commands show of it.
struct InspectedText {
    let report: RouteReport
    let reading: Reading
    /// Reads the content of the text.
    private let inspect: () -> Inspection

    /// The content, which is read each time that it is asked for: `route` has no use for it.
    var inspection: Inspection { inspect() }

    init(_ input: LinkInput, in context: ReadingContext) {
        switch input {
        case .text(let text):
            self.init(text, Installation.route(text, context.registry), in: context)
        case .unreadable(let shown, let reason):
            self.init(
                report: RouteReport(unreadable: shown, reason: reason), reading: Reading(unreadable: reason),
                inspect: { Inspection(unreadable: reason) })
        }
    }

    init(_ text: String, _ answer: RouteDecision, in context: ReadingContext) {
        self.init(
            report: RouteReport(text, answer, in: context), reading: Reading(answer, of: text, in: context),
            inspect: { Inspection(answer, of: context.vendors, reveals: context.reveals) })
    }

    private init(report: RouteReport, reading: Reading, inspect: @escaping () -> Inspection) {
        self.report = report
        self.reading = reading
        self.inspect = inspect
    }
}

// MARK: - Content

/// Everything that can be read from one input, beyond its route.
struct Inspection {
    /// The reason why nothing can be done with the text, with the offending part and its place, or nil if a provider
    /// takes it or it is sound by a payment standard.
    let error: String?
    /// The content: the fields of a payment standard, or the parts of a link.
    private(set) var fields: [String: JSONValue]
    /// True if the link holds a secret and is not shown whole.
    private(set) var hidesSecret = false
    /// The content of a provider's link.
    private(set) var details: LinkDetails?

    /// True if something can be done with the text.
    var isValid: Bool { error == nil }

    /// The placeholder for a value that may be the secret.
    private static let hidden: JSONValue = "…"

    /// Reads the content of the router's answer.
    ///
    /// - Parameters:
    ///   - vendors: The vendors whose links may be read.
    ///   - reveals: True if the values of a link that holds a secret are shown.
    init(_ answer: RouteDecision, of vendors: SandboxVendors, reveals: Bool = false) {
        self.init(answer: answer, vendors)
        guard answer.holdsSecret, !(reveals && answer.mayBeRevealed) else { return }
        hidesSecret = true
        // The names of the items are not secret, and no truth value is.
        let shown = answer.publicFields(of: vendors).union(details?.fields.keys ?? [:].keys)
        for (name, value) in fields where !shown.contains(name) && value.bool == nil { fields[name] = Self.hidden }
    }

    private init(answer: RouteDecision, _ vendors: SandboxVendors) {
        switch answer {
        case .rejected(let defect): self.init(error: defect.description)
        case .defective(_, let defect, _): self.init(error: defect.description)
        case .recognized(let instruction): self.init(instruction)
        case .unclear(let instructions): self.init(fields: Self.fields(instructions))
        case .unroutable(let link, _):
            self.init(error: Self.error(link, answer), fields: Self.fields(link))
        case .matched(let route):
            if let instruction = answer.instruction(of: vendors) {
                self.init(instruction)
            } else {
                self.init(
                    route.link, payment: route.match.reference,
                    vendors[route.provider]?.details(of: route.link) ?? LinkDetails())
            }
        case .ambiguous(let routes):
            self.init(fields: routes.first.map { Self.fields($0.link) } ?? [:])
        }
    }

    /// Returns the reason why no provider takes `link`, which is sound as a link.
    private static func error(_ link: PaymentLink, _ answer: RouteDecision) -> String {
        if let (standard, defect) = Installation.standards.nearMiss(link) {
            return "of no known payment standard; as \(standard): \(defect)"
        }
        let (part, place) =
            switch link.form {
            case .web where link.isHTTP: ("host", Int(link.layout.hostStart))
            case .web, .opaque: ("scheme", 0)
            case .text: ("text", 0)
            }
        return "\(part) (byte \(place)): \(answer.explanation), and it is of no known payment standard"
    }

    /// An input that is not a text.
    init(unreadable reason: String) { self.init(error: reason) }

    private init(error: String? = nil, fields: [String: JSONValue] = [:]) {
        self.error = error
        self.fields = fields
    }

    private init(_ link: PaymentLink, payment: String?, _ details: LinkDetails) {
        var fields = Self.fields(link)
        fields["payment"] = payment.map(JSONValue.string)
        for (name, value) in details.fields { fields[name] = .string(value) }
        self.init(fields: fields)
        self.details = details
    }

    private init(_ instruction: PaymentInstruction) {
        self.init(fields: Dictionary(instruction.fields.map { ($0.name, $0.value) }) { _, last in last })
    }

    /// Returns the fields of each of several readings, by its standard.
    private static func fields(_ readings: [PaymentInstruction]) -> [String: JSONValue] {
        Dictionary(readings.map { ($0.standard, $0.fields.object) }) { first, _ in first }
    }

    private static func fields(_ link: PaymentLink) -> [String: JSONValue] {
        var fields: [String: JSONValue] = ["form": .string("\(link.form)"), "text": .string(link.text)]
        guard link.form != .text else { return fields }
        func text(_ part: Substring?) -> JSONValue? { part.map { .string(String($0)) } }
        fields["scheme"] = text(link.scheme)
        fields["host"] = text(link.host)
        fields["port"] = link.port.map { .string(String($0)) }
        fields["path"] = text(link.path)
        fields["fragment"] = text(link.fragment)
        var counts: [String: Int] = [:]
        for item in link.queryItems {
            let name = "query." + (PercentCoding.decode(item.name, plusIsSpace: true) ?? String(item.name))
            let count = counts[name, default: 0] + 1
            counts[name] = count
            fields[count == 1 ? name : "\(name)[\(count)]"] = .string(item.decodedValue ?? String(item.value))
        }
        return fields
    }
}

extension Inspection {
    /// The fields as rows: in order, safe to show, amounts with their unit, times also as dates.
    var rows: [(label: String, text: String)] {
        // With its unit, as people write it.
        let amount = details?.amount.map(AmountText.words)
        return fields.sorted { $0.key < $1.key }.filter { amount == nil || $0.key != "unit" }.map { name, value in
            let text = (name == "amount" ? amount : nil) ?? FieldUnits.text(name, value)
            return (Printable.text(name), Printable.text(text, limit: .max))
        }
    }

    /// The heading of the fields.
    func title(standard: String?) -> String { standard.map { "fields of \($0)" } ?? "parts of the text" }
}

// MARK: - Schema

/// The JSON schema (draft 2020-12) of a line of `payroute inspect --json`, which `payroute inspect --schema` prints.
enum InspectSchema {
    private static let place = "#/$defs/reading"

    static let text = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "A line of payroute inspect --json",
        \#(line(place)),
          "$defs": {
            "reading": \#(reading(place))
          }
        }

        """#

    /// The members of the schema of a line.
    ///
    /// - Parameter place: The place of the schema of its reading.
    static func line(_ place: String) -> String {
        #"""
          "type": "object",
          "required": ["candidates", "decision", "error", "fields", "input", "provider", "reading", "reason", "reference",
            "role", "standard", "trust", "valid"],
          "additionalProperties": false,
          "properties": {
            "candidates": {"type": "array", "items": {"type": "string"}},
            "decision": {"enum": ["matched", "ambiguous", "recognized", "rejected", "unroutable"]},
            "error": {"type": ["string", "null"]},
            "fields": {"type": "object"},
            "input": {"type": "string"},
            "provider": {"type": ["string", "null"]},
            "reading": {"$ref": "\#(place)"},
            "reason": {"type": "string"},
            "reference": {"type": ["string", "null"]},
            "resembles": {
              "type": "object",
              "required": ["difference", "host", "provider"],
              "additionalProperties": false,
              "properties": {
                "difference": {"type": "string"}, "host": {"type": "string"}, "provider": {"type": "string"}
              }
            },
            "role": {"enum": ["payment", "callback", "authorization", null]},
            "standard": {"type": ["string", "null"]},
            "trust": {"enum": ["verified", "unverified", "unclear", null]},
            "valid": {"type": "boolean"}
          }
        """#
    }

    /// The schema of a reading, which stands at `place`.
    static func reading(_ place: String) -> String {
        #"""
        {
          "type": "object",
          "required": ["advice", "alternatives", "amount", "amountKind", "expired", "expires", "kind", "memo", "network",
            "networkName", "payee", "payeeCheck", "payeeName", "payments", "provider", "reference", "repeats", "standard",
            "summary", "title", "unclear", "unit", "unread", "warnings"],
          "additionalProperties": false,
          "properties": {
            "advice": {"type": "string", "description": "The next step, for people."},
            "alternatives": {"type": "array", "items": {"$ref": "\#(place)"}},
            "amount": {"type": ["string", "null"], "description": "Exact, in main units.",
              "pattern": "^[0-9]+(\\.[0-9]+)?$"},
            "amountKind": {"enum": ["open", "fixed", "minimum", "suggested", "uncounted", "onService", "several"]},
            "expired": {"type": ["boolean", "null"], "description": "By the clock of the machine."},
            "expires": {"type": ["string", "null"], "description": "RFC 3339, in UTC.",
              "pattern": "^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"},
            "kind": {"enum": ["payment", "pull", "receipt", "presentation", "information", "callback",
              "authorization", "connection", "ambiguous", "invalid", "unknown"]},
            "memo": {"type": ["string", "null"]},
            "network": {"type": ["string", "null"], "description": "A CAIP-2 id, or a short name."},
            "networkName": {"type": ["string", "null"]},
            "payee": {"type": ["string", "null"], "description": "The account, as the standard spells it."},
            "payeeCheck": {"enum": ["none", "checksum", "textChecksum", "signature", null]},
            "payeeName": {"type": ["string", "null"], "description": "A claim of the text's author."},
            "payments": {"type": "array", "description": "All payments, where the text asks for several together.",
              "items": {
                "type": "object", "required": ["amount", "amountKind", "memo", "payee", "payeeName", "unit"],
                "additionalProperties": false,
                "properties": {
                  "amount": {"type": ["string", "null"]}, "amountKind": {"type": "string"},
                  "memo": {"type": ["string", "null"]}, "payee": {"type": ["string", "null"]},
                  "payeeName": {"type": ["string", "null"]}, "unit": {"type": ["string", "null"]}
                }
              }},
            "provider": {"type": ["string", "null"], "description": "The provider that can pay it."},
            "reference": {"type": ["string", "null"]},
            "repeats": {"description": "The rhythm of a standing order or mandate; every is null on demand.",
              "type": ["object", "null"], "required": ["every", "first", "last", "unit"], "additionalProperties": false,
              "properties": {
                "every": {"type": ["integer", "null"]}, "first": {"type": ["string", "null"]},
                "last": {"type": ["string", "null"]}, "unit": {"enum": ["day", "week", "month", "year"]}
              }},
            "standard": {"type": ["string", "null"]},
            "summary": {"type": "string", "description": "One line for people: who gets how much until when."},
            "title": {"type": "string"},
            "unclear": {"type": "array", "description": "The names of unread parts that could change the payment.",
              "items": {"type": "string"}},
            "unit": {"type": ["string", "null"],
              "description": "iso4217/EUR, caip19/…, BTC, wei, a bare symbol, or smallest-unit-of: and a token."},
            "unread": {"type": "object", "description": "The parts of the text that are not known, by name.",
              "additionalProperties": {"type": ["string", "null"]}},
            "warnings": {"type": "array", "items": {"type": "string"}}
          }
        }
        """#
    }
}

// MARK: - Helpers

/// The units of fields whose name does not state them.
enum FieldUnits {
    private static let units = [
        "amountMsat": "msat (thousandths of a satoshi)", "amountSat": "sat", "expiry": "s",
        "minFinalCltvExpiryDelta": "blocks",
        "relativeExpiry": "s",
    ]
    private static let dates: Set<String> = ["timestamp", "expiresAt", "absoluteExpiry", "createdAt", "exp"]

    /// Returns the text of a field: with its unit, or with the date of a number of seconds.
    static func text(_ name: String, _ value: JSONValue) -> String {
        let text = value.string ?? value.text
        guard value.number != nil || value.string?.allSatisfy(\.isWholeNumber) == true else { return text }
        if dates.contains(name), let seconds = Double(text), seconds < 1e11 {
            return "\(text) (\(RFC3339(Date(timeIntervalSince1970: seconds)).text))"
        }
        return units[name].map { "\(text) \($0)" } ?? text
    }
}

extension RouteDecision {
    /// True if `--reveal` shows the text. Keys, and codes that a customer shows to be charged, are never shown:
    /// everyone who sees them can take the money, and there is no need to see them.
    var mayBeRevealed: Bool {
        switch self {
        case .recognized(let instruction): instruction.purpose != .presentation
        case .defective(_, let defect, _): !defect.holdsSecret
        default: true
        }
    }

    /// The names of the fields that are shown although the text is not: the scheme, the form and the payment's name, or
    /// the fields that the standard declares public.
    fileprivate func publicFields(of vendors: SandboxVendors) -> Set<String> {
        instruction(of: vendors)?.publicFields ?? ["form", "scheme", "payment"]
    }

    /// Returns the text as its payment standard reads it, if no provider claims it, or if the provider that claims it
    /// pays texts of a standard.
    func instruction(of vendors: SandboxVendors) -> PaymentInstruction? {
        switch self {
        case .recognized(let instruction): return instruction
        case .matched(let route) where vendors.paysStandards(route.provider):
            if case .instruction(let instruction) = Installation.standards.read(route.link) { return instruction }
            return nil
        default: return nil
        }
    }
}
