import PaymentCore
import PaymentReview
import PaymentRouting
import PaymentStandards
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The common reading of any text: who gets how much until when, and what can be done with it.
struct Reading {
    /// The kinds of text, for programs.
    enum Kind: String, CaseIterable {
        /// The reader pays.
        case payment
        /// Another party may take money from the reader.
        case pull
        /// It brings money to the reader.
        case receipt
        /// The reader shows it to be charged.
        case presentation
        /// No payment: a receipt, a login, a block.
        case information
        /// An answer to an application.
        case callback
        /// A question to a key manager or wallet, without a payment.
        case authorization
        /// Connects a wallet to an application.
        case connection
        /// Several standards or providers. The person chooses.
        case ambiguous
        /// Intended as a payment text, but broken.
        case invalid
        /// None of these.
        case unknown
    }

    /// A fact that a person should know: a stable name and its meaning.
    typealias Warning = (name: String, words: String)

    var kind: Kind
    /// The kind's name for people: `Lightning invoice (BOLT 11)`.
    var title: String
    /// The line for people. It holds foreign text: print it by ``Printable``.
    var summary: String
    var standard: String?
    var payee: PaymentInstruction.Payee?
    var amount: PaymentInstruction.Amount = .open
    /// The network by its id, and by its name for people.
    var network: (id: String, name: String)?
    var memo: String?
    var payments: [PaymentInstruction.Payment] = []
    var repeats: PaymentInstruction.Repetition?
    var unread: [UnreadPart] = []
    var reference: String?
    var expires: Date?
    var isExpired: Bool?
    var alternatives: [Reading] = []
    var warnings: [Warning] = []
    /// The provider that can pay it.
    var provider: String?
    /// The next step, for people.
    var advice = ""

    init(_ kind: Kind, title: String, summary: String? = nil, advice: String = "") {
        self.kind = kind
        self.title = title
        self.summary = summary ?? title
        self.advice = advice
    }
}

// MARK: - Reading a text

extension Reading {
    /// Reads an instruction.
    ///
    /// - Parameter reveals: True if the content of a text that is worth money is shown.
    init(_ instruction: PaymentInstruction, at date: Date, reveals: Bool = false) {
        var instruction = instruction
        let isHidden = instruction.holdsSecret && !reveals
        if !isHidden { instruction.holdsSecret = false }
        let kind: Kind =
            switch (instruction.role, instruction.purpose) {
            case (.callback, _): .callback
            case (.authorization, _): .authorization
            case (_, .payment): .payment
            case (_, .pull): .pull
            case (_, .receipt): .receipt
            case (_, .presentation): .presentation
            default: .information
            }
        if isHidden, !instruction.publicFields.contains("amount") { instruction.amount = .open }
        instruction.amount = AmountText.counted(instruction.amount, on: instruction.network)
        for index in instruction.payments.indices {
            instruction.payments[index].amount = AmountText.counted(
                instruction.payments[index].amount, on: instruction.network)
        }
        self.init(
            kind, title: instruction.name.title, summary: instruction.summary(at: date, amount: AmountText.words))
        standard = instruction.standard
        amount = instruction.amount
        network = instruction.network.map { ($0, instruction.networkName ?? $0) }
        instruction.holdsSecret = isHidden
        warnings = instruction.warnings(at: date).map { ($0.rawValue, instruction.explanation(of: $0)) }
        advice =
            instruction.unclear.isEmpty
            ? Self.advice(for: kind, opensIn: instruction.name.application)
            : "ask the payee for another text; a part of this one is not known"
        guard !isHidden else { return }
        payee = instruction.payee
        memo = instruction.memo
        payments = instruction.payments
        repeats = instruction.repeats
        unread = instruction.unread
        reference = instruction.reference
        expires = instruction.expiresAt
        isExpired = expires.map { _ in instruction.hasExpired(at: date) }
        alternatives = instruction.alternatives.map { Reading($0, at: date) }
    }

    private static func advice(for kind: Kind, opensIn application: String?) -> String {
        let remedy = application.map { "; open it in \($0)" } ?? ""
        return switch kind {
        case .payment: "no registered provider can pay it\(remedy)"
        case .pull: "confirm it only if the other party may take money from you\(remedy)"
        case .receipt: "keep it secret until it is redeemed\(remedy)"
        case .presentation: "a till scans it; do not send it to anyone"
        default: "there is nothing to pay\(remedy)"
        }
    }

