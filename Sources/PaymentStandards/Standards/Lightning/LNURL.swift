import PaymentCore
import PaymentCrypto

/// The address of a service that answers with a Lightning invoice (or a withdrawal, a channel, a login), or a Lightning
/// address `user@host`.
///
/// Source: LUD-01 (bech32), LUD-04 (login), LUD-16 (addresses), LUD-17 (schemes). Amount and payee are unknown until
/// the service has answered. An address may also be for e-mail only.
struct LNURL: PaymentStandard {
    static let id = "lnurl"
    static let specification = "LUD-01, LUD-04, LUD-16, LUD-17"
    static let ignoresUnknownParts = true
    static let patterns: [StandardPattern] =
        [
            .scheme("lightning", payloads: ["lnurl1", ""]), .scheme("lnurl"), .webParameter("lightning"), .mailbox,
            .bare(BareShape("lnurl1", ignoresCase: true, lengths: 8...8192, .alphanumeric)),
        ] + schemes.keys.sorted().map { .scheme($0) }

    /// The schemes of LUD-17 with the kinds of their services.
    private static let schemes: [String: Kind?] = [
        "lnurlp": .payRequest, "lnurlw": .withdrawRequest, "lnurlc": .channelRequest, "keyauth": nil,
    ]

    /// The kind of service, if the text states it.
    enum Kind: String, Sendable, Hashable {
        /// Answers with invoices to pay.
        case payRequest
        /// Pays the reader.
        case withdrawRequest
        /// Opens a channel to the reader.
        case channelRequest
    }

    let url: String
    /// The host of the service, as in the address.
    let domain: String
    /// The kind of service, if the text states it.
    private(set) var kind: Kind?
    private(set) var user: String?
    /// `login` if the text is a login (LUD-04).
    private(set) var tag: String?
    /// The data that a login signs, 32 bytes in hexadecimal.
    private(set) var challenge: String?
    /// The purpose of a login: `register`, `login`, `link` or `auth`.
    private(set) var action: String?

    init(_ source: inout PaymentText) throws(StandardDefect) {
        if source.link.isHTTP {
            let part = try LightningText.parameter(of: &source)
            do throws(StandardDefect) {
                try self.init(part, "lightning parameter", isBare: true)
            } catch {
                throw error.kind == .foreign ? part.defect(.foreign, "query", "has no LNURL") : error
            }
            return
        }
        let whole = LightningText.whole(of: &source)
        if let scheme = source.link.scheme.map(String.init), let kind = Self.schemes[scheme] {
            try self.init(service: whole, kind)
        } else if let (kind, rest) = Self.service(in: whole) {
            try self.init(service: rest, kind)
        } else {
            let payload = try LightningText.leavingParameters(of: whole, in: &source)
            try self.init(payload, "LNURL", isBare: source.link.scheme == nil)
        }
    }

    /// Returns the kind of service and the address after a scheme of LUD-17 inside another text, as in
    /// `lightning:lnurlp://host/path`; nil without such a scheme.
    private static func service(in part: TextPart) -> (Kind?, TextPart)? {
        let (scheme, rest) = part.cut(at: ":")
        guard let rest, scheme.count < 8, let kind = schemes[scheme.lowercased] else { return nil }
        return (kind, rest.starts(with: "//") ? rest.dropFirst(2) : rest)
    }

    /// Reads `part`, which its standard calls `name`. A bare text that is not an LNURL may be anything.
    init(_ part: TextPart, _ name: String, isBare: Bool) throws(StandardDefect) {
        let part = part.startsIgnoringCase("lnurl:") ? part.dropFirst(6) : part
        if let (kind, rest) = Self.service(in: part) {
            try self.init(service: rest, kind)
        } else if part.startsIgnoringCase("lnurl1"), !part.bytes.contains(UInt8(ascii: "@")) {
            try self.init(bech32: part, name)
        } else {
            try self.init(address: part, isBare: isBare)
        }
    }

