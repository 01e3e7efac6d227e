public import PaymentCore
import PaymentCrypto

/// A `web+stellar:` link: a payment or a transaction to sign. Source: SEP-7.
///
/// A link that names its origin is signed, but only the origin's `stellar.toml` holds the key. An application with the
/// key calls ``isSigned(by:)``.
public struct SEP7: WritablePaymentStandard {
    /// `sep7`.
    public static let id = "sep7"
    /// The specification that it follows.
    public static let specification = "SEP-7"
    /// The beginnings of its texts.
    public static let patterns: [StandardPattern] = [.scheme("web+stellar")]

    /// The operation: `pay` or `tx`.
    let operation: String
    /// The parameters as decoded, by the specification's names.
    let parameters: [String: String]
    /// The signed text, as in the link; nil without a signature.
    private let signedText: String?

    /// All names that a link may have, in the order of the specification.
    private static let names = [
        "destination", "xdr", "replace", "amount", "asset_code", "asset_issuer", "memo", "memo_type", "callback",
        "pubkey", "chain", "msg", "network_passphrase", "origin_domain", "signature",
    ]
    private static let reader = QueryReader(
        QueryRules(plusIsSpace: true, refusesUnknownTwice: true), known: Set(names))

    /// Creates a value by reading `source`.
    ///
    /// - Throws: ``StandardDefect``, of kind `foreign` if the text was not meant to be of this standard.
    public init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        operation = path.text
        guard link.form == .opaque else {
            throw StandardDefect(
                .malformed, "operation", at: "web+stellar:".utf8.count,
                "must follow the colon, as in web+stellar:pay; remove the //")
        }
        guard operation == "pay" || operation == "tx" else {
            throw path.defect(.unsupported, "operation", "must be pay or tx")
        }
        var found: [String: TextPart] = [:]
        var last = ""
        var signatureStart: Int?
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            last = key
            guard parameter.isKnown else { return }
            found[key] = try Self.reader.text(parameter, key)
            if key == "signature" { signatureStart = parameter.name.offset }
        }
        if let signatureStart {
            guard last == "signature", signatureStart > 0 else {
                throw StandardDefect(
                    .malformed, "signature", at: signatureStart, "must be the last parameter; it covers all before it")
            }
            signedText = String(decoding: Array(link.text.utf8)[..<(signatureStart - 1)], as: UTF8.self)
        } else {
            signedText = nil
        }
        parameters = found.mapValues(\.text)
        try SEP7Rules.check(operation, found, end: link.text.utf8.count)
    }

    /// Creates an unsigned link to pay `destination`; nil if a parameter would not be read back.
    ///
    /// - Parameters:
    ///   - destination: An account (`G…`) or a muxed one (`M…`).
    ///   - parameters: Further parameters by the specification's names, such as `amount` and `memo`.
    public init?(destination: String, parameters: [String: String] = [:]) {
        operation = "pay"
        self.parameters = parameters.merging(["destination": destination]) { $1 }
        signedText = nil
        guard let again = try? SEP7(text: text), again == self else { return nil }
    }

    /// Returns true if the owner of `publicKey` signed the link; false without a signature.
    ///
    /// The key is the `URI_REQUEST_SIGNING_KEY` in `https://<origin_domain>/.well-known/stellar.toml`. A link that
    /// names an origin and is not signed by it must be refused.
    ///
    /// - Parameter publicKey: An account (`G…`).
    public func isSigned(by publicKey: String) -> Bool {
        guard let key = try? StellarKey(TextPart(decoded: publicKey, at: 0), "key"), key.kind == .account,
            let signedText, let text = parameters["signature"],
            let signature = Base64Text.decode(TextPart(decoded: text, at: 0))
        else { return false }
        let message = [UInt8](repeating: 0, count: 35) + [4] + Array("stellar.sep.7 - URI Scheme\(signedText)".utf8)
        return Ed25519.isValid(signature, message: message, publicKey: key.payload)
    }

    /// The fields of `sep7`.
    public var fields: InstructionFields {
        var fields: InstructionFields = ["operation": .string(operation)]
        for name in Self.names { fields.set(name, parameters[name]) }
        return fields
    }

    /// Pays the destination, or signs the transaction.
    public var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = ChainCoin.stellar.chain
            instruction.memo = parameters["msg"]
            instruction.reference = parameters["memo"]
            if let passphrase = parameters["network_passphrase"], passphrase != SEP7Rules.publicNetwork {
                instruction.network = "stellar"
                instruction.warnings.append(.testNetwork)
            }
            if parameters["callback"] != nil { instruction.warnings.append(.followsURL) }
            // A signature proves nothing until it is checked with the origin's key.
            instruction.warnings.append(.unsignedOrigin)
            guard operation == "pay" else {
                instruction.amount = .onService
                instruction.warnings.append(.contractCall)
                return
            }
            instruction.payee = .init(account: parameters["destination"], check: .checksum)
            if parameters["memo"] == nil, parameters["destination"]?.hasPrefix("G") == true {
                instruction.warnings.append(.missingTag)
            }
            guard let text = parameters["amount"],
                let decimal = try? DecimalText(TextPart(decoded: text, at: 0), "amount", DecimalRules())
            else { return }
            if let code = parameters["asset_code"], let issuer = parameters["asset_issuer"] {
                instruction.amount = .tokens(text, of: "\(code):\(issuer)", isSmallest: false)
            } else {
                instruction.amount = ChainCoin.stellar.amount(decimal)
            }
        }
    }

    /// The canonical link. Of a signed link, it is the signed text, unchanged.
    public var text: String {
        if let signedText, let signature = parameters["signature"] {
            return "\(signedText)&signature=\(PercentCoding.encode(signature))"
        }
        return "web+stellar:\(operation)\(PercentCoding.query(Self.names.map { ($0, parameters[$0]) }))"
    }
}