    /// Reads the router's answer about `text`.
    init(_ answer: RouteDecision, of text: String, in context: ReadingContext) {
        let reveals = context.reveals && answer.mayBeRevealed
        switch answer {
        case .recognized(let instruction):
            self.init(instruction, at: context.date, reveals: reveals)
            if kind == .payment, let provider = context.settlingProvider(of: text, answer) {
                self.provider = provider
                advice =
                    instruction.unclear.isEmpty
                    ? "provider '\(provider)' pays it with a wallet (a settler) that your application passes; "
                        + "'payroute pay --sandbox' pays it with simulated money"
                    : "ask the payee for another text; 'payroute pay --accept-unclear' pays this one "
                        + "(provider '\(provider)')"
            }
        case .unclear(let instructions):
            self.init(.ambiguous, title: "Several readings", summary: Self.choice(instructions.map(\.name.title)))
            alternatives = instructions.map { Reading($0, at: context.date, reveals: reveals) }
            advice = "choose which is meant; nothing in the text decides"
        case .matched(let route): self.init(route, answer, in: context)
        case .ambiguous(let routes):
            let names = routes.map { context.name(of: $0.provider) }
            self.init(.ambiguous, title: "Several providers", summary: Self.choice(names))
            advice =
                "choose the provider: pay with 'as:' one of \(routes.map(\.provider.rawValue).joined(separator: ", "))"
        case .defective(let standard, let defect, _):
            let noun = defect.intended?.noun ?? standard
            let part = noun.contains(defect.part) ? "" : "\(defect.part): "
            self.init(
                .invalid, title: defect.intended?.title ?? standard,
                summary: "Invalid \(noun): \(part)\(defect.advice)")
            self.standard = standard
            advice = "do not pay it; ask the payee for it again"
        case .rejected(let defect):
            self.init(.invalid, title: "Unacceptable text", summary: "Not acceptable as a link: \(answer.explanation)")
            advice = Self.advice(defect, text)
        case .unroutable(let link, let real): self.init(link, answer, resembles: real)
        }
        if kind == .invalid || kind == .unknown { summary = summary.prefix(1).uppercased() + summary.dropFirst() }
    }

    /// An input that is not a text.
    init(unreadable reason: String) {
        self.init(.invalid, title: "Unreadable input", summary: "Unreadable: \(reason)")
    }

    /// Returns the advice on a text that is not acceptable as a link. A defect of a payment's text is mostly an
    /// accident. A defect of a web link may be meant to deceive.
    private static func advice(_ defect: LinkDefect, _ text: String) -> String {
        let isWeb =
            text.unicodeScalars.drop { $0.properties.isWhitespace }.prefix(4).map(\.properties.lowercaseMapping)
            .joined() == "http"
        return switch defect {
        case .forbiddenByte(0x20, _), .invisible: isWeb ? "do not open it" : "correct it, or ask the payee for it again"
        default: "do not open it"
        }
    }

    private static func choice(_ names: [String]) -> String { "Either of: \(names.joined(separator: ", "))" }

    private init(_ link: PaymentLink, _ answer: RouteDecision, resembles real: LookAlike?) {
        guard real == nil else {
            self.init(.unknown, title: "Look-alike address", summary: answer.explanation)
            warnings = [("look-alike", answer.explanation)]
            advice = "do not open it and pay nothing there"
            return
        }
        if let other = OtherKinds.kind(of: link) {
            self.init(
                other.isConnection ? .connection : .information, title: other.title,
                summary: "\(other.title) · no payment", advice: other.advice)
            if answer.holdsSecret { warnings = [("secret-inside", "its holder can act in your name; do not show it")] }
            return
        }
        switch link.form {
        case .web where link.isHTTP:
            self.init(.unknown, title: "Web page", summary: "Web page of \(link.host ?? "") · no known payment")
        case .web, .opaque:
            self.init(
                .unknown, title: "Link of another app",
                summary: "Link of another app (\(link.scheme ?? ""):) · no known payment")
        case .text:
            let hidden = link.text.unicodeScalars.first { $0.isInvisible && !$0.properties.isWhitespace }
            let words = hidden.map { "Text with the invisible character \($0.codePoint)" } ?? "Text"
            self.init(.unknown, title: "Text", summary: "\(words) · no known payment")
        }
        advice = "no payment standard and no registered provider knows it"
    }