    private init(bech32 part: TextPart, _ name: String) throws(StandardDefect) {
        let decoded = try Bech32(part, name, limit: PaymentLink.maximumLength)
        guard decoded.variant == .bech32, decoded.prefix == "lnurl" else {
            throw part.defect(.checksum, name, "has the checksum of another kind of text; ask for a new one")
        }
        guard let bytes = Bech32.bytes(of: decoded.groups), let text = String(validating: bytes, as: UTF8.self) else {
            throw part.defect(.encoding, name, "does not hold a UTF-8 text; ask for a new one")
        }
        try self.init(url: text, part, name)
    }

    /// Reads the address after a scheme of LUD-17. `lnurlp:host/path` occurs too.
    private init(service rest: TextPart, _ kind: Kind?) throws(StandardDefect) {
        let host = rest.prefix(rest.bytes.prefix { !"/?#:".utf8.contains($0) }.count)
        try self.init(url: "\(Self.isOnion(host.lowercased) ? "http" : "https")://\(rest.text)", rest, "address")
        self.kind = kind
    }

    private init(address part: TextPart, isBare: Bool) throws(StandardDefect) {
        let (user, host) = part.cut(at: "@")
        let kind: StandardDefect.Kind = isBare ? .foreign : .malformed
        let isUser = { (byte: UInt8) in byte &- 0x61 < 26 || byte.isASCIIDigit || "-_.".utf8.contains(byte) }
        guard let host, !user.isEmpty, user.bytes.allSatisfy(isUser) else {
            throw part.defect(kind, "Lightning address", "must be user@host, the user in a–z, 0–9, - _ and .")
        }
        guard host.bytes.contains(UInt8(ascii: ".")), let link = try? PaymentLink("https://\(host.text)/"),
            link.hostKind == .name || link.hostKind == .internationalName, link.port == nil, link.path == "/",
            let name = link.host.map(String.init)
        else { throw host.defect(kind, "Lightning address", "must end with a host's name") }
        url = "\(Self.isOnion(name) ? "http" : "https")://\(name)/.well-known/lnurlp/\(user.text)"
        domain = name
        self.user = user.text
        self.kind = .payRequest
    }

    /// Creates a value from the address `url`, which came from `part`.
    private init(url: String, _ part: TextPart, _ name: String) throws(StandardDefect) {
        let isPlain = url.hasPrefix("http://")
        guard isPlain || url.hasPrefix("https://") else {
            throw part.defect(.malformed, name, "does not lead to a web address; do not use it")
        }
        let rest = url.dropFirst(isPlain ? 7 : 8)
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.prefix { $0 != ":" }.lowercased()
        // A Tor service's name is not looked up, so any letters are allowed before its suffix.
        let isSound =
            Self.isOnion(host) && !url.utf8.allSatisfy { $0 < 0x80 }
            ? url.unicodeScalars.allSatisfy { $0.value > 0x20 && !"\\@\u{7F}".unicodeScalars.contains($0) }
            : (try? PaymentLink(url))?.isHTTP == true
        guard isSound, !host.isEmpty else {
            throw part.defect(.malformed, name, "leads to an address that browsers and wallets would read differently")
        }
        guard !isPlain || Self.isOnion(host) else {
            throw part.defect(.malformed, name, "leads to a service without encryption; ask for an https address")
        }
        // LUD-01: https on the open web, or http on an onion service, where Tor encrypts.
        guard isPlain || !Self.isOnion(host) else {
            throw part.defect(
                .malformed, name,
                "leads to an onion service by https, for which no certificate is to be had; ask for http")
        }
        self.url = url
        domain = host
        try readLogin(part, name)
    }

    private mutating func readLogin(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard let query = url.split(separator: "?", maxSplits: 1).dropFirst().first else { return }
        let items = QueryItems(query.prefix { $0 != "#" })
        func value(_ key: String) -> String? { items.first { $0.name == key }.map { String($0.value) } }
        tag = value("tag")
        guard tag == "login" else { return }
        action = value("action")
        challenge = value("k1")
        guard let challenge, challenge.utf8.count == 64, Hex.decode(challenge)?.count == 32 else {
            throw part.defect(.malformed, "k1", "of a login must be 32 bytes in hexadecimal")
        }
        guard ["register", "login", "link", "auth", nil].contains(action) else {
            throw part.defect(.malformed, "action", "must be register, login, link or auth")
        }
    }

