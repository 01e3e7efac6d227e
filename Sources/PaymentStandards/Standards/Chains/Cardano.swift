import PaymentCore
import PaymentCrypto

/// A `web+cardano:` link or a bare Cardano address. Only payment links pay. Others delegate, claim or only name an
/// address. Source: CIP-13, CIP-19, CIP-99, CIP-134.
struct Cardano: PaymentStandard {
    static let id = "cip13"
    /// The payment link, the bare address, the claim and the address link.
    static let ids = [id, "cip19", "cip99", "cip134"]
    static let specification = "CIP-13, CIP-19, CIP-99, CIP-134"
    static let patterns: [StandardPattern] =
        ["web+cardano", "cardano"].map { .scheme($0) }
        + ["addr1", "addr_test1", "stake1", "stake_test1"].map {
            .bare(BareShape($0, ignoresCase: true, lengths: 40...200, .visible))
        } + ["Ae2", "DdzFF", "37bt"].map { .bare(BareShape($0, lengths: 55...120, .base58)) }

    private enum Content: Hashable {
        case address(CardanoAddress)
        case payment(CardanoAddress, amount: DecimalText?)
        case addressLink(CardanoAddress)
        case stake([Pool])
        case claim(faucet: String, code: String)
    }

    /// A stake pool and its share.
    private struct Pool: Hashable {
        let name: String
        let weight: String?
    }

    private let content: Content
    /// The maximum supply of ada: 45 billion.
    private static let maximum: UInt128 = 45_000_000_000_000_000

    private static let amountReader = QueryReader(QueryRules(), known: ["amount"])
    private static let poolReader = QueryReader(
        QueryRules(refusesUnknownTwice: true), known: [], takes: { _ in true })
    private static let claimReader = QueryReader(QueryRules(), known: ["faucet_url", "code"])

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard link.scheme != nil else {
            content = .address(try Self.bare(source.all().trimmed))
            return
        }
        guard link.form == .web, let authority = source.authority else {
            content = try Self.payment(&source)
            return
        }
        switch authority.text {
        case "addr": content = .addressLink(try CardanoAddress(source.path().dropFirst(1), "address"))
        case "stake": content = .stake(try Self.pools(&source))
        case "claim": content = try Self.claim(&source)
        default: throw authority.defect(.unsupported, "action", "must be an address, stake, claim or addr")
        }
    }

    private static func bare(_ part: TextPart) throws(StandardDefect) -> CardanoAddress {
        do throws(StandardDefect) {
            return try CardanoAddress(part, "address")
        } catch {
            let isMeant = part.startsIgnoringCase("addr") || part.startsIgnoringCase("stake")
            throw isMeant ? error : StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
    }

    private static func payment(_ source: inout PaymentText) throws(StandardDefect) -> Content {
        let path = source.path()
        let address = try CardanoAddress(path, "address")
        guard address.isPayment else {
            throw path.defect(.mismatch, "address", "is for staking; it cannot be paid")
        }
        var amount: DecimalText?
        try source.query(amountReader) { key, parameter throws(StandardDefect) in
            guard key == "amount" else { return }
            let decimal = try DecimalText(parameter.value, key, DecimalRules(fractionDigits: 6, wholeDigits: 20))
            guard let units = decimal.units(exponent: 6), units <= maximum else {
                throw parameter.value.defect(.range, key, "is more than the 45 billion ada there can ever be")
            }
            amount = decimal
        }
        return .payment(address, amount: amount)
    }

    private static func pools(_ source: inout PaymentText) throws(StandardDefect) -> [Pool] {
        var pools: [Pool] = []
        try source.query(poolReader) {
            key, parameter throws(StandardDefect) in
            let isHash = parameter.name.count == 56 && Hex.decode(key) != nil
            let isTicker =
                3...5 ~= parameter.name.count
                && parameter.name.bytes.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
            guard isHash || isTicker else {
                throw parameter.name.defect(.malformed, "stake pool", "must be 56 hexadecimal digits or a ticker")
            }
            let weight =
                parameter.hasValue ? try DecimalText(parameter.value, "weight", DecimalRules()).text : nil
            pools.append(Pool(name: key, weight: weight))
        }
        guard !pools.isEmpty else { throw source.all().defect(.missing, "stake pool", "is missing") }
        return pools
    }

    private static func claim(_ source: inout PaymentText) throws(StandardDefect) -> Content {
        let path = source.path()
        guard path.equals("/v1") else {
            throw path.defect(.unsupported, "version", "must be v1; use a newer wallet")
        }
        var values: [String: TextPart] = [:]
        try source.query(claimReader) { key, parameter throws(StandardDefect) in
            values[key] = try claimReader.text(parameter, key)
        }
        guard let faucet = values["faucet_url"], let code = values["code"] else {
            throw StandardDefect(.missing, "faucet_url and code", at: path.end, "must both be there")
        }
        guard (try? PaymentLink(faucet.text))?.isHTTPS == true else {
            throw faucet.defect(.malformed, "faucet_url", "must be an https address")
        }
        return .claim(faucet: faucet.text, code: code.text)
    }

    var standard: String {
        switch content {
        case .payment, .stake: Self.id
        case .address: Self.ids[1]
        case .claim: Self.ids[2]
        case .addressLink: Self.ids[3]
        }
    }

    var fields: InstructionFields {
        var fields = InstructionFields()
        switch content {
        case .address(let address): Self.describe(address, &fields, withBytes: true)
        case .addressLink(let address):
            fields = ["kind": "address", "address": .string(address.text)]
            Self.describe(address, &fields, withBytes: false)
        case .payment(let address, let amount):
            fields = ["kind": "payment", "address": .string(address.text)]
            if address.prefix == nil { fields.set("era", "byron") }
            fields.set("amount", amount?.text)
            fields.set("amountLovelace", amount?.units(exponent: 6).map { String($0) })
        case .stake(let pools):
            fields = ["kind": "stake", "payment": false]
            fields["pools"] = .array(pools.map { [.string($0.name), $0.weight.map(JSONValue.string) ?? .null] })
        case .claim(let faucet, let code):
            fields = ["kind": "claim", "faucetUrl": .string(faucet), "code": .string(code), "payment": false]
        }
        return fields
    }

    private static func describe(_ address: CardanoAddress, _ fields: inout InstructionFields, withBytes: Bool) {
        if address.prefix == nil {
            fields.set("era", "byron")
        } else {
            fields.set("hrp", address.prefix)
            fields.set("addressType", address.type)
            fields.set("networkId", address.networkID)
        }
        if withBytes { fields.set("bytes", Hex.encode(address.bytes)) }
    }

    /// Pays the address. A claim brings money to the reader instead.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.network = ChainCoin.cardano.chain
            switch content {
            case .address(let address), .addressLink(let address): Self.pay(address, &instruction)
            case .payment(let address, let amount):
                Self.pay(address, &instruction)
                if let amount { instruction.amount = ChainCoin.cardano.amount(amount) }
            case .stake: instruction.purpose = .information
            case .claim:
                instruction.purpose = .receipt
                instruction.amount = .onService
                instruction.warnings = [.followsURL]
                instruction.holdsSecret = true
                instruction.publicFields = ["kind", "faucetUrl", "payment"]
            }
        }
    }

    private static func pay(_ address: CardanoAddress, _ instruction: inout PaymentInstruction) {
        instruction.payee = .init(account: address.text, check: .checksum)
        if !address.isPayment { instruction.purpose = .information }
        if address.networkID == 0 {
            instruction.network = "cardano-testnet"
            instruction.warnings.append(.testNetwork)
        }
    }
}