    private init(_ route: Route, _ answer: RouteDecision, in context: ReadingContext) {
        let name = context.name(of: route.provider)
        if let instruction = answer.instruction(of: context.vendors) {
            self.init(instruction, at: context.date, reveals: context.reveals && answer.mayBeRevealed)
        } else {
            let details = context.vendors[route.provider]?.details(of: route.link) ?? LinkDetails()
            let amount = details.amount.map(AmountText.words)
            switch route.match.role {
            case .callback:
                self.init(
                    .callback, title: "\(name) return link",
                    summary: "\(name) return link · an answer to an app, no payment")
            case .authorization:
                self.init(.authorization, title: "\(name) authorization", summary: "\(name) authorization · no payment")
            default:
                let parts = [
                    "\(name) payment link", amount ?? "\(name) names payee and amount",
                    details.fields["expires"].map { "valid until \($0)" },
                ]
                self.init(
                    .payment, title: "\(name) payment link", summary: parts.compactMap(\.self).joined(separator: " · "))
                self.amount = details.amount.map { .fixed($0) } ?? .onService
            }
            reference = route.match.reference
        }
        provider = route.provider.rawValue
        switch (route.match.role, route.match.trust) {
        case (.callback, _): advice = "give it to the application that started the payment (router.handle)"
        case (.authorization, _): advice = "answer it in the application that holds the key"
        case (_, .verified): advice = "pay with \(name) (provider '\(route.provider)')"
        case (_, .unclear):
            advice =
                "ask the payee for another text; 'payroute pay --accept-unclear' pays this one "
                + "(provider '\(route.provider)')"
        case (_, .unverified(let reason)):
            warnings.append(("unverified", reason))
            summary += " · unverified: \(reason)"
            advice = "pay with \(name) (provider '\(route.provider)') only if you trust where it comes from"
        }
    }
}

// MARK: - Output

extension Reading {
    /// The rows for people, below the summary. All of their texts are safe to show.
    var rows: [(label: String, text: String)] {
        var rows: [(String, String?)] = [
            ("payee", payee?.account), ("name", payee?.name.map { "\($0) (as the text claims)" }),
            ("amount", amount.rowText), ("network", network?.name), ("memo", memo), ("number", reference),
            ("expires", expires.map { "\($0.ISO8601Format())\(isExpired == true ? ", which has passed" : "")" }),
        ]
        rows += payments.map { payment in
            (
                "payment",
                [payment.amount.rowText ?? "any amount", payment.payee?.account].compactMap(\.self).joined(
                    separator: " to ")
            )
        }
        rows += alternatives.map { (kind == .ambiguous ? "either" : "or", $0.summary) }
        rows += warnings.filter { !summary.lowercased().contains($0.words.lowercased()) }.map { ("note", $0.words) }
        rows.append(("next", advice))
        return rows.compactMap { label, text in
            text.flatMap { $0.isEmpty ? nil : (label, Printable.text($0, limit: 2000)) }
        }
    }

    /// Adds the members of `reading` of `inspect --json`.
    func write(to buffer: inout [UInt8]) {
        buffer.addMember("advice", advice)
        buffer.addObjects("alternatives", alternatives) { $1.write(to: &$0) }
        buffer.addMember("amount", amount.number)
        buffer.addMember("amountKind", amount.kind)
        buffer.addJSON("expired", isExpired.map(JSONValue.bool) ?? .null)
        buffer.addMember("expires", expires?.ISO8601Format())
        buffer.addMember("kind", kind.rawValue)
        buffer.addMember("memo", memo)
        buffer.addMember("network", network?.id)
        buffer.addMember("networkName", network?.name)
        buffer.addMember("payee", payee?.account)
        buffer.addMember("payeeCheck", payee?.check.rawValue)
        buffer.addMember("payeeName", payee?.name)
        buffer.addJSON("payments", .array(payments.map(\.json)))
        buffer.addMember("provider", provider)
        buffer.addMember("reference", reference)
        buffer.addJSON("repeats", repeats?.json ?? .null)
        buffer.addMember("standard", standard)
        buffer.addMember("summary", summary)
        buffer.addMember("title", title)
        buffer.addMember("unclear", unread.filter(\.couldChangePayment).map(\.name))
        buffer.addMember("unit", amount.unit)
        buffer.addJSON(
            "unread",
            .object(Dictionary(unread.map { ($0.name, $0.value.map(JSONValue.string) ?? .null) }) { first, _ in first })
        )
        buffer.addMember("warnings", warnings.map(\.name))
    }

