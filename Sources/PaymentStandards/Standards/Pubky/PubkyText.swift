import PaymentCore
import PaymentCrypto

/// A text of the Pubky network, or of Paykit, which pays over that network: a user's key in any spelling, a request or
/// an endpoint to pay, a question to the user's key manager, or its answer.
///
/// Sources: the readers of Paykit's and Pubky's libraries and of the key manager Pubky Ring, as published until 2026. A
/// key has no checksum. A bare key is claimed only if its four spare bits are zero and it is a point of the curve. A
/// key manager's answer proves nothing: anyone can make such a link.
struct PubkyText: PaymentStandard {
    static let id = "pubky"
    static let specification = "Pubky and Paykit links, Pubky Ring"
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

    let kind: Kind
    /// The user as canonical z-base-32: the payee, or the user who is claimed to have answered.
    let key: String?
    let fields: InstructionFields
    /// The names of the fields that hold a secret.
    let secretFields: Set<String>
    /// The content of the endpoint of an ``Kind/invoice``, if this library reads its standard.
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

    /// Reads a bare key, or one after the prefix `pubky`, with a path or without.
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
            throw part.defect(.foreign, "key", "is not valid")
        }
        try self.init(payee: name, path: path)
    }

    /// Returns the text in place of a user's key: before the path, with or without slashes before it.
    private static func name(_ source: inout PaymentText) -> TextPart { source.authority ?? source.path() }

    private init(payee name: TextPart, in source: inout PaymentText, path: TextPart?) throws(StandardDefect) {
        // The scanner takes the key for a host and lowercases it.
        if let spelling = source.link.spelling, !spelling.contains(name.text) {
            throw name.defect(.malformed, "key", "is written in lower case; copy it again")
        }
        // Another fragment is left unread.
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
        // Links to private endpoints of generation 1 contain the key that opens them.
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

    /// Returns the generation of Paykit whose data is at `path`. Each generation uses another place.
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

    // MARK: Fields and instruction

    /// Pays the user or the endpoint. A key manager's question or answer pays nothing.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.take(endpoint)
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
        }
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
    /// Takes the content of `other`, the instruction of the endpoint inside.
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

/// The questions to a user's key manager, and its answers.
extension PubkyText {
    /// The parameters of a question.
    private struct Question {
        var needs: [String] = []
        /// At least one of these parameters is required.
        var needsOneOf: [String] = []
    }

    private static let answered = ["callback", "x-success"]
    private static let throughRelay = ["relay", "secret"]
    private static let questions: [String: Question] = [
        "signin": Question(needs: throughRelay), "signup": Question(needs: throughRelay + ["hs"]),
        "signin_grant": Question(needs: throughRelay + ["cid", "cpk"]),
        "signup_grant": Question(needs: throughRelay + ["hs", "cid", "cpk"]),
        "secret_export": Question(needs: ["secret"]), "direct_signup": Question(needs: ["hs"]),
        "auth": Question(needs: ["callback"]), "session": Question(needsOneOf: answered),
        "paykit-connect": Question(needs: ["callback", "ephemeralPk"]),
        "get-profile": Question(needs: ["callback"]), "get-follows": Question(needs: ["callback"]),
        "sign-message": Question(needs: ["message", "callback"]), "derive-keypair": Question(needs: ["callback"]),
    ]
    /// The actions that only the key manager itself can interpret.
    private static let managersOwn: Set<String> = [
        "auth", "session", "paykit-connect", "get-profile", "get-follows", "sign-message", "derive-keypair",
    ]

    /// The fields by their parameters.
    private static let names: [String: String] = [
        "caps": "capabilities", "relay": "relay", "secret": "secret", "hs": "homeserver", "st": "signUpToken",
        "cid": "clientId", "cpk": "clientKey", "callback": "callback", "x-success": "callback", "x-error": "onError",
        "x-cancel": "onCancel", "x-source": "source", "deviceId": "deviceId", "ephemeralPk": "ephemeralKey",
        "includeEpoch1": "includesEpoch1", "epoch": "epoch", "pubkey": "about", "app": "app", "message": "message",
    ]
    private static let asking = QueryReader(QueryRules(), known: Set(names.keys).union(["key", "index", "total"]))

