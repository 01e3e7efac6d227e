import PaymentCore
import PaymentCrypto

/// An `algorand:` link or a bare Algorand address. Source: ARC-26.
struct Algorand: PaymentStandard {
    static let id = "algorand"
    static let specification = "ARC-26"
    static let ignoresUnknownParts = true
    static let patterns: [StandardPattern] = [
        .scheme("algorand"), .bare(BareShape(lengths: 58...58, .base32)),
    ]

    let address: String
    /// Millionths of an algo, or the asset's smallest units.
    private(set) var amount: UInt64?
    /// The asset that is paid; nil for algo.
    private(set) var asset: UInt64?
    private(set) var label: String?
    /// A text for the payee, public on the chain.
    private(set) var memo: String?
    /// True if the payer may change the memo.
    private(set) var isMemoEditable: Bool?
    private var unknown: [String: String] = [:]

    private static let reader = QueryReader(
        QueryRules(refusesUnknownTwice: true), known: ["amount", "asset", "label", "note", "xnote"])

    /// Reads a link or a bare address. Links without `//` (`algorand:ADDRESS`) occur too.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard link.scheme != nil else {
            do throws(StandardDefect) {
                address = try Self.address(source.all().trimmed)
            } catch {
                throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
            }
            return
        }
        let path = source.path()
        if link.form == .web {
            // The scanner lowercases a host. The link keeps its original spelling.
            let written = TextPart(bytes: Array((link.spelling ?? link.text).utf8)[...])
            let (start, end) = ("algorand://".utf8.count, path.bytes.startIndex)
            guard start <= end else { throw path.defect(.foreign, "scheme", "is not algorand") }
            guard path.isEmpty || path.equals("/") else {
                throw path.defect(.malformed, "address", "must stand alone behind algorand://")
            }
            address = try Self.address(written[start..<end])
        } else {
            address = try Self.address(path)
        }
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            try take(key, try Self.reader.text(parameter, key))
        }
    }

    private static func address(_ part: TextPart) throws(StandardDefect) -> String {
        guard !part.isEmpty else { throw part.defect(.missing, "address", "is missing; it says who is paid") }
        guard part.count == 58 else {
            throw part.defect(.length, "address", "must have 58 characters; copy all of it")
        }
        guard let bytes = Base32.standard.bytes(of: part.bytes), bytes.count == 36 else {
            throw part.defect(.malformed, "address", "must be capitals and the digits 2 to 7; copy it again")
        }
        guard SHA512Slash256.hash(Array(bytes[..<32])).suffix(4).elementsEqual(bytes[32...]) else {
            throw part.defect(
                .checksum, "address", "the checksum does not match: at least one character is wrong; copy it again")
        }
        return part.text
    }

    private mutating func take(_ key: String, _ value: TextPart) throws(StandardDefect) {
        switch key {
        case "amount": amount = try Self.number(value, key)
        case "asset": asset = try Self.number(value, key)
        case "label": label = value.text
        case "note", "xnote":
            guard memo == nil else {
                throw value.defect(.mismatch, key, "must not stand beside the other of note and xnote")
            }
            memo = value.text
            isMemoEditable = key == "note"
        default: unknown[key] = value.text
        }
    }

    private static func number(_ value: TextPart, _ name: String) throws(StandardDefect) -> UInt64 {
        let decimal = try DecimalText(value, name, DecimalRules(fractionDigits: 0, wholeDigits: 38))
        guard let units = decimal.units(exponent: 0), let number = UInt64(exactly: units) else {
            throw value.defect(.range, name, "must be below 2^64")
        }
        return number
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["address": .string(address)]
        fields.set("amount", amount.map { String($0) })
        fields.set("asset", asset.map { String($0) })
        fields.set("label", label)
        fields.set("memo", memo)
        fields.set("memoEditable", isMemoEditable)
        fields.set("unknown", unknown)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address, name: label, check: .checksum)
            instruction.network = ChainCoin.algorand.chain
            if let amount {
                let units = UInt128(amount)
                instruction.amount =
                    asset.map { .tokens(String(units), of: "asset:\($0)", isSmallest: true) }
                    ?? ChainCoin.algorand.amount(units: units, digits: ChainCoin.algorand.digits(units: units))
            }
            instruction.memo = memo
        }
    }
}
