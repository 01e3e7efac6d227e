import PaymentCore

/// A text of the Pubky network, or of Paykit, which pays over it: a user's key in any of its spellings, a request or an
/// endpoint to pay, a question to the user's key manager, and its answer.
///
/// Sources: the readers of Paykit's and Pubky's libraries and of the key manager Pubky Ring, as published until 2026. A
/// key has no checksum; a bare one is claimed only where its four spare bits are zero and it is a point of the curve.
/// An answer of a key manager proves nothing: anyone can make such a link.
struct PubkyText: PaymentStandard {
    static let id = "pubky"
    static let specification = "Pubky and Paykit links, Pubky Ring"
    /// True.
    static let ignoresUnknownParts = true
    static let patterns: [StandardPattern] =
        [.bare(BareShape(lengths: PubkyKeyText.length...PubkyKeyText.length, .alphanumeric)), .prefix("pubky")]
        + ["pubky", "pk", "paykit", "pip", "pubkyauth", "pubkyring"].map { .scheme($0) } + [.otherScheme]

    /// The purpose of a text.
    enum Kind: String, Sendable, Hashable {
        /// It names a user, or a place on a user's homeserver.
        case payee
        /// It names a request for a payment that a user keeps.
        case request
        /// It holds one endpoint, to be paid as it is.
        case invoice
        /// It asks the user's key manager for something.
        case authorization
        /// It carries an answer of the key manager.
        case callback
    }

    /// The purpose of the text.
    let kind: Kind
    /// The user: the payee, or the one who is said to have answered; canonical z-base-32.
    let key: String?
    let fields: InstructionFields
    /// The names of the fields that hold a secret.
    let secretFields: Set<String>
    /// The content of the endpoint of an ``Kind/invoice``, where it is of a standard that is read here.
    let endpoint: PaymentInstruction?

    init(_ source: inout PaymentText) throws(StandardDefect) {
        switch source.link.scheme.map(String.init) {
        case nil: try self.init(text: source.all().trimmed)
        case "pubky":
            guard let host = source.authority, source.link.port == nil else {
                throw source.all().defect(.malformed, "address", "is written pubky://, a key and a path")
            }
            let path = source.path()
            try self.init(payee: host, in: &source, path: path)
        case "pk", "pip":
            let name = Self.name(&source)
            try self.init(payee: name, in: &source, path: nil)
        case "paykit": try self.init(paykit: &source)
        case "pubkyauth", "pubkyring":
            do { try self.init(asking: &source) } catch {
                // The remains of a broken one may still contain the secret.
                var error = error
                error.holdsSecret = true
                throw error
            }
        default: try self.init(answer: &source)
        }
    }

    init(
        _ kind: Kind, key: String? = nil, _ fields: InstructionFields, secret: Set<String> = [],
        endpoint: PaymentInstruction? = nil
    ) {
        self.kind = kind
        self.key = key
        var all: InstructionFields = ["kind": .string(kind.rawValue)]
        all.set("key", key)
        for field in fields { all[field.name] = field.value }
        self.fields = all
        secretFields = secret
        self.endpoint = endpoint
    }

    // MARK: Users

    /// Reads a bare key, or one behind the prefix `pubky`, with a path or without.
    private init(text part: TextPart) throws(StandardDefect) {
        guard part.starts(with: "pubky"), part.count > PubkyKeyText.length else {
            self.init(.payee, key: try PubkyKeyText.read(part, isBare: true), [:])
            return
        }
        guard !part.starts(with: "pubkyauth//"), !part.starts(with: "pubkyring//") else {
            var defect = part.defect(.malformed, "scheme", "is not followed by a colon; ask for a new code")
            defect.holdsSecret = true
            throw defect
        }
        let rest = part.dropFirst(5)
        let name = rest.prefix(PubkyKeyText.length)
        let path = rest.dropFirst(PubkyKeyText.length)
        guard PubkyKeyText.isSpelt(name), path.isEmpty || path.starts(with: "/") else {
            throw part.defect(.foreign, "key", "is none")
        }
        try self.init(payee: name, path: path)
    }

    /// Returns the text in the place of a user's key: before the path, after slashes or without them.
    private static func name(_ source: inout PaymentText) -> TextPart { source.authority ?? source.path() }

    private init(payee name: TextPart, in source: inout PaymentText, path: TextPart?) throws(StandardDefect) {
        // The scanner takes the key for a host, and hosts have no case.
        if let spelling = source.link.spelling, !spelling.contains(name.text) {
            throw name.defect(.malformed, "key", "is written in lower case; copy it again")
        }
        // Of another fragment nothing is made.
        let isKey = source.link.fragment?.hasPrefix("encryptionKey=") == true
        try self.init(payee: name, path: path, fragment: isKey ? source.fragment() : nil)
    }

    private init(payee name: TextPart, path: TextPart?, fragment: TextPart? = nil) throws(StandardDefect) {
        let key = try PubkyKeyText.read(name)
        var fields: InstructionFields = [:]
        if let path, path.count > 1 {
            try Self.check(path: path)
            fields.set("path", path.text)
            fields.set("generation", Self.generation(of: path))
        }
        // Links to the private endpoints of generation 1 contain the key that opens them.
        let words = fragment?.cut(at: "=")
        let isSecret = words?.head.equals("encryptionKey") == true
        if isSecret { fields.set("encryptionKey", words?.tail?.text) }
        self.init(.payee, key: key, fields, secret: isSecret ? ["encryptionKey"] : [])
    }