    /// Reads a question to a key manager.
    init(asking source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        let action = Self.action(&source)
        if action.equals("migrate") {
            throw action.defect(
                .secret, "action",
                "hands a wallet's keys to another device: anyone who has seen it may have part of them")
        }
        let name = action.isEmpty ? "signin" : action.text
        guard let question = Self.questions[name], link.scheme == "pubkyring" || !Self.managersOwn.contains(name) else {
            throw action.defect(.unsupported, "action", "is not known; use a newer app")
        }
        var values: [String: TextPart] = [:]
        try source.query(Self.asking) { name, parameter throws(StandardDefect) in
            guard parameter.isKnown else { return }
            let value = try Self.asking.text(parameter, name)
            if !value.isEmpty { values[name] = value }
        }
        // If both occur, the newer one counts.
        if values["x-success"] != nil { values["callback"] = nil }
        for need in question.needs where values[need] == nil {
            throw StandardDefect(.missing, need, at: link.text.utf8.count, "is missing; have the code made anew")
        }
        guard question.needsOneOf.isEmpty || question.needsOneOf.contains(where: { values[$0] != nil }) else {
            throw StandardDefect(
                .missing, "callback", at: link.text.utf8.count, "is missing; the answer could not be delivered")
        }
        var fields: InstructionFields = ["action": .string(name)]
        for (parameter, field) in Self.names.sorted(by: { $0.value < $1.value }) {
            guard let value = values[parameter] else { continue }
            fields[field] = try Self.checked(value, parameter)
        }
        self.init(.authorization, fields, secret: Set(["secret", "signUpToken"]).intersection(fields.map(\.name)))
    }

    /// Returns the name of the question. Some programs nest the schemes, or add a slash.
    private static func action(_ source: inout PaymentText) -> TextPart {
        let path = source.path()
        var action = source.authority ?? path
        if action.equals("pubkyauth") { action = path }
        while action.starts(with: "/") { action = action.dropFirst(1) }
        while action.text.hasSuffix("/") { action = action.dropLast(1) }
        return action
    }

    /// Returns the value of `parameter`, which must be well-formed.
    private static func checked(_ value: TextPart, _ parameter: String) throws(StandardDefect) -> JSONValue {
        switch parameter {
        case "secret":
            guard Base64URL.decode(value.text)?.count == 32 else {
                throw value.defect(.malformed, "secret", "is 32 bytes as base64url without padding")
            }
        case "relay":
            guard let relay = try? PaymentLink(value.text), relay.isHTTPS || isLocal(relay) else {
                throw value.defect(.malformed, "relay", "is an address that begins with https://")
            }
        case "hs", "cpk": return .string(try PubkyKeyText.read(value))
        case "pubkey":
            return .string(try PubkyKeyText.read(value.starts(with: "pubky") ? value.dropFirst(5) : value))
        case "caps":
            let list = value.split(at: ",").filter { !$0.isEmpty }
            guard list.allSatisfy(isCapability) else {
                throw value.defect(.malformed, "caps", "is a list of paths and rights, as in /pub/paykit.app/v0/:rw")
            }
            return .array(list.map { .string($0.text) })
        case "ephemeralPk":
            guard value.count == 64, Hex.decode(value.text) != nil else {
                throw value.defect(.malformed, parameter, "is 64 hexadecimal digits")
            }
        case "includeEpoch1": return .bool(!value.equals("false"))
        case "callback", "x-success", "x-error", "x-cancel":
            guard let link = try? PaymentLink(value.text), link.form != .text else {
                throw value.defect(.malformed, parameter, "is an app's or a page's address")
            }
        default: break
        }
        return .string(value.text)
    }

    private static func isLocal(_ link: PaymentLink) -> Bool {
        link.isPlainHTTP && ["localhost", "127.0.0.1", "[::1]"].contains(link.host)
    }

    private static func isCapability(_ part: TextPart) -> Bool {
        let (path, rights) = part.cut(at: ":")
        guard path.starts(with: "/"), let rights else { return false }
        return rights.bytes.allSatisfy { "rw".utf8.contains($0) }
    }

    // MARK: Answers

    /// The names of answers in Paykit's apps: the hosts of the links with the apps' schemes.
    private static let answers: Set<String> = [
        "paykit-setup", "paykit-session", "paykit-profile", "paykit-follows", "paykit-signature", "pubky-callback",
        "pubky-auth",
    ]
    /// The fields of answers by their parameters, including secrets.
    private static let announced: [String: String] = [
        "pubky": "key", "pubkey": "key", "request_id": "requestId", "mode": "mode", "name": "name", "bio": "bio",
        "image": "image", "avatar": "image", "error": "error", "follows": "follows", "signature": "signature",
        "capabilities": "capabilities", "nonce": "nonce", "errorCode": "error", "errorMessage": "errorMessage",
        "session": "session", "session_secret": "sessionSecret",
    ]
    private static let secretAnswers: Set<String> = ["session", "sessionSecret"]
    private static let hearing = QueryReader(QueryRules(), known: Set(announced.keys).union(["secret_key"]))

    /// Reads the answer of a key manager to an app, under the app's own scheme.
    init(answer source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard let host = source.authority else { throw source.all().defect(.foreign, "link", "is another app's") }
        do {
            try self.init(answer: host, &source, end: link.text.utf8.count)
        } catch {
            // The remains of a broken one may still contain the secret.
            var error = error
            error.holdsSecret = true
            throw error
        }
    }

