import PaymentCore
import PaymentCrypto

/// An account of the XRP Ledger, or a link to pay one. Source: XLS-5 for addresses; for links XLS-2 and the practice of
/// wallets.
///
/// At exchanges, the destination tag decides which customer receives the money. A missing tag cannot be repaired.
struct XRP: PaymentStandard {
    static let id = "xrp"
    /// The address and the link.
    static let ids = [id, "xrp-link"]
    static let specification = "XLS-5, XLS-2"
    /// `r…:123` looks like a URI of an unknown scheme.
    static let patterns: [StandardPattern] =
        ["xrpl", "xrp", "ripple"].map { .scheme($0) } + [
            .otherScheme, .webParameter("to"), .bare(BareShape("r", lengths: 25...35, .base58)),
            .bare(BareShape("X", lengths: 46...48, .base58)), .bare(BareShape("T", lengths: 46...48, .base58)),
            .bare(BareShape("r", lengths: 28...200, .visible)), .bare(BareShape("s", lengths: 29...31, .base58)),
        ]

    private let address: XRPAddress
    private let isLink: Bool
    /// The amount in XRP, as written.
    private(set) var amount: String?
    private var linkTag: UInt32?

    var tag: UInt32? { linkTag ?? address.tag }

    private static let reader = QueryReader(QueryRules(), known: ["dt", "tag", "amount", "to"])
    private static let bareReader = QueryReader(QueryRules(), known: ["dt", "tag", "amount"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        switch source.link.scheme.map(String.init) {
        case "xrpl", "xrp", "ripple":
            let rest = source.payload()
            try self.init(link: rest.starts(with: "//") ? rest.dropFirst(2) : rest, isBare: false, &source)
        case "https": try self.init(web: &source)
        case "http": throw source.all().defect(.foreign, "link", "is not encrypted")
        case nil: try self.init(link: source.all().trimmed, isBare: true, &source)
        default:
            // The scanner lowercased the address as a scheme.
            source.takeAll()
            let link = source.link
            let written = TextPart(bytes: Array((link.spelling ?? link.text).utf8)[...])
            try self.init(link: written, isBare: true, &source)
        }
    }

    /// The parameters that a link may have.
    private struct Parameters {
        var to: QueryParameter?
        var amount: QueryParameter?
        var dt: QueryParameter?
        var tag: QueryParameter?

        mutating func set(_ name: String, _ parameter: QueryParameter) {
            switch name {
            case "to": to = parameter
            case "amount": amount = parameter
            case "dt": dt = parameter
            case "tag": tag = parameter
            default: break
            }
        }
    }

    /// Reads a web link of any host with an address as `to` and the other parameters of an XRP link. Wallets take such
    /// links by their parameters. The page is for people without a wallet.
    private init(web source: inout PaymentText) throws(StandardDefect) {
        var parts = Parameters()
        try source.query(Self.reader) { key, parameter in parts.set(key, parameter) }
        guard let to = parts.to else { throw source.all().defect(.foreign, "link", "has no address") }
        _ = source.path()
        do throws(StandardDefect) {
            address = try XRPAddress(try Self.reader.text(to, "to"), "address")
        } catch {
            guard error.kind != .secret else { throw error }
            throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
        isLink = true
        try take(parts, tagged: nil)
    }

    private init(link part: TextPart, isBare: Bool, _ source: inout PaymentText) throws(StandardDefect) {
        let (head, query) = part.cut(at: "?")
        if query == nil, !isBare { try part.checkQueryMark() }
        if query == nil, isBare, let address = part.split(at: "&").dropLast().first,
            (try? XRPAddress(address, "address")) != nil
        {
            try part.checkQueryMark()
        }
        let (body, number) = head.cut(at: ":")
        do throws(StandardDefect) {
            address = try XRPAddress(body, "address")
        } catch {
            guard isBare, error.kind != .secret else { throw error }
            throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
        isLink = !isBare || query != nil || number != nil
        if let number { linkTag = try Self.readTag(number) }
        var parts = Parameters()
        // The address is before the query. A second one would be another payee.
        try source.query(query, Self.bareReader) { key, parameter in parts.set(key, parameter) }
        try take(parts, tagged: number)
    }

    /// Reads the parameters of a link. Its address has been read, and `number` is a tag next to it.
    private mutating func take(_ parts: Parameters, tagged number: TextPart?) throws(StandardDefect) {
        var tagPart = number
        for (key, parameter) in [("dt", parts.dt), ("tag", parts.tag)] {
            guard let parameter else { continue }
            guard tagPart == nil else {
                throw parameter.name.defect(.duplicate, "destination tag", "stands twice; one counts")
            }
            tagPart = try Self.reader.text(parameter, key)
        }
        let amountPart = try parts.amount.map { part throws(StandardDefect) in try Self.reader.text(part, "amount") }
        if let tagPart {
            linkTag = try Self.readTag(tagPart)
            guard address.tag == nil || address.tag == linkTag else {
                throw tagPart.defect(.mismatch, "destination tag", "differs from the one inside the address")
            }
        }
        if let amountPart {
            amount = try DecimalText(amountPart, "amount", DecimalRules(fractionDigits: 6, wholeDigits: 12)).text
        }
    }

    private static func readTag(_ part: TextPart) throws(StandardDefect) -> UInt32 {
        guard part.isDigits, let tag = UInt32(part.text) else {
            throw part.defect(.range, "destination tag", "must be a whole number up to 4294967295")
        }
        return tag
    }

    /// `xrp`, or `xrp-link` for more than an address.
    var standard: String { isLink ? Self.ids[1] : Self.id }

    var fields: InstructionFields {
        if isLink {
            var fields: InstructionFields = ["to": .string(address.text)]
            fields.set("amount", amount)
            fields.set("tag", tag)
            return fields
        }
        var fields: InstructionFields = ["form": .string(address.isMainnet == nil ? "classic" : "x-address")]
        fields.set("network", address.isMainnet.map { $0 ? "mainnet" : "testnet" })
        fields.set("accountId", Hex.encode(address.account))
        fields.set("classic", address.classic)
        fields["tag"] = address.tag.map { .number(JSONNumber($0)) } ?? .null
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address.classic, check: .checksum)
            instruction.network = address.isMainnet == false ? "xrpl:1" : ChainCoin.xrp.chain
            instruction.reference = tag.map { String($0) }
            if tag == nil { instruction.warnings.append(.missingTag) }
            if address.isMainnet == false { instruction.warnings.append(.testNetwork) }
            if let amount, let decimal = try? DecimalText(TextPart(decoded: amount, at: 0), "amount", DecimalRules()) {
                instruction.amount = ChainCoin.xrp.amount(decimal)
            }
        }
    }
}

/// An account of the XRP Ledger. Source: XRPL's address encodings; XLS-5 for addresses with a tag inside.
struct XRPAddress: Sendable, Hashable {
    let text: String
    /// The account, 20 bytes.
    let account: [UInt8]
    /// True if an X-address is of the main network; nil for classic ones, which do not state it.
    let isMainnet: Bool?
    /// The destination tag inside.
    let tag: UInt32?

