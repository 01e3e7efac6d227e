import PaymentCore
import PaymentRouting
import SandboxSupport

/// The route of one input, with its reason: the object of `route --json`.
struct RouteReport {
    /// The kinds of decision, in the order in which totals list them.
    enum Decision: String, CaseIterable {
        case matched, ambiguous, recognized, rejected, unroutable

        /// True if a provider or a standard takes the link.
        var isSettled: Bool { self == .matched || self == .recognized }

        var tone: Style.Tone {
            switch self {
            case .matched, .recognized: .good
            case .ambiguous: .doubtful
            case .rejected, .unroutable: .bad
            }
        }
    }

    /// The input, as far as it may be shown.
    let input: String
    var decision: Decision
    var provider: String?
    var candidates: [String] = []
    var reference: String?
    var role: String?
    /// `verified`, `unverified`, `unclear`; nil where no provider takes the link.
    var trust: String?
    var isVerified: Bool? { trust.map { $0 == "verified" } }
    var standard: String?
    var reason: String
    /// The registered host that the link's host only resembles.
    var resembles: LookAlike?

    /// Describes the router's answer about `input`.
    ///
    /// - Parameters:
    ///   - vendors: The vendors whose texts may be of a standard.
    ///   - reveals: True if a link that holds a secret is shown whole.
    init(_ input: String, _ answer: RouteDecision, of vendors: SandboxVendors, reveals: Bool = false) {
        self.input = reveals && answer.mayBeRevealed ? input : answer.shown(input)
        reason = answer.explanation
        switch answer {
        case .matched(let route):
            decision = .matched
            provider = route.provider.rawValue
            reference = route.match.reference
            role = route.match.role.rawValue
            standard = answer.instruction(of: vendors)?.standard
            trust = Self.word(for: route.match.trust)
        case .ambiguous(let routes):
            decision = .ambiguous
            candidates = routes.map(\.provider.rawValue)
        case .recognized(let instruction):
            decision = .recognized
            standard = instruction.standard
            role = instruction.role?.rawValue
        case .unclear(let instructions):
            decision = .ambiguous
            candidates = instructions.map(\.standard)
        case .defective(let name, _, _):
            decision = .rejected
            standard = name
        case .rejected: decision = .rejected
        case .unroutable(_, let real):
            decision = .unroutable
            resembles = real
        }
    }

    /// The trust in a link, for programs.
    static func word(for trust: LinkMatch.Trust) -> String {
        switch trust {
        case .verified: "verified"
        case .unverified: "unverified"
        case .unclear: "unclear"
        }
    }

    /// An input that is not a text.
    init(unreadable input: String, reason: String) {
        self.input = input
        self.reason = reason
        decision = .rejected
    }

    /// Adds the object, with the reading and the members of `inspection`, as a line to `buffer`.
    func write(to buffer: inout [UInt8], with inspection: Inspection? = nil, reading: Reading) {
        buffer.addJSONLine { line in
            line.addMember("candidates", candidates)
            line.addMember("decision", decision.rawValue)
            if let inspection {
                line.addMember("error", inspection.error)
                line.addMember("fields", inspection.fields)
            }
            line.addMember("input", input)
            line.addMember("provider", provider)
            line.addObject("reading") { reading.write(to: &$0) }
            line.addMember("reason", reason)
            line.addMember("reference", reference)
            // Only where there is one; otherwise the object keeps its members.
            if let resembles { line.addMember("resembles", resembles.members) }
            line.addMember("role", role)
            line.addMember("standard", standard)
            line.addMember("trust", trust)
            if let inspection { line.addMember("valid", inspection.isValid) }
        }
    }

    /// The titles of ``cells(_:)``.
    static let titles = ["WHAT IT IS", "DECISION", "PROVIDER", "PAYMENT", "LINK", "WHY"]
    /// Column widths for a table whose rows are not known at the start.
    static let streamWidths = [56, 10, 17, 38, 44, 3]

    /// The report as a table's row, what it is first.
    func cells(_ reading: Reading) -> [Table.Cell] {
        let tone = trust != nil && trust != "verified" ? Style.Tone.doubtful : decision.tone
        return [
            Table.Cell(Printable.text(reading.summary)),
            Table.Cell(decision.rawValue, tone),
            Table.Cell(provider ?? (candidates.isEmpty ? "-" : candidates.joined(separator: ","))),
            Table.Cell(Printable.short(reference ?? "-", 38)),
            Table.Cell(Printable.link(input, 44)),
            Table.Cell(Printable.text(reason)),
        ]
    }
}

extension LookAlike {
    /// The members of the object in `route --json`.
    fileprivate var members: [String: JSONValue] {
        ["difference": .string(difference.rawValue), "host": .string(host), "provider": .string(provider.rawValue)]
    }
}