    private init(answer host: TextPart, _ source: inout PaymentText, end: Int) throws(StandardDefect) {
        let isKnown = Self.answers.contains(host.text)
        let isFormer = host.equals("paykit-keypair") || host.equals("paykit-cross-session")
        let names = Set(source.link.query.map { QueryItems($0).map(\.name) } ?? [])
        // Upstream's key manager answers to any address, so only the parameters' names identify its answer.
        let isSession = names.contains("session_secret") && !names.isDisjoint(with: ["pubky", "pubkey"])
        guard isKnown || isFormer || isSession else { throw host.defect(.foreign, "host", "is another app's") }
        if names.contains("secret_key") {
            throw host.defect(
                .secret, "secret_key", "is a private key: anyone who has seen it can act as its owner; do not use it")
        }
        guard !isFormer else {
            throw host.defect(.unsupported, "host", "is of an answer that is no longer taken; ask again")
        }
        var values: [String: TextPart] = [:]
        try source.query(Self.hearing) { name, parameter throws(StandardDefect) in
            guard let field = Self.announced[name] else { return }
            guard values[field] == nil else {
                throw parameter.name.defect(.duplicate, name, "stands twice; readers would disagree which counts")
            }
            values[field] = try Self.hearing.text(parameter, name)
        }
        var key: String?
        if let name = values.removeValue(forKey: "key") {
            key = try PubkyKeyText.read(name.starts(with: "pubky") ? name.dropFirst(5) : name)
        }
        var fields: InstructionFields = ["answer": .string(host.text)]
        let word = source.path().dropFirst(1)
        if host.equals("pubky-auth"), !word.isEmpty { fields.set("result", word.text) }
        for (field, value) in values.sorted(by: { $0.key < $1.key }) {
            switch field {
            case "capabilities", "follows":
                fields[field] = .array(value.split(at: ",").filter { !$0.isEmpty }.map { .string($0.text) })
            default: fields.set(field, value.text)
            }
        }
        self.init(.callback, key: key, fields, secret: Self.secretAnswers.intersection(values.keys))
    }
}

/// A user's key as text: 52 characters of z-base-32.
enum PubkyKeyText {
    /// The number of its characters.
    static let length = 52

    /// Returns true if `part` consists of the right number of the right characters.
    static func isSpelt(_ part: TextPart) -> Bool {
        part.count == length && Base32.human.groups(part.bytes) != nil
    }

    /// Returns the canonical text of the key in `part`.
    ///
    /// - Parameter isBare: True if nothing else shows that it is meant to be a key. Then every doubt makes it foreign.
    static func read(_ part: TextPart, isBare: Bool = false) throws(StandardDefect) -> String {
        guard part.count == length else {
            throw part.defect(
                isBare ? .foreign : .length, "key", "has \(length) characters; copy all of it, and nothing else")
        }
        guard let bytes = Base32.human.decode(part.bytes, ignoringSpareBits: true) else {
            throw part.defect(
                isBare ? .foreign : .malformed, "key",
                "is in lower case, without 0, 2, l and v; compare it with where it came from")
        }
        guard EdwardsPoint.isValid(bytes) else {
            throw part.defect(
                isBare ? .foreign : .checksum, "key",
                "is no valid key: at least one character is wrong; copy it again")
        }
        let text = Base32.human.encode(bytes)
        guard !isBare || text == part.text else {
            throw part.defect(.foreign, "key", "ends with y or o; at least one character is wrong")
        }
        return text
    }
}

/// The endpoints of Paykit's methods.
enum PubkyEndpoint {
    /// The possible standards of a method's endpoints. Methods without a description are not read.
    private static let standards: [String: [any PaymentStandard.Type]] = [
        "lightning": [Bolt11.self, LNURL.self, Bolt12.self], "onchain": [BitcoinAddress.self, BIP321.self],
        "lnurl": [LNURL.self], "bolt12": [Bolt12.self],
    ]

    /// Returns the content of the endpoint `part` of `method`; nil for a method without a description.
    static func read(_ part: TextPart, method: String) throws(StandardDefect) -> PaymentInstruction? {
        guard let standards = standards[method] else { return nil }
        guard let link = try? PaymentLink(part.text) else {
            throw part.defect(.malformed, "data", "is no endpoint of '\(method)'; ask for a new one")
        }
        var reason: StandardDefect?
        for standard in standards {
            do throws(StandardDefect) {
                // The standards are asked directly, not by the text's beginning.
                return try standard.reading(of: link)
            } catch {
                // A private key stays a private key, whatever other standards report.
                if error.kind != .foreign { reason = error.kind == .secret ? error : reason ?? error }
            }
        }
        throw part.defect(
            reason?.kind ?? .malformed, "data",
            reason.map { "its \($0.part) \($0.advice)" } ?? "is no endpoint of '\(method)'; ask for a new one")
    }
}