/// The rules for the parameters of a `web+stellar:` link. Source: SEP-7.
enum SEP7Rules {
    /// The passphrase of the public network, the default.
    static let publicNetwork = "Public Global Stellar Network ; September 2015"
    /// The most levels of nested requests.
    private static let maximumChain = 7

    /// Checks `parts`. `end` is the place of the text's end.
    static func check(_ operation: String, _ parts: [String: TextPart], end: Int) throws(StandardDefect) {
        if operation == "pay" {
            try checkPayment(parts, end)
        } else {
            guard let envelope = parts["xdr"] else {
                throw StandardDefect(.missing, "xdr", at: end, "is missing; it holds the transaction")
            }
            guard !envelope.isEmpty, Base64Text.decode(envelope) != nil else {
                throw envelope.defect(.encoding, "xdr", "must be base64")
            }
            if let replace = parts["replace"] { try checkReplacements(replace) }
        }
        try checkCommon(parts, end)
    }

    private static func checkPayment(_ parts: [String: TextPart], _ end: Int) throws(StandardDefect) {
        guard let destination = parts["destination"] else {
            throw StandardDefect(.missing, "destination", at: end, "is missing; it says who is paid")
        }
        let key = try StellarKey(destination, "destination")
        guard [.account, .muxed, .contract].contains(key.kind) else {
            throw destination.defect(.malformed, "destination", "is nothing that can be paid")
        }
        if let amount = parts["amount"] {
            let decimal = try DecimalText(amount, "amount", DecimalRules(fractionDigits: 7, wholeDigits: 20))
            guard let units = decimal.units(exponent: 7), units <= UInt128(Int64.max) else {
                throw amount.defect(.range, "amount", "is more than 922337203685.4775807, the most there can be")
            }
        }
        switch (parts["asset_code"], parts["asset_issuer"]) {
        case (let code?, let issuer?):
            guard 1...12 ~= code.count, code.bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit }) else {
                throw code.defect(.malformed, "asset_code", "must be 1 to 12 letters and digits")
            }
            guard try StellarKey(issuer, "asset_issuer").kind == .account else {
                throw issuer.defect(.malformed, "asset_issuer", "must be an account")
            }
        case (let code?, nil): throw code.defect(.mismatch, "asset_code", "must not stand without asset_issuer")
        case (nil, let issuer?): throw issuer.defect(.mismatch, "asset_issuer", "must not stand without asset_code")
        case (nil, nil): break
        }
        try checkMemo(parts)
    }

    private static func checkMemo(_ parts: [String: TextPart]) throws(StandardDefect) {
        guard let memo = parts["memo"] else {
            if let type = parts["memo_type"] {
                throw type.defect(.mismatch, "memo_type", "must not stand without memo")
            }
            return
        }
        switch parts["memo_type"]?.text ?? "MEMO_TEXT" {
        case "MEMO_TEXT":
            guard memo.count <= 28 else { throw memo.defect(.length, "memo", "has more than 28 bytes; shorten it") }
        case "MEMO_ID":
            guard memo.isDigits, UInt64(memo.text) != nil else {
                throw memo.defect(.range, "memo", "must be a whole number below 2^64")
            }
        case "MEMO_HASH", "MEMO_RETURN":
            guard Base64Text.decode(memo)?.count == 32 else {
                throw memo.defect(.length, "memo", "must be 32 bytes in base64")
            }
        default:
            throw (parts["memo_type"] ?? memo).defect(
                .unsupported, "memo_type", "must be MEMO_TEXT, MEMO_ID, MEMO_HASH or MEMO_RETURN")
        }
    }

    private static func checkCommon(_ parts: [String: TextPart], _ end: Int) throws(StandardDefect) {
        if let callback = parts["callback"] {
            guard callback.starts(with: "url:"), let link = try? PaymentLink(callback.dropFirst(4).text), link.isHTTP
            else { throw callback.defect(.malformed, "callback", "must be url: and a web address") }
        }
        if let key = parts["pubkey"], try StellarKey(key, "pubkey").kind != .account {
            throw key.defect(.malformed, "pubkey", "must be an account")
        }
        if let message = parts["msg"] { _ = try message.limited(to: 300, "msg") }
        if let chain = parts["chain"] { try checkChain(chain) }
        guard let domain = parts["origin_domain"] else { return }
        guard (try? PaymentLink("https://\(domain.text)/"))?.hostKind == .name,
            !domain.bytes.contains(UInt8(ascii: "/"))
        else { throw domain.defect(.malformed, "origin_domain", "must be a domain's name") }
        guard let signature = parts["signature"] else {
            throw StandardDefect(.missing, "signature", at: end, "is missing; a named origin must sign")
        }
        guard Base64Text.decode(signature)?.count == 64 else {
            throw signature.defect(.signature, "signature", "must be 64 bytes in base64")
        }
    }

    /// Checks requests within requests. Each level is encoded again, so a few levels fill any link.
    private static func checkChain(_ chain: TextPart) throws(StandardDefect) {
        var text = chain.text
        for depth in 1... {
            guard text.hasPrefix("web+stellar:") else {
                throw chain.defect(.malformed, "chain", "must be another web+stellar: link")
            }
            let items = QueryItems(text.split(separator: "?", maxSplits: 1).dropFirst().first ?? "")
            guard let inner = items.first(where: { $0.name == "chain" })?.decodedValue else { return }
            guard depth < maximumChain else {
                throw chain.defect(.length, "chain", "holds more than \(maximumChain) links within each other")
            }
            text = inner
        }
    }

    /// Checks `path:id,…;id:hint,…`, with the same ids on both sides.
    private static func checkReplacements(_ part: TextPart) throws(StandardDefect) {
        let (fields, hints) = part.cut(at: ";")
        func ids(_ list: TextPart, _ takesLast: Bool) -> Set<String> {
            Set(
                list.split(at: ",").map { item in
                    let (head, tail) = item.cut(at: ":")
                    return takesLast ? tail?.text ?? "" : head.text
                })
        }
        let used = ids(fields, true)
        guard !used.contains(""), used == hints.map({ ids($0, false) }) ?? [] else {
            throw part.defect(.mismatch, "replace", "must explain each field that is to be filled in, and no other")
        }
    }
}

