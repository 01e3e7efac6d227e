import PaymentCore

/// A Bitcoin Cash address, with or without its prefix. Source: cashaddr.md.
struct BitcoinCash: PaymentStandard {
    static let id = "cashaddr"
    static let specification = "cashaddr"
    /// The prefix of other chains that use this form looks like a scheme.
    static let patterns: [StandardPattern] =
        CashAddress.prefixes.map { .scheme($0) } + [.otherScheme]
        + ["q", "p"].map { .bare(BareShape($0, ignoresCase: true, lengths: 42...112, .alphanumeric)) }

    private let address: CashAddress

    /// A link with a query is a payment request, which ``CoinLink`` reads.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard let scheme = link.scheme.map(String.init) else {
            address = try Self.bare(source.all().trimmed)
            return
        }
        let part = source.payload()
        guard link.form == .opaque, link.query == nil else {
            throw part.defect(.foreign, "address", "has more behind it")
        }
        do throws(StandardDefect) {
            address = try CashAddress(part, prefix: scheme, "address")
        } catch {
            // Only a valid checksum shows that an unknown prefix is one.
            throw CashAddress.prefixes.contains(scheme)
                ? error : StandardDefect(.foreign, error.part, at: error.offset, error.advice)
        }
    }

    private static func bare(_ part: TextPart) throws(StandardDefect) -> CashAddress {
        for prefix in CashAddress.prefixes {
            if let address = try? CashAddress(part, prefix: prefix, "address") { return address }
        }
        throw part.defect(.foreign, "address", "fails its checksum with every prefix")
    }

    var fields: InstructionFields {
        var fields: InstructionFields = ["prefix": .string(address.prefix)]
        fields.set("type", address.type)
        fields.set("hash", Hex.encode(address.hash))
        fields.set("legacy", address.legacy)
        return fields
    }

    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: "\(address.prefix):\(address.text.lowercased())", check: .checksum)
        instruction.network = address.prefix == "bitcoincash" ? ChainCoin.bitcoinCash.chain : address.prefix
        if address.prefix != "bitcoincash" { instruction.warnings.append(.testNetwork) }
        return instruction
    }
}
