import PaymentCore

/// A `sui:pay` link. Source: Sui Payment Kit.
struct SuiPay: PaymentStandard {
    static let id = "sui-pay"
    static let specification = "Sui Payment Kit"
    static let patterns: [StandardPattern] = [.scheme("sui")]

    private static let names = ["receiver", "amount", "coinType", "nonce", "registry", "label", "message", "iconUrl"]
    private static let reader = QueryReader(QueryRules(plusIsSpace: true), known: Set(names))
    private let values: [String: String]

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let (link, path) = (source.link, source.path())
        guard link.form == .opaque, path.equals("pay") else {
            throw path.defect(.unsupported, "action", "must be pay, as in sui:pay?receiver=…")
        }
        var found: [String: TextPart] = [:]
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in
            found[key] = try Self.reader.text(parameter, key)
        }
        func required(_ name: String) throws(StandardDefect) -> TextPart {
            guard let value = found[name], !value.isEmpty else {
                throw StandardDefect(.missing, name, at: found[name]?.offset ?? link.text.utf8.count, "is missing")
            }
            return value
        }
        let receiver = try required("receiver")
        guard Self.isID(receiver) else {
            throw receiver.defect(.malformed, "receiver", "must be 0x and 64 hexadecimal digits")
        }
        let amount = try required("amount")
        let rules = DecimalRules(fractionDigits: 0, wholeDigits: 20, allowsLeadingZeros: false, allowsZero: false)
        guard UInt64(try DecimalText(amount, "amount", rules).text) != nil else {
            throw amount.defect(.range, "amount", "must be below 2^64")
        }
        let coin = try required("coinType")
        let type = Self.path(coin.text)
        guard type.count >= 3, type[0].hasPrefix("0x"), !type.contains("") else {
            throw coin.defect(.malformed, "coinType", "must be a coin's type, as in 0x2::sui::SUI")
        }
        let nonce = try required("nonce")
        _ = try nonce.limited(to: 36, "nonce")
        if let icon = found["iconUrl"], (try? PaymentLink(icon.text))?.isHTTP != true {
            throw icon.defect(.malformed, "iconUrl", "must be a web address")
        }
        values = found.filter { Self.names.contains($0.key) }.mapValues(\.text)
    }

    /// Returns the parts of a type between its pairs of colons.
    private static func path(_ text: String) -> [String] {
        text.split(separator: "::", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns true for `0x` and 64 hexadecimal digits.
    private static func isID(_ part: TextPart) -> Bool {
        part.count == 66 && part.starts(with: "0x") && Hex.decode(part.text) != nil
    }

    var fields: InstructionFields {
        var fields = InstructionFields()
        for name in Self.names where name != "registry" { fields.set(name, values[name]) }
        if let registry = values["registry"] {
            fields.set(Self.isID(TextPart(decoded: registry, at: 0)) ? "registryId" : "registryName", registry)
        }
        return fields
    }

    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            instruction.payee = .init(account: values["receiver"], name: values["label"], check: .none)
            instruction.network = ChainCoin.sui.chain
            // In the coin's smallest unit.
            let (amount, coin) = (values["amount"] ?? "", values["coinType"] ?? "")
            let isSui = coin == "0x2::sui::SUI"
            let units = UInt128(amount).flatMap { isSui ? $0 : nil }
            instruction.amount =
                units.map { ChainCoin.sui.amount(units: $0, digits: ChainCoin.sui.digits(units: $0)) }
                ?? .tokens(amount, of: coin, isSmallest: true)
            instruction.memo = values["message"]
            instruction.reference = values["nonce"]
            instruction.warnings = [.missingChecksum]
        }
    }
}
