import PaymentCore
import PaymentCrypto

/// The questions to a user's key manager, and its answers.
extension PubkyText {
    /// The parameters of a question.
    private struct Question {
        var needs: [String] = []
        /// One of these is required.
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

    /// The fields by the parameters that they come from.
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
            throw action.defect(.unsupported, "action", "is none that is known; use a newer app")
        }
        var values: [String: TextPart] = [:]
        try source.query(Self.asking) { name, parameter throws(StandardDefect) in
            guard parameter.isKnown else { return }
            let value = try Self.asking.text(parameter, name)
            if !value.isEmpty { values[name] = value }
        }
        // Where both occur, the newer one counts.
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

    /// Returns the name of the question. Some programs put one scheme into the other, or add a slash.
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

    /// The words by which apps of Paykit name an answer, as hosts of the apps' schemes.
    private static let answers: Set<String> = [
        "paykit-setup", "paykit-session", "paykit-profile", "paykit-follows", "paykit-signature", "pubky-callback",
        "pubky-auth",
    ]
    /// The fields of answers by their parameters, also those that are secrets.
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
        // Upstream's key manager answers to any address, so that only the parameters' names identify it.
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