    /// The same as a value.
    var json: JSONValue {
        var buffer: [UInt8] = []
        buffer.addJSONLine { write(to: &$0) }
        do { return try JSONValue(parsing: buffer.dropLast()) } catch { return .null }
    }
}

/// The surroundings of a reading besides the text: the providers, the present time, and whether secrets are shown.
struct ReadingContext {
    let vendors: SandboxVendors
    let registry: ProviderRegistry
    /// The providers that need a wallet, as a sandbox registers them, or nil if they cannot be made.
    private let settling: ProviderRegistry?
    /// The standards that these claim.
    private let settlingStandards: Set<String>
    let date: Date
    let reveals: Bool

    init(_ vendors: SandboxVendors, _ registry: ProviderRegistry, at date: Date, reveals: Bool = false) {
        self.vendors = vendors
        self.registry = registry
        self.date = date
        self.reveals = reveals
        settling = (try? HTTPURL("http://127.0.0.1:1")).flatMap { try? vendors.registry(sandbox: $0) }
        let patterns = settling?.descriptors.flatMap(\.patterns) ?? []
        settlingStandards = Set(patterns.compactMap { if case .standard(let id) = $0 { id } else { nil } })
    }

    /// Returns the provider that pays a recognized `text` if the application passes a wallet, or nil if there is none.
    func settlingProvider(of text: String, _ answer: RouteDecision) -> String? {
        guard case .recognized(let instruction) = answer, instruction.purpose == .payment, let settling,
            settlingStandards.contains(instruction.standard),
            case .matched(let route) = Installation.route(text, settling)
        else { return nil }
        return route.provider.rawValue
    }

    /// Returns the name of a provider for people.
    func name(of provider: ProviderID) -> String {
        registry.descriptors.first { $0.id == provider }?.name ?? provider.rawValue
    }
}

extension PaymentInstruction.Payment {
    fileprivate var json: JSONValue {
        var object: JSONValue = ["amountKind": .string(amount.kind)]
        let members = [
            ("amount", amount.number), ("memo", memo), ("payee", payee?.account), ("payeeName", payee?.name),
            ("unit", amount.unit),
        ]
        for (name, text) in members { object[name] = text.map(JSONValue.string) ?? .null }
        return object
    }
}

extension PaymentInstruction.Repetition {
    fileprivate var json: JSONValue {
        [
            "every": every.map { .number(JSONNumber($0)) } ?? .null, "unit": .string(unit.rawValue),
            "first": first.map { .string($0.ISO8601Format()) } ?? .null,
            "last": last.map { .string($0.ISO8601Format()) } ?? .null,
        ]
    }
}

extension PaymentInstruction.Amount {
    /// The name of the case, for programs.
    fileprivate var kind: String {
        switch self {
        case .open: "open"
        case .fixed: "fixed"
        case .minimum: "minimum"
        case .suggested: "suggested"
        case .uncounted: "uncounted"
        case .onService: "onService"
        case .several: "several"
        }
    }

    /// The exact number in main units, or nil if the text states none.
    fileprivate var number: String? {
        if case .uncounted(let digits, _) = self { return digits }
        return money?.decimalText
    }

    /// The unit of ``number``: `iso4217/EUR`, `caip19/…`, `BTC`, or a bare symbol.
    fileprivate var unit: String? {
        if case .uncounted(_, let unit) = self { return unit }
        return money?.currency.mainUnit
    }

    /// The amount as a row.
    fileprivate var rowText: String? {
        switch self {
        case .open: nil
        case .onService: "asked of the service"
        case .several: nil
        case .fixed(let money): AmountText.words(money)
        case .minimum(let money): "\(AmountText.words(money)) at least"
        case .suggested(let money): "\(AmountText.words(money)), unless the payer changes it"
        case .uncounted(let digits, let unit): Self.words(digits, unit: unit, isShort: false)
        }
    }
}