    private static let secret = "is a secret seed: anyone who has seen it can take the money; move it to a new account"

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard let bytes = Base58Check.decode(part, .ripple) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        text = part.text
        if bytes.count == 21, bytes[0] == 0 {
            account = Array(bytes[1...])
            (isMainnet, tag) = (nil, nil)
            return
        }
        if bytes.count == 17 && bytes[0] == 0x21
            || bytes.count == 19 && bytes[0] == 0x01 && bytes[1] == 0xE1 && bytes[2] == 0x4B
        {
            throw part.defect(.secret, name, Self.secret)
        }
        let prefix = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let isMainnet = prefix == 0x0544
        guard bytes.count == 31, isMainnet || prefix == 0x0493 else {
            throw part.defect(.malformed, name, "is no account of the XRP Ledger")
        }
        let number = bytes[23...].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard bytes[22] <= 1, number <= UInt64(UInt32.max), bytes[22] == 1 || number == 0 else {
            throw part.defect(.range, name, "holds a destination tag that cannot be; ask for another address")
        }
        account = Array(bytes[2..<22])
        self.isMainnet = isMainnet
        tag = bytes[22] == 1 ? UInt32(number) : nil
    }

    /// The classic address: the account without tag and network.
    var classic: String { isMainnet == nil ? text : Base58Check.encode([0] + account, .ripple) }
}