    /// Checks for segments that browsers and homeservers read differently.
    private static func check(path: TextPart) throws(StandardDefect) {
        for segment in path.dropFirst(1).split(at: "/").dropLast()
        where segment.isEmpty || segment.equals(".") || segment.equals("..") {
            throw segment.defect(.malformed, "path", "has an empty segment, '.' or '..'")
        }
    }

    /// Returns the generation of Paykit whose data lies at `path`: each generation uses another place.
    private static func generation(of path: TextPart) -> String? {
        let first: [StaticString] = ["/public/paykit", "/public/slashpay", "/slashpay/"]
        if first.contains(where: { path.starts(with: $0) }) { return "first (slashtags)" }
        if path.starts(with: "/pub/paykit.app/v0/") { return "second" }
        return path.starts(with: "/pub/paykit/v0/") ? "third" : nil
    }

    // MARK: Paykit

    private static let reader = QueryReader(
        QueryRules(plusIsSpace: true), known: ["request_id", "from", "method", "data"])

    private init(paykit source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        let action = source.path()
        guard link.form == .opaque, action.equals("request") || action.equals("invoice") else {
            let name = Self.name(&source)
            try self.init(payee: name, in: &source, path: nil)
            return
        }
        let values = try source.parameters(Self.reader)
        func required(_ name: String) throws(StandardDefect) -> TextPart {
            guard let value = values[name], !value.isEmpty else {
                throw StandardDefect(.missing, name, at: link.text.utf8.count, "is missing; ask for a new code")
            }
            return value
        }
        if action.equals("request") {
            let from = try required("from")
            guard from.starts(with: "pubky://") else {
                throw from.defect(.malformed, "from", "names the sender as pubky:// and a key")
            }
            let rest = from.dropFirst(8)
            let key = try PubkyKeyText.read(rest.prefix(rest.text.utf8.prefix { $0 != UInt8(ascii: "/") }.count))
            self.init(.request, key: key, ["requestId": .string(try required("request_id").text)])
            return
        }
        let method = try required("method")
        guard 1...32 ~= method.count, !method.equals("noise"),
            method.bytes.allSatisfy({ $0 &- 0x61 < 26 || $0.isASCIIDigit || $0 == 0x2D || $0 == 0x3A })
        else { throw method.defect(.malformed, "method", "is lower-case letters, digits, '-' and ':', at most 32") }
        let data = try required("data")
        let endpoint = try PubkyEndpoint.read(data, method: method.text)
        var fields: InstructionFields = ["method": .string(method.text), "endpoint": .string(data.text)]
        fields.set("endpointStandard", endpoint?.standard)
        self.init(.invoice, fields, endpoint: endpoint)
    }

    // MARK: What it says

    /// Pays the user or the endpoint; pays nothing where a key manager is asked or answers.
    var instruction: PaymentInstruction {
        var instruction = endpoint ?? bareInstruction
        if endpoint != nil {
            instruction = bareInstruction
            instruction.take(endpoint)
        }
        instruction.name = kind.name
        switch kind {
        case .payee, .request, .invoice:
            instruction.role = .payment
            if !secretFields.isEmpty { hideSecrets(in: &instruction) }
            if kind == .invoice, endpoint == nil { instruction.setUncheckedPayee(fields["endpoint"]?.string ?? "") }
            guard let key else { break }
            instruction.network = "pubky"
            instruction.amount = kind == .request ? .onService : .open
            instruction.reference = fields["requestId"]?.string
            instruction.setUncheckedPayee(key)
            instruction.warnings.append(.followsURL)
        case .authorization, .callback:
            instruction.role = kind == .callback ? .callback : .authorization
            instruction.purpose = .information
            hideSecrets(in: &instruction)
            instruction.warnings = [.opensNothing]
        }
        return instruction
    }

    private func hideSecrets(in instruction: inout PaymentInstruction) {
        instruction.holdsSecret = !secretFields.isEmpty
        instruction.publicFields = Set(fields.map(\.name)).subtracting(secretFields)
    }
}

extension PubkyText.Kind {
    /// The name for people.
    fileprivate var name: PaymentInstruction.Name {
        switch self {
        case .payee: .init("a payee's key (Pubky)", opensIn: "a Paykit wallet")
        case .request: .init("a Paykit payment request", opensIn: "a Paykit wallet")
        case .invoice: .init("a Paykit invoice", opensIn: "a Paykit wallet")
        case .authorization: .init("a sign-in request (Pubky)", opensIn: "a key manager")
        case .callback: .init("an answer of a key manager (Pubky)")
        }
    }
}

extension PaymentInstruction {
    /// Takes the content of `other`, which it holds.
    fileprivate mutating func take(_ other: PaymentInstruction?) {
        guard let other else { return }
        purpose = other.purpose
        payee = other.payee
        amount = other.amount
        network = other.network
        memo = other.memo
        reference = other.reference
        expiresAt = other.expiresAt
        alternatives = other.alternatives
        otherReadings = other.otherReadings
        warnings = other.warnings
    }
}
