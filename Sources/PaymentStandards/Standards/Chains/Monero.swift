import PaymentCore

/// A `monero:` link, or a bare Monero address. Source: monero-project, `docs/URI_SCHEME.md`.
struct Monero: PaymentStandard {
    static let id = "monero"
    static let specification = "Monero URI_SCHEME"
    /// True.
    static let ignoresUnknownParts = true
    /// Links with a wallet's keys are known, to be refused by name.
    static let patterns: [StandardPattern] =
        ["monero", "monero-wallet", "monero_wallet"].map { .scheme($0) }
        + [95, 106].map { .bare(BareShape(lengths: $0...$0, .base58)) }

    private let addresses: [MoneroAddress]
    /// One amount for each address, as written; empty where the payer decides.
    private var amounts: [DecimalText] = []
    /// The payees' names, as the link claims.
    private(set) var recipientName: String?
    private(set) var details: String?
    /// A payment id beside the address, which is deprecated.
    private(set) var paymentID: String?
    /// Parameters that the standard does not name, as `name=value`.
    private(set) var unknown: [String] = []

    private static let names: Set<String> = ["tx_amount", "tx_payment_id", "recipient_name", "tx_description"]
    private static let reader = QueryReader(QueryRules(refusesUnknownTwice: true), known: names)
    private static let amountRules = DecimalRules(fractionDigits: 12, wholeDigits: 8)

    init(_ source: inout PaymentText) throws(StandardDefect) {
        let link = source.link
        guard let scheme = link.scheme else {
            do throws(StandardDefect) {
                addresses = [try MoneroAddress(source.all().trimmed, "address")]
            } catch {
                throw StandardDefect(.foreign, error.part, at: error.offset, error.advice)
            }
            return
        }
        guard scheme == "monero" else {
            throw StandardDefect(
                .secret, "link", at: 0, "holds a wallet's keys: anyone who has seen it can see or take the money")
        }
        guard link.form == .opaque else {
            throw StandardDefect(.malformed, "address", at: 7, "must follow the colon; remove the //")
        }
        let path = source.path()
        var addresses: [MoneroAddress] = []
        for part in path.split(at: ";") { addresses.append(try MoneroAddress(part, "address")) }
        self.addresses = addresses
        try source.query(Self.reader) { key, parameter throws(StandardDefect) in try take(key, parameter) }
        guard Set(addresses.map(\.network)).count == 1 else {
            throw path.defect(.mismatch, "address", "is of another network than the one beside it")
        }
    }

    private mutating func take(_ key: String, _ parameter: QueryParameter) throws(StandardDefect) {
        guard parameter.hasValue else {
            throw parameter.name.defect(.malformed, "parameter", "must be a name, = and a value")
        }
        let value = parameter.value
        // As in the reference: a malformed escape stands for itself.
        let text = PercentCoding.decodeLeniently(value.text)
        switch key {
        case "tx_amount":
            let written = value.split(at: ";")
            guard written.count == addresses.count else {
                throw value.defect(.mismatch, key, "must have one amount for each address")
            }
            for part in written { amounts.append(try DecimalText(part, key, Self.amountRules)) }
        case "tx_payment_id":
            guard !addresses.contains(where: { $0.paymentID != nil }) else {
                throw value.defect(.mismatch, key, "must not stand beside an integrated address, which has one inside")
            }
            guard value.count == 64, Hex.decode(value.text)?.count == 32 else {
                throw value.defect(.length, key, "must be 64 hexadecimal digits")
            }
            paymentID = value.text
        case "recipient_name": recipientName = text
        case "tx_description": details = text
        default: unknown.append("\(key)=\(text)")
        }
    }

    var fields: InstructionFields {
        var fields = InstructionFields()
        if let address = addresses.first, addresses.count == 1 {
            fields.set("address", address.text)
            fields.set("network", address.network)
            fields.set("type", address.type)
            fields.setOrNull("paymentId", address.paymentID.map { Hex.encode($0) })
            fields.set("amount", amounts.first?.text)
            fields.set("atomic", amounts.first?.units(exponent: 12).map { String($0) })
        } else {
            fields["recipients"] = .array(
                addresses.enumerated().map { index, address in
                    [.string(address.text), index < amounts.count ? .string(amounts[index].text) : .null]
                })
        }
        fields.set("description", details)
        fields.set("recipientName", recipientName)
        fields.set("paymentIdParam", paymentID)
        fields.set("unknown", unknown)
        return fields
    }

    /// Pays the addresses, all of several.
    var instruction: PaymentInstruction {
        var instruction = bareInstruction
        instruction.payee = .init(account: addresses.first?.text, name: recipientName, check: .checksum)
        instruction.network = ChainCoin.monero.chain
        instruction.memo = details
        instruction.reference = addresses.first?.paymentID.map { Hex.encode($0) } ?? paymentID
        if let amount = amounts.first { instruction.amount = ChainCoin.monero.amount(amount) }
        if addresses.count > 1 {
            instruction.setPayments(
                addresses.enumerated().map { index, address in
                    .init(
                        payee: .init(account: address.text, check: .checksum),
                        amount: index < amounts.count ? ChainCoin.monero.amount(amounts[index]) : .open)
                })
            // Names and description are of all of them.
            instruction.memo = [recipientName, details].compactMap(\.self).joined(separator: ": ")
        }
        if addresses.first?.network != "mainnet" { instruction.warnings.append(.testNetwork) }
        return instruction
    }
}
