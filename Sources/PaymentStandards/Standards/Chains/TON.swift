import PaymentCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An account of TON, or a link to pay one. Source: TEP-2; for links `ton://transfer/` as its wallets read it.
struct TON: PaymentStandard {
    static let id = "ton-link"
    /// The link and the bare address.
    static let ids = [id, "ton-address"]
    static let specification = "TEP-2; ton://transfer"
    static let patterns: [StandardPattern] = [
        .scheme("ton"), .host("app.tonkeeper.com"), .host("tonhub.com"), .bare(BareShape(lengths: 48...48, .base64)),
        .bare(BareShape("0:", lengths: 66...66, .visible)), .bare(BareShape("-1:", lengths: 67...67, .visible)),
    ]

    private let address: TONAddress
    private let isLink: Bool
    private let host: String?
    /// Nanoton, or a token's smallest units.
    private var amount: UInt128?
    /// The token that is paid; nil for TON.
    private(set) var jetton: String?
    /// A text for the payee, public on the chain.
    private(set) var comment: String?
    private var binary: String?
    private var initialState: String?
    private var expires: UInt64?

    private static let reader = QueryReader(
        QueryRules(), known: ["amount", "text", "bin", "init", "jetton", "exp"])
    /// 15 November 2019, the start of TON. A deadline before it was never valid.
    private static let start: UInt64 = 1_573_776_000

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        guard link.scheme != nil else {
            (isLink, host) = (false, nil)
            do throws(StandardDefect) {
                address = try TONAddress(source.all().trimmed, "address")
            } catch {
                // The first byte of an account leads to one of these beginnings.
                let isMeant = ["EQ", "UQ", "kQ", "0Q", "Ef", "Uf", "kf", "0f"].contains(link.text.prefix(2))
                throw isMeant ? error : StandardDefect(.foreign, error.part, at: error.offset, error.advice)
            }
            return
        }
        isLink = true
        host = link.isHTTP ? link.host.map(String.init) : nil
        guard !link.isPlainHTTP else { throw StandardDefect(.malformed, "link", at: 0, "must be an https link") }
        if link.isHTTP {
            guard path.starts(with: "/transfer/") else {
                throw path.defect(.foreign, "action", "is not a transfer")
            }
            address = try TONAddress(path.dropFirst("/transfer/".utf8.count), "address")
        } else {
            guard source.authority?.equals("transfer") == true else {
                throw (source.authority ?? path).defect(.unsupported, "action", "must be transfer")
            }
            address = try TONAddress(path.dropFirst(1), "address")
        }
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            try take(key, try Self.reader.text(parameter, key))
        }
    }

    private mutating func take(_ key: String, _ value: TextPart) throws(StandardDefect) {
        switch key {
        case "amount":
            let decimal = try DecimalText(value, key, DecimalRules(fractionDigits: 0, wholeDigits: 38))
            amount = decimal.units(exponent: 0)
        case "text", "bin":
            guard comment == nil, binary == nil else {
                throw value.defect(.mismatch, key, "must not stand beside the other of text and bin")
            }
            if key == "text" { comment = value.text } else { binary = value.text }
        case "init": initialState = value.text
        case "jetton":
            _ = try TONAddress(value, key)
            jetton = value.text
        case "exp":
            guard value.isDigits, let time = UInt64(value.text), time < 1 << 40 else {
                throw value.defect(.malformed, key, "must be a time in seconds")
            }
            guard time >= Self.start else { throw value.defect(.range, key, "is long past; ask for a new link") }
            expires = time
        default: break
        }
    }

    /// `ton-address` for a bare address, otherwise `ton-link`.
    var standard: String { isLink ? Self.id : Self.ids[1] }

    var fields: InstructionFields {
        guard isLink else {
            var fields: InstructionFields = ["form": .string(address.flags == nil ? "raw" : "friendly")]
            fields.set("workchain", address.workchain)
            fields.set("hash", Hex.encode(address.hash))
            fields.set("bounceable", address.flags?.isBounceable)
            fields.set("testOnly", address.flags?.isTestOnly)
            return fields
        }
        var fields: InstructionFields = ["address": .string(address.text)]
        fields.set("host", host)
        if let amount {
            fields.set(jetton == nil ? "amountNano" : "jettonAmount", String(amount))
            if jetton == nil { fields.set("amount", ChainCoin.ton.digits(units: amount)) }
        }
        fields.set("jetton", jetton)
        fields.set("text", comment)
        fields.set("bin", binary)
        fields.set("init", initialState)
        fields.set("exp", expires)
        return fields
    }

    /// Pays the address. A payload or a first state makes it a call. The text does not show the call's effect.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address.text, check: address.flags == nil ? .none : .checksum)
            instruction.network = ChainCoin.ton.chain
            if let amount {
                instruction.amount =
                    jetton.map { .tokens(String(amount), of: "jetton:\($0)", isSmallest: true) }
                    ?? ChainCoin.ton.amount(units: amount, digits: ChainCoin.ton.digits(units: amount))
            }
            instruction.memo = comment
            instruction.expiresAt = expires.map { Date(timeIntervalSince1970: Double($0)) }
            if expires != nil { instruction.warnings.append(.expires) }
            if address.flags == nil { instruction.warnings.append(.missingChecksum) }
            if address.flags?.isTestOnly == true { instruction.warnings.append(.testNetwork) }
            if binary != nil || initialState != nil { instruction.warnings.append(.contractCall) }
        }
    }
}

/// An account of TON: `EQ…`, or workchain and hash. Source: TEP-2.
struct TONAddress: Sendable, Hashable {
    let text: String
    let workchain: Int8
    let hash: [UInt8]
    /// The flags: bounce of an unaccepted payment, and test networks only. Nil for the raw form, which has neither
    /// flags nor a checksum.
    let flags: Flags?

    struct Flags: Sendable, Hashable {
        let isBounceable: Bool
        let isTestOnly: Bool
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        text = part.text
        let (number, digits) = part.cut(at: ":")
        if let digits {
            guard number.equals("0") || number.equals("-1"), digits.count == 64, let hash = Hex.bytes(of: digits.bytes)
            else {
                throw part.defect(.malformed, name, "must be 0 or -1, a colon and 64 hexadecimal digits")
            }
            (self.hash, flags) = (hash, nil)
            workchain = number.equals("0") ? 0 : -1
            return
        }
        guard part.count == 48 else { throw part.defect(.length, name, "must have 48 characters; copy all of it") }
        guard let bytes = Base64Text.decode(part), bytes.count == 36 else {
            throw part.defect(.malformed, name, "must be base64 or base64url; copy it again")
        }
        let sum = CyclicRedundancy.crc16(bytes.prefix(34), initial: 0)
        guard bytes[34] == UInt8(sum >> 8), bytes[35] == UInt8(sum & 0xFF) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard bytes[0] & 0x7F == 0x11 || bytes[0] & 0x7F == 0x51, bytes[1] == 0 || bytes[1] == 0xFF else {
            throw part.defect(.malformed, name, "is of a kind or workchain that is not known")
        }
        workchain = Int8(bitPattern: bytes[1])
        hash = Array(bytes[2..<34])
        flags = Flags(isBounceable: bytes[0] & 0x40 == 0, isTestOnly: bytes[0] & 0x80 != 0)
    }
}
