import PaymentCore

/// A link of the Liquid network, `liquidnetwork:lq1…?amount=…&assetid=…`, or a bare address of it.
///
/// Source: BIP-21 as Elements and its wallets use it. The amount is of the asset that `assetid` names, with eight
/// decimals. Without one, the amount's unit is not stated; wallets mean L-BTC.
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
        var instruction = bareInstruction
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
        return instruction
    }
}
