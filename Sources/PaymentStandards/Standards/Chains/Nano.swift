import PaymentCore
import PaymentCrypto

/// A `nano:` link or a bare Nano account. Source: docs.nano.org, "URI and QR Code Standards" and "Account identifiers".
struct Nano: PaymentStandard {
    static let id = "nano"
    static let specification = "Nano URI and QR code standards"
    /// Links with keys and seeds are known so that they can be refused by name.
    static let patterns: [StandardPattern] =
        ["nano", "xrb", "nanoseed", "nanokey", "nanorep", "nanosign"].map { .scheme($0) }
        + [("nano_", 65), ("xrb_", 64)].map { .bare(BareShape($0, lengths: ($1 - 4)...($1 + 4), .visible)) }

    /// The payee, as written.
    let address: String
    /// The account's key, 32 bytes.
    let publicKey: [UInt8]
    /// The amount in raw. One nano is 10³⁰ raw.
    private(set) var raw: UInt128?
    private(set) var label: String?
    private(set) var message: String?

    private static let reader = QueryReader(QueryRules(), known: ["amount", "label", "message"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard let scheme = link.scheme else {
            (address, publicKey) = try Self.account(source.all().trimmed)
            return
        }
        switch scheme {
        case "nano", "xrb": break
        case "nanoseed", "nanokey":
            throw StandardDefect(
                .secret, "link", at: 0, "holds a key: anyone who has seen it can take the money; move it")
        default: throw StandardDefect(.unsupported, "link", at: 0, "is no payment; open it in a Nano wallet")
        }
        let path = source.path()
        guard link.form == .opaque else {
            throw StandardDefect(
                .malformed, "account", at: scheme.utf8.count + 1, "must follow the colon; remove the //")
        }
        try path.checkQueryMark()
        (address, publicKey) = try Self.account(path)
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            let value = try Self.reader.text(parameter, key)
            switch key {
            case "amount": raw = try Self.amount(value)
            case "label": label = value.text
            case "message": message = value.text
            default: break
            }
        }
    }

    private static func account(_ part: TextPart) throws(StandardDefect) -> (String, [UInt8]) {
        let mark = part.starts(with: "nano_") ? 5 : part.starts(with: "xrb_") ? 4 : 0
        guard mark > 0 else { throw part.defect(.malformed, "account", "must begin with nano_") }
        let body = part.dropFirst(mark)
        guard body.count == 60 else {
            throw part.defect(.length, "account", "must have 60 characters behind \(mark == 5 ? "nano_" : "xrb_")")
        }
        guard body.bytes.first == UInt8(ascii: "1") || body.bytes.first == UInt8(ascii: "3"),
            let groups = Base32.nano.values(of: body.bytes)
        else { throw body.defect(.malformed, "account", "has a wrong character; copy it again") }
        // Four zero bits precede the key.
        var key = Self.bytes([0, 0, 0, 0] + groups[..<52])
        key.removeFirst(3)
        let sum = Self.bytes(groups[52...])
        guard BLAKE2b.hash(key, byteCount: 5).reversed().elementsEqual(sum) else {
            throw part.defect(
                .checksum, "account", "the checksum does not match: at least one character is wrong; copy it again")
        }
        return (part.text, key)
    }

    /// Returns the bytes of `groups`. Their number is a multiple of eight.
    private static func bytes(_ groups: some Collection<UInt8>) -> [UInt8] { Bech32.bytes(of: groups) ?? [] }

    private static func amount(_ value: TextPart) throws(StandardDefect) -> UInt128 {
        let rules = DecimalRules(fractionDigits: 0, wholeDigits: 39, allowsLeadingZeros: false)
        let text = try DecimalText(value, "amount", rules).text
        guard let raw = UInt128(text) else {
            throw value.defect(.range, "amount", "is more than 2^128 - 1 raw, the most there can be")
        }
        return raw
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["address": .string(address), "publicKey": .string(Hex.encode(publicKey))]
        if let raw {
            fields.set("amountRaw", String(raw))
            fields.set("amount", ChainCoin.nano.digits(units: raw))
            fields.set("currency", ChainCoin.nano.symbol)
        }
        fields.set("label", label)
        fields.set("message", message)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address, name: label, check: .checksum)
            instruction.network = ChainCoin.nano.chain
            if let raw {
                instruction.amount = ChainCoin.nano.amount(units: raw, digits: ChainCoin.nano.digits(units: raw))
            }
            instruction.memo = message
            // Money to the key of zeros is destroyed.
            if publicKey.allSatisfy({ $0 == 0 }) {
                instruction.warnings.append(InstructionWarning(rawValue: "burns-money"))
            }
        }
    }
}