    private static func isOnion(_ host: String) -> Bool { host.hasSuffix(".onion") }

    var fields: InstructionFields {
        var fields: InstructionFields = ["url": .string(url), "domain": .string(domain)]
        fields.set("user", user)
        fields.set("kind", kind?.rawValue)
        fields.set("tag", tag)
        fields.set("k1", challenge)
        fields.set("action", action)
        return fields
    }

    /// Asks the service. Only its answer shows the effect.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: user.map { "\($0)@\(domain)" } ?? domain, check: .none)
            instruction.network = "lightning"
            instruction.amount = .onService
            instruction.warnings = [.followsURL]
            if kind == .channelRequest { instruction.name = .init("a Lightning channel request (LNURL)") }
            if tag == "login" { instruction.name = .init("a Lightning login (LNURL-auth)") }
            if tag == "login" || kind == .channelRequest { instruction.purpose = .information }
            if kind == .withdrawRequest || tag == "withdrawRequest" {
                instruction.name = .init("a Lightning withdrawal (LNURL-withdraw)", opensIn: "a Lightning wallet")
                instruction.purpose = .receipt
            }
            if user != nil {
                instruction.name = .init("a Lightning address (LUD-16)", opensIn: "a Lightning wallet")
                instruction.warnings.append(.missingChecksum)
                // Only the host knows which one applies. BIP-353 may be tried first.
                instruction.otherReadings = ["bip353", "e-mail"]
                instruction.warnings.append(.otherReadings)
            }
        }
    }
}

/// The common parts of Lightning's standards.
enum LightningText {
    /// Takes and returns a bare text, the text after the scheme (and `//`, which some add), or the value of a web
    /// page's parameter `lightning` (LUD-01). The page is for people without a wallet. Parameters after the text are
    /// left.
    ///
    /// - Throws: ``StandardDefect`` of kind `foreign` for a web page without the parameter.
    static func payload(of source: inout PaymentText) throws(StandardDefect) -> TextPart {
        if source.link.isHTTP { return try parameter(of: &source) }
        return try leavingParameters(of: whole(of: &source), in: &source)
    }

    /// Takes and returns a bare text or all of the text after the scheme.
    static func whole(of source: inout PaymentText) -> TextPart {
        let payload = source.payload().trimmed
        return source.link.form == .web ? payload.dropFirst(2) : payload
    }

    /// Returns `whole` without its query and fragment. They are left.
    static func leavingParameters(
        of whole: TextPart, in source: inout PaymentText
    ) throws(StandardDefect) -> TextPart {
        let (rest, fragment) = whole.cut(at: "#")
        if let fragment, !fragment.isEmpty { source.leave("#", fragment.text) }
        let (payload, query) = rest.cut(at: "?")
        try source.query(query, QueryReader.none) { _, _ in }
        return payload
    }

    private static let reader = QueryReader(QueryRules(foldsNames: true), known: ["lightning"])

    /// Takes and returns the value of a web page's parameter `lightning`, without a scheme before it.
    static func parameter(of source: inout PaymentText) throws(StandardDefect) -> TextPart {
        var found: TextPart?
        try source.query(reader) { key, parameter throws(StandardDefect) in
            if key == "lightning" { found = try reader.text(parameter, key) }
        }
        _ = source.path()
        guard let found, !found.isEmpty else { throw source.all().defect(.foreign, "query", "has no Lightning text") }
        return found.startsIgnoringCase("lightning:") ? found.dropFirst(10) : found
    }

    /// Returns an amount of thousandths of a satoshi: in satoshi if it is whole, otherwise as finely as needed.
    static func amount(msat: UInt64) -> PaymentInstruction.Amount {
        let isWhole = msat % 1000 == 0
        let money = try? Money(
            minorUnits: UInt128(isWhole ? msat / 1000 : msat), currency: .satoshi, exponent: isWhole ? 8 : 11)
        return money.map { .fixed($0) } ?? .uncounted(digits: String(msat), unit: "msat")
    }
}
