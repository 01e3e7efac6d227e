import PaymentCore

/// A link of the Liquid network, `liquidnetwork:lq1…?amount=…&assetid=…`, or a bare address of it.
///
/// Source: BIP-21 as Elements and its wallets use it. `assetid` names the asset of the amount, which has eight
/// decimals. Without it, the unit is not stated. Wallets mean L-BTC.
struct LiquidLink: PaymentStandard {
    static let id = "liquid"
    static let specification = "BIP-21, as Elements uses it"
    static let patterns: [StandardPattern] =
        schemes.map { .scheme($0) }
        + ["lq1", "ex1", "tlq1", "tex1"].map {
            .bare(BareShape($0, ignoresCase: true, lengths: 40...120, .alphanumeric))
        }
        // Confidential ones that begin with VJL, VT, VG and others.
        + [.bare(BareShape("V", lengths: 80...80, .base58))]

    private static let schemes = ["liquidnetwork", "liquidtestnet", "liquid"]
    private static let reader = QueryReader(
        QueryRules(foldsNames: true, required: "req-"), known: ["amount", "label", "message", "assetid"])
    /// The assets whose names are known.
    private static let assets = [
        "6f0279e9ed041c3d710a9f57d0c02928416460c4b722ae3457a11eec381c526d": "L-BTC",
        "ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2": "L-USDT",
    ]
    private static let rules = DecimalRules(fractionDigits: 8, wholeDigits: 15)
    private static let chain = "bip122:1466275836220db2944ca059a3a10ef6"

    /// The scheme; nil for a bare address.
    let scheme: String?
    let address: LiquidAddress
    /// The amount of the asset, as written.
    private(set) var amount: String?
    /// The asset's id in hexadecimal.
    private(set) var asset: String?
    private(set) var label: String?
    private(set) var message: String?

    init(_ source: inout PaymentText) throws(StandardDefect) {
        guard let scheme = source.link.scheme else {
            scheme = nil
            let text = source.all().trimmed
            do throws(StandardDefect) {
                address = try LiquidAddress(text, "address")
            } catch {
                throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
            }
            return
        }
        let path = source.path()
        self.scheme = String(scheme)
        guard source.link.form == .opaque else {
            throw StandardDefect(
                .malformed, "address", at: scheme.utf8.count + 1, "must follow the colon; remove the //")
        }
        try path.checkQueryMark()
        address = try LiquidAddress(path, "address")
        guard address.isMainnet == (scheme != "liquidtestnet") else {
            throw path.defect(.mismatch, "address", "is of another network than \(scheme):")
        }
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            switch key {
            case "amount": amount = try DecimalText(parameter.value, key, Self.rules).text
            case "assetid":
                asset = parameter.value.lowercased
                guard let asset, Hex.decode(asset)?.count == 32 else {
                    throw parameter.value.defect(.malformed, key, "must be 32 bytes in hexadecimal")
                }
            case "label": label = try Self.reader.text(parameter, key).text
            case "message": message = try Self.reader.text(parameter, key).text
            default: break
            }
        }
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["address": .string(address.text)]
        fields.set("scheme", scheme)
        fields.set("confidential", address.isConfidential)
        fields.set("amount", amount)
        fields.set("assetid", asset)
        fields.set("label", label)
        fields.set("message", message)
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: address.text, name: label, check: .checksum)
            instruction.network = address.isMainnet ? Self.chain : "liquid-testnet"
            if let amount {
                let unit = asset.map { Self.assets[$0] } ?? "L-BTC"
                instruction.amount =
                    unit.map { .uncounted(digits: amount, unit: $0) }
                    ?? .tokens(amount, of: "liquid:\(asset ?? "")", isSmallest: false)
                if asset == nil { instruction.warnings.append(.unitNotSure) }
            }
            instruction.memo = message
            if !address.isMainnet { instruction.warnings.append(.testNetwork) }
        }
    }
}

/// An address of the Liquid network. Source: Elements, `chainparams.cpp` and `key_io.cpp`.
struct LiquidAddress: Sendable, Hashable {
    let text: String
    let isMainnet: Bool
    /// True if amounts paid to it are hidden from others.
    let isConfidential: Bool

