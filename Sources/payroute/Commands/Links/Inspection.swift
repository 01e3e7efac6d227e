import PaymentCore
import PaymentRouting
import PaymentStandards
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything that can be read from one input, beyond its route.
struct Inspection {
    /// The reason why nothing can be done with the text, with the offending part and its place; nil where a provider
    /// takes it or it is sound by a payment standard.
    let error: String?
    /// The content. For a payment standard its own fields; otherwise the parts of the link.
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

    /// The text as its payment standard reads it: where no provider claims it, and where the provider that does pays
    /// texts of a standard.
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