/// A Cardano address: of the Shelley era in bech32, or of the Byron era in base58. Source: CIP-19.
struct CardanoAddress: Sendable, Hashable {
    let text: String
    /// `addr`, `addr_test`, `stake` or `stake_test`; nil for Byron's.
    let prefix: String?
    /// The header and the bytes after it; for Byron, all bytes.
    let bytes: [UInt8]

    /// The kind of address: the header's upper half.
    var type: UInt8 { bytes[0] >> 4 }
    /// 1 for the main network, 0 for test networks; nil if the address does not state it.
    var networkID: UInt8? { prefix == nil ? nil : bytes[0] & 15 }
    /// True if it can be paid.
    var isPayment: Bool { prefix == nil || type < 8 }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        text = part.text
        guard part.startsIgnoringCase("addr") || part.startsIgnoringCase("stake") else {
            bytes = try Self.byron(part, name)
            prefix = nil
            return
        }
        let decoded = try Bech32(part, name, limit: 1023)
        guard decoded.variant == .bech32, let bytes = Bech32.bytes(of: decoded.groups), let header = bytes.first else {
            throw part.defect(.malformed, name, "is no address of Cardano; ask the payee for a new one")
        }
        let count = bytes.count
        let isSound =
            switch header >> 4 {
            case 0...3: count == 57
            // A pointer is three numbers of one byte or more.
            case 4, 5: 32...60 ~= count
            case 6, 7, 14, 15: count == 29
            default: false
            }
        guard isSound else { throw part.defect(.length, name, "does not hold what its kind must hold") }
        let expected = (header >> 4 < 8 ? "addr" : "stake") + (header & 15 == 1 ? "" : "_test")
        guard decoded.prefix == expected, header & 15 < 2 else {
            throw part.defect(.mismatch, name, "says another kind or network than its beginning")
        }
        self.bytes = bytes
        prefix = decoded.prefix
    }

    /// Reads CBOR: a list of the tagged payload and its CRC-32.
    private static func byron(_ part: TextPart, _ name: String) throws(StandardDefect) -> [UInt8] {
        guard let bytes = Base58.decode(part.bytes, limit: 128),
            case .array(let items)? = try? CBORValue(parsing: bytes), items.count == 2,
            case .bytes(let payload) = items[0], case .unsigned(let sum) = items[1]
        else { throw part.defect(.malformed, name, "is no address of Cardano; copy all of it") }
        guard CyclicRedundancy.crc32(payload) == sum else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        return bytes
    }
}
