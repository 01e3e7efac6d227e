import PaymentCore
import PaymentSecp256k1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Lightning offer, or an invoice request or invoice for one. Source: BOLT 12.
///
/// Offers have neither checksum nor signature. Requests and invoices are signed, which is checked; wallets exchange
/// them, people do not pay them.
struct Bolt12: PaymentStandard {
    static let id = "bolt12-offer"
    /// The offer, and the two that follow it.
    static let ids = [id, "bolt12-invoice-request", "bolt12-invoice"]
    static let specification = "BOLT 12"
    static let patterns: [StandardPattern] =
        ["l+", "L+", "ln+", "LN+"].map { .prefix($0) }
        + [.webParameter("lightning")]
        + ["lno", "lnr", "lni"].flatMap { prefix -> [StandardPattern] in
            [
                .scheme("lightning", payloads: ["\(prefix)1"]), .prefix("\(prefix)1"),
                .prefix("\(prefix)1".uppercased()), .prefix("\(prefix)+"), .prefix("\(prefix)+".uppercased()),
                .bare(BareShape("\(prefix)1", ignoresCase: true, lengths: 5...8192, .alphanumeric)),
            ]
        }

    private let stream: Bolt12Stream

    /// Creates a value by reading `link`: a bare text, or the text behind `lightning:`.
    init(_ source: inout PaymentText) throws(StandardDefect) {
        let part = try LightningText.payload(of: &source)
        let isOffer = !source.link.isHTTP || part.count > 4 && Bolt12Rules.all[part.prefix(3).lowercased] != nil
        // `lno1shop@host` is a name.
        guard isOffer, !part.bytes.contains(UInt8(ascii: "@")) else {
            throw part.defect(.foreign, "offer", "is another text")
        }
        try self.init(part, "offer")
        source.leave(skipped)
    }

    /// The records that readers skip, as parts of the text.
    var skipped: [UnreadPart] {
        stream.records.lazy.filter { Bolt12Rules.all[stream.prefix]?.knows($0.type) == false }.map {
            UnreadPart(name: "record \($0.type)", value: Hex.encode($0.value), couldChangePayment: false)
        }
    }

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        stream = try Bolt12Stream(part, name)
        guard let rules = Bolt12Rules.all[stream.prefix] else {
            throw part.defect(.unsupported, name, "is of a kind that is not known")
        }
        try rules.check(stream, part.end)
    }

    var standard: String {
        switch stream.prefix {
        case "lnr": Self.ids[1]
        case "lni": Self.ids[2]
        default: Self.id
        }
    }

    var fields: InstructionFields {
        [
            "hrp": .string(stream.prefix),
            "fields": .array(
                stream.records.map {
                    [
                        "type": .number(JSONNumber($0.type)), "length": .number(JSONNumber($0.value.count)),
                        "hex": .string(Hex.encode($0.value)),
                    ]
                }),
        ]
    }

    /// True if it can be paid on Bitcoin's main network. An offer for that network alone names none; a request and an
    /// invoice name theirs in record 80.
    private var isForMainnet: Bool {
        if let chain = stream[80] { return chain.value == Bolt12Rules.bitcoin }
        return stream[2].map { Bolt12Rules.chains(in: $0).contains(Bolt12Rules.bitcoin) } ?? true
    }

    private func text(_ type: UInt64) -> String? { stream[type].map { String(decoding: $0.value, as: UTF8.self) } }

    private func number(_ type: UInt64) -> UInt64? { stream[type].map { $0.value.reduce(0) { $0 << 8 | UInt64($1) } } }

    private var amount: PaymentInstruction.Amount {
        if let msat = number(170) ?? number(82) { return LightningText.amount(msat: msat) }
        guard let amount = number(8) else { return .open }
        guard let code = text(6) else { return LightningText.amount(msat: amount) }
        let money = (try? FiatCurrency(code)).flatMap { try? Money(minorUnits: UInt128(amount), currency: .fiat($0)) }
        return money.map { .fixed($0) } ?? .uncounted(digits: String(amount), unit: code)
    }

    /// Pays the offer or invoice; a request asks the reader for an invoice.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        let payee = stream[176] ?? stream[22]
        instruction.payee = .init(
            account: payee.map { Hex.encode($0.value) }, name: text(18), check: stream[176] == nil ? .none : .signature)
        if stream.prefix == "lno", payee != nil { instruction.warnings.append(.missingChecksum) }
        if stream.prefix == "lnr" { instruction.purpose = .information }
        instruction.network = "lightning"
        instruction.amount = amount
        instruction.memo = text(10)
        instruction.reference = stream[168].map { Hex.encode($0.value) }
        let ends =
            stream[176] == nil
            ? number(14)
            : number(164).map { $0.addingReportingOverflow(number(166) ?? 7200) }
                .flatMap { $0.overflow ? nil : $0.partialValue }
        if let ends {
            instruction.expiresAt = Date(timeIntervalSince1970: Double(ends))
            instruction.warnings.append(.expires)
        }
        if !isForMainnet { instruction.warnings.append(.testNetwork) }
        return instruction
    }

    /// The chain that it can be paid on, where it is one of Bitcoin's.
    var network: BitcoinAddress.Network? { isForMainnet ? .mainnet : nil }
}
