import PaymentCore

/// A standard for links to one service's page or app. The service holds the rest of the payment.
///
/// Web links are claimed only on the service's hosts, encrypted, on the default port. If a host serves only payments,
/// any other path there is a defect. On other hosts, it is foreign.
protocol ServiceLink: PaymentStandard {
    var reading: ServiceReading { get }
}

extension ServiceLink {
    /// Pages of services ignore unknown parameters.
    static var ignoresUnknownParts: Bool { true }
    var standard: String { reading.standard }
    var fields: InstructionFields { reading.fields }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.purpose = reading.purpose
            if reading.payee != nil || reading.purpose == .payment { instruction.payee = .init(account: reading.payee) }
            // Anyone can register a name that looks almost the same.
            if reading.payee != nil { instruction.warnings.append(.missingChecksum) }
            instruction.network = reading.network
            instruction.amount = reading.amount
            instruction.memo = reading.memo
            instruction.reference = reading.reference
            instruction.holdsSecret = reading.holdsSecret
            if reading.holdsSecret { instruction.publicFields = ServiceReading.publicFields }
            if !reading.warnings.isEmpty { instruction.warnings += reading.warnings }
        }
    }
}

/// The content of a link to a service.
struct ServiceReading: Sendable, Hashable {
    /// The short name of the kind of link: `paypal-me`.
    let standard: String
    var fields: InstructionFields = [:]
    /// The fields that may be shown of a link that is worth money.
    static let publicFields: Set<String> = ["payable"]
    let network: String
    /// The effect of following the link.
    var purpose: PaymentInstruction.Purpose = .payment
    var payee: String?
    var amount: PaymentInstruction.Amount = .onService
    var memo: String?
    /// The name of the payment on the service.
    var reference: String?
    /// True if the link is worth money to everyone who sees it.
    var holdsSecret = false
    var warnings: [InstructionWarning] = []

    init(_ standard: String, network: String) {
        self.standard = standard
        self.network = network
    }

    /// Sets the payee that the link names.
    mutating func setPayee(_ text: String) {
        payee = text
        fields.set("payee", text)
    }

    /// Sets ``reference``, and the field `name`.
    mutating func setReference(_ name: String, _ text: String) {
        reference = text
        fields.set(name, text)
    }

    /// Sets the memo, and the field `name`. An empty text sets nothing.
    mutating func setMemo(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        memo = text
        fields.set(name, text)
    }

    /// Sets the amount. The payer may change it on the service's page unless it `isFixed`.
    mutating func setAmount(_ digits: String?, _ currency: String?, isFixed: Bool = false) {
        fields.set("amount", digits)
        if digits != nil { fields.set("currency", currency) }
        amount = .init(digits, iso: currency)
        if !isFixed, case .fixed(let money) = amount {
            amount = .suggested(money)
            warnings.append(.amountEditable)
        }
    }

    /// Marks the link as not being a payment, even if it looks like one.
    mutating func setNotPayable(_ purpose: PaymentInstruction.Purpose) {
        self.purpose = purpose
        fields.set("payable", false)
        if purpose != .pull { amount = .open }
    }
}

/// Host, path and query of a link to a service, or of its printed form without a scheme: `paypal.me/alice`.
struct ServicePage {
    /// The host in lower case. A link with an app's own scheme has another text there.
    let host: String
    /// The scheme; `https` for a printed form.
    let scheme: String
    /// The segments of the path, still encoded; none for `/`. An empty last segment is left out.
    let path: [TextPart]
    /// The requested parameters, decoded. A `+` is a space.
    private let values: NamedParts
    private let end: TextPart

    /// The rules for amounts in links.
    static let amountRules = DecimalRules(fractionDigits: 2, wholeDigits: 12, allowsZero: false)

    /// Returns a reader of these parameters of a query. Each may occur once.
    static func parameters(_ names: Set<String>) -> QueryReader {
        QueryReader(QueryRules(plusIsSpace: true), known: names)
    }

    /// Reads `link`, and the parameters of its query that `parameters` knows.
    init(_ source: inout PaymentText, _ parameters: QueryReader = .none) throws(StandardDefect) {
        let link = source.link
        end = source.end
        guard link.form != .text else {
            let text = source.all().trimmed
            let (page, query) = text.cut(at: "?")
            var segments = page.split(at: "/")
            let host = segments.removeFirst()
            (scheme, self.host) = ("https", host.lowercased)
            path = Self.withoutEnd(segments)
            values = try source.parameters(parameters, in: query ?? end)
            return
        }
        guard !link.isPlainHTTP else {
            throw StandardDefect(
                .malformed, "scheme", at: 0, "must be https; the link could be changed on its way")
        }
        scheme = link.scheme.map(String.init) ?? ""
        host = source.authority?.text ?? ""
        let written = source.path()
        path = written.count < 2 ? [] : Self.withoutEnd(written.dropFirst(1).split(at: "/"))
        values = try source.parameters(parameters)
    }

    private static func withoutEnd(_ segments: [TextPart]) -> [TextPart] {
        segments.last?.isEmpty == true ? segments.dropLast() : segments
    }

    /// The parameter `name`; nil if it is empty or missing.
    subscript(_ name: String) -> TextPart? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the parameter `name`, which must be present.
    func required(_ name: String) throws(StandardDefect) -> TextPart {
        guard let value = self[name] else { throw end.defect(.missing, name, "is missing") }
        return value
    }

    /// Returns the error for a parameter that is missing.
    func missing(_ name: String) -> StandardDefect { end.defect(.missing, name, "is missing") }

    /// Returns segment `index` of the path, which must be present: 1 to `limit` characters that need no escape in a
    /// URL.
    func segment(_ index: Int, _ name: String, limit: Int = 512) throws(StandardDefect) -> String {
        guard index < path.count, !path[index].isEmpty else { throw end.defect(.missing, name, "is missing") }
        return try Self.token(path[index], name, limit: limit)
    }

    /// Returns 1 to `limit` letters, digits and `-_.~`.
    static func token(_ part: TextPart, _ name: String, limit: Int = 512) throws(StandardDefect) -> String {
        guard part.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_.~".utf8.contains($0) }) else {
            throw part.defect(.malformed, name, "may hold only letters, digits and - _ . ~")
        }
        return try part.limited(to: limit, name).text
    }

    /// Throws unless the path has at most `count` segments.
    func limit(_ count: Int) throws(StandardDefect) {
        guard path.count <= count else { throw path[count].defect(.malformed, "path", "goes on where it must end") }
    }

    /// Returns true if the path begins with `segments`.
    func begins(_ segments: StaticString...) -> Bool {
        path.count >= segments.count && zip(path, segments).allSatisfy { $0.equals($1) }
    }

    /// Returns the error for a page that is not a payment of the service.
    func foreign() -> StandardDefect { end.defect(.foreign, "path", "is not that of a payment") }

    /// Returns the error for an unknown page on a host that has only payments.
    func unknown() -> StandardDefect {
        (path.first ?? end).defect(.unsupported, "path", "is not one of this service's payment links; copy all of it")
    }

    /// Returns an amount with a point.
    static func amount(_ part: TextPart, _ name: String = "amount") throws(StandardDefect) -> String {
        try DecimalText(part, name, amountRules).text
    }

    /// Returns three letters of a currency in either case.
    static func currency(_ part: TextPart) throws(StandardDefect) -> String {
        let code = part.text.uppercased()
        guard part.count == 3, ISO4217.exponent(of: code) != nil else {
            throw part.defect(.range, "currency", "must be three letters of ISO 4217, such as EUR")
        }
        return code
    }
}
