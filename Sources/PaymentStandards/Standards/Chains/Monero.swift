import PaymentCore
import PaymentCrypto

/// A `monero:` link, or a bare Monero address. Source: monero-project, `docs/URI_SCHEME.md`.
struct Monero: PaymentStandard {
    static let id = "monero"
    static let specification = "Monero URI_SCHEME"
    static let ignoresUnknownParts = true
    /// Links with a wallet's keys are known so that they can be refused by name.
    static let patterns: [StandardPattern] =
        ["monero", "monero-wallet", "monero_wallet"].map { .scheme($0) }
        + [95, 106].map { .bare(BareShape(lengths: $0...$0, .base58)) }

    private let addresses: [MoneroAddress]
    /// One amount for each address, as written; empty if the payer decides.
    private var amounts: [DecimalText] = []
    /// The payees' names, as the link claims.
    private(set) var recipientName: String?
    private(set) var details: String?
    /// A payment id outside the address. It is deprecated.
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
        // As in the reference implementation, a malformed escape stands for itself.
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

    /// Pays all addresses.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
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
                // Names and description belong to all payments.
                instruction.memo = [recipientName, details].compactMap(\.self).joined(separator: ": ")
            }
            if addresses.first?.network != "mainnet" { instruction.warnings.append(.testNetwork) }
        }
    }
}

/// A Monero address: base58 in blocks, a network byte, two keys, sometimes a payment id, and four bytes of Keccak-256.
/// Source: monero-project, `docs` and `cryptonote_basic`.
struct MoneroAddress: Sendable, Hashable {
    let text: String
    /// `mainnet`, `testnet` or `stagenet`.
    let network: String
    /// `standard`, `integrated` or `subaddress`.
    let type: String
    /// The 8 bytes inside an integrated address.
    let paymentID: [UInt8]?

    private static let kinds: [UInt8: (network: String, type: String)] = [
        18: ("mainnet", "standard"), 19: ("mainnet", "integrated"), 42: ("mainnet", "subaddress"),
        53: ("testnet", "standard"), 54: ("testnet", "integrated"), 63: ("testnet", "subaddress"),
        24: ("stagenet", "standard"), 25: ("stagenet", "integrated"), 36: ("stagenet", "subaddress"),
    ]
    /// The number of characters for each number of bytes.
    private static let lengths = [0: 0, 2: 1, 3: 2, 5: 3, 6: 4, 7: 5, 9: 6, 10: 7, 11: 8]

    /// Reads `part`, which its standard calls `name`.
    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        guard !part.isEmpty else { throw part.defect(.missing, name, "is missing; it says who is paid") }
        guard [95, 106].contains(part.count) else {
            throw part.defect(.length, name, "must have 95 or 106 characters; copy all of it")
        }
        var bytes: [UInt8] = []
        for start in stride(from: part.bytes.startIndex, to: part.bytes.endIndex, by: 11) {
            let block = part.bytes[start..<min(start + 11, part.bytes.endIndex)]
            guard let count = Self.lengths[block.count], let value = Base58.decode(block) else {
                throw StandardDefect(
                    .malformed, name, at: part.place(start), "has a character that base58 does not use; copy it again")
            }
            // A block is a number of fixed size. Its leading digits may be zeros, or too large.
            let significant = value.drop { $0 == 0 }
            guard significant.count <= count else {
                throw StandardDefect(.range, name, at: part.place(start), "has a wrong character; copy it again")
            }
            bytes += [UInt8](repeating: 0, count: count - significant.count) + significant
        }
        let body = Array(bytes.dropLast(4))
        guard Keccak256.hash(body).prefix(4).elementsEqual(bytes.suffix(4)) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard let first = body.first, let kind = Self.kinds[first],
            body.count == (kind.type == "integrated" ? 73 : 65)
        else { throw part.defect(.malformed, name, "is of another chain") }
        text = part.text
        (network, type) = kind
        paymentID = kind.type == "integrated" ? Array(body[65...]) : nil
    }
}