/// The text form of Stellar's accounts, contracts and other names. Source: SEP-23.
struct StellarKey: PaymentStandard {
    static let id = "strkey"
    static let specification = "SEP-23"
    static let patterns: [StandardPattern] =
        ["G", "C", "T", "X", "L", "B", "S"].map { .bare(BareShape($0, lengths: 56...58, .base32)) } + [
            .bare(BareShape("M", lengths: 69...69, .base32)), .bare(BareShape("P", lengths: 69...165, .base32)),
        ]

    /// The kinds of keys and hashes.
    enum Kind: String, Sendable, Hashable {
        /// An account, by its Ed25519 key.
        case account
        /// An account and a number for its owner to distinguish payers.
        case muxed
        case contract
        /// A signer that also needs a payload.
        case signedPayload = "signed-payload"
        /// A hash of a transaction that is signed beforehand.
        case preauthTransaction = "pre-authorized-transaction"
        /// A hash whose preimage signs.
        case hashSigner = "hash-x"
        /// A pool of liquidity.
        case liquidityPool = "liquidity-pool"
        /// Money that a named account may claim.
        case claimableBalance = "claimable-balance"
    }

    let text: String
    let kind: Kind
    /// The bytes, without version and checksum.
    let payload: [UInt8]

    /// A bare text is recognised by its checksum. The most common kinds are also recognised by beginning and length.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        do throws(StandardDefect) {
            try self.init(source.all().trimmed, "key")
        } catch {
            let isMeant =
                source.link.text.hasPrefix("G") || source.link.text.hasPrefix("M") || source.link.text.hasPrefix("P")
            guard error.kind != .secret, !isMeant else { throw error }
            throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard let bytes = Base32.standard.bytes(of: part.bytes), bytes.count > 3 else {
            throw part.defect(.malformed, name, "must be capitals and the digits 2 to 7; copy all of it")
        }
        let (body, sum) = (bytes.dropLast(2), bytes.suffix(2))
        let crc = CyclicRedundancy.crc16(body, initial: 0)
        guard sum.first == UInt8(crc & 0xFF), sum.last == UInt8(crc >> 8) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        payload = Array(body.dropFirst())
        text = part.text
        if bytes[0] == 0x90 {
            throw part.defect(
                .secret, name, "is a secret seed: anyone who has seen it can take the money; move it to a new account")
        }
        guard let (kind, count) = Self.kinds[bytes[0]] else {
            throw part.defect(.unsupported, name, "is of a kind that is not known")
        }
        let isSound =
            switch kind {
            case .signedPayload: Self.isSignedPayload(payload)
            case .claimableBalance: payload.count == count && payload[0] == 0
            default: payload.count == count
            }
        guard isSound else { throw part.defect(.length, name, "does not hold what its kind must hold") }
        self.kind = kind
    }

    /// The kinds by first byte, and the number of bytes after it.
    private static let kinds: [UInt8: (Kind, Int?)] = [
        0x30: (.account, 32), 0x60: (.muxed, 40), 0x10: (.contract, 32), 0x78: (.signedPayload, nil),
        0x98: (.preauthTransaction, 32), 0xB8: (.hashSigner, 32), 0x58: (.liquidityPool, 32),
        0x08: (.claimableBalance, 33),
    ]

    /// Returns true for a key, the payload's length from 1 to 64, and the payload filled up with zeros to whole words.
    private static func isSignedPayload(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 36 else { return false }
        let length = bytes[32..<36].reduce(0) { $0 << 8 | Int($1) }
        return 1...64 ~= length && bytes.count == 36 + (length + 3) / 4 * 4
            && bytes[(36 + length)...].allSatisfy { $0 == 0 }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["kind": .string(kind.rawValue), "payload": .string(Hex.encode(payload))]
        if kind == .muxed {
            fields.set("ed25519", Hex.encode(payload[..<32]))
            fields.set("id", String(payload[32...].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }))
        }
        return fields
    }

    /// Pays an account or contract. The other kinds are not payees.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: text, check: .checksum)
            instruction.network = ChainCoin.stellar.chain
            switch kind {
            case .account: instruction.warnings = [.missingTag]
            case .muxed, .contract: break
            default: instruction.purpose = .information
            }
        }
    }
}