    /// The readable prefixes and their kinds of addresses.
    private static let prefixes: [(prefix: String, isMainnet: Bool, isConfidential: Bool)] = [
        ("lq", true, true), ("ex", true, false), ("tlq", false, true), ("tex", false, false),
    ]
    /// The most characters of a confidential address in base58.
    private static let longest = 80
    /// The version bytes of plain addresses. In a confidential address, its own byte precedes them.
    private static let versions: [(plain: Set<UInt8>, confidential: UInt8, isMainnet: Bool)] = [
        ([57, 39], 12, true), ([36, 19], 23, false),
    ]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let head = part.cut(at: "1").head.lowercased
        if let kind = Self.prefixes.first(where: { $0.prefix == head }) {
            try Self.checkProgram(part, kind.prefix, isConfidential: kind.isConfidential, name)
            (text, isMainnet, isConfidential) = (part.lowercased, kind.isMainnet, kind.isConfidential)
            return
        }
        guard let bytes = Base58Check.decode(part, limit: Self.longest) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        for version in Self.versions {
            // A key of 33 bytes blinds the amount.
            let isConfidential = bytes.first == version.confidential && bytes.count == 2 + 33 + 20
            let isPlain = bytes.first.map(version.plain.contains) == true && bytes.count == 1 + 20
            if isPlain || isConfidential && version.plain.contains(bytes[1]) {
                (text, isMainnet, self.isConfidential) = (part.text, version.isMainnet, isConfidential)
                return
            }
        }
        throw part.defect(.mismatch, name, "is of another chain than Liquid")
    }

    private static func checkProgram(
        _ part: TextPart, _ prefix: String, isConfidential: Bool, _ name: String
    ) throws(StandardDefect) {
        let groups: ArraySlice<UInt8>
        let variant: Bech32.Variant
        if isConfidential {
            (groups, variant) = try Blech32.groups(part, prefix: prefix, name)
        } else {
            let decoded = try Bech32(part, name)
            (groups, variant) = (decoded.groups[...], decoded.variant)
        }
        let keyCount = isConfidential ? 33 : 0
        guard let version = groups.first, version <= 16, variant == (version == 0 ? .bech32 : .bech32m),
            let bytes = Bech32.bytes(of: groups.dropFirst()),
            version == 0 ? [20, 32].contains(bytes.count - keyCount) : 2...40 ~= bytes.count - keyCount
        else { throw part.defect(.malformed, name, "is no address that can be paid; ask the payee for a new one") }
    }
}

/// Blech32 and blech32m: bech32 with a checksum of twelve characters, for Liquid's confidential addresses. Source:
/// Elements, `blech32.cpp`.
enum Blech32 {
    private static let constants: [UInt64: Bech32.Variant] = [1: .bech32, 0x455_972A_3350_F7A1: .bech32m]
    private static let parts: [UInt64] = [
        0x7D_52FB_A40B_D886, 0x5E_8DBF_1A03_950C, 0x1C_3A3C_7407_2A18, 0x38_5D72_FA0E_5139, 0x70_93E5_A608_865B,
    ]

    /// Reads `part`, which begins with `prefix` and a `1`. Its letters must be of one case.
    ///
    /// - Throws: ``StandardDefect`` if a character is not allowed, or the checksum is wrong.
    static func groups(
        _ part: TextPart, prefix: String, _ name: String
    ) throws(StandardDefect) -> (groups: ArraySlice<UInt8>, variant: Bech32.Variant) {
        let hasBoth = part.bytes.contains { $0 &- 0x61 < 26 } && part.bytes.contains { $0 &- 0x41 < 26 }
        let data = part.bytes.dropFirst(prefix.utf8.count + 1).map { Bech32.values[Int($0)] }
        guard !hasBoth, data.count > 12, data.allSatisfy({ $0 < 32 }) else {
            throw part.defect(.malformed, name, "has characters that such addresses do not use; copy it again")
        }
        let values = prefix.utf8.map { $0 >> 5 } + [0] + prefix.utf8.map { $0 & 31 } + data
        let state = values.reduce(into: UInt64(1)) { state, value in
            let top = state >> 55
            state = (state & 0x7F_FFFF_FFFF_FFFF) << 5 ^ UInt64(value)
            for (bit, part) in parts.enumerated() where top >> UInt64(bit) & 1 == 1 { state ^= part }
        }
        guard let variant = constants[state] else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        return (data.dropLast(12), variant)
    }
}
