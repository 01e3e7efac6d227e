import PaymentCore

/// A Bitcoin Cash address, with or without its prefix. Source: cashaddr.md.
struct BitcoinCash: PaymentStandard {
    static let id = "cashaddr"
    static let specification = "cashaddr"
    /// The prefixes of other chains with this form look like schemes.
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
            // Only a valid checksum shows that an unknown scheme is a prefix.
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
        makeInstruction { instruction in
            instruction.payee = .init(account: "\(address.prefix):\(address.text.lowercased())", check: .checksum)
            instruction.network = address.prefix == "bitcoincash" ? ChainCoin.bitcoinCash.chain : address.prefix
            if address.prefix != "bitcoincash" { instruction.warnings.append(.testNetwork) }
        }
    }
}

/// Bitcoin Cash's address form: a prefix, a colon, groups of five bits and a checksum of 40 bits. Source: cashaddr.md.
struct CashAddress: Sendable, Hashable {
    /// The prefix in lower case.
    let prefix: String
    /// The kind of hash: 0 of a public key, 1 of a script, 2 and 3 the same for tokens.
    let type: UInt8
    /// The hash, 20 to 64 bytes.
    let hash: [UInt8]
    /// The text without its prefix, as written.
    let text: String

    /// The prefixes that chains use. A text without a prefix is tried with each, in this order.
    static let prefixes = ["bitcoincash", "bchtest", "bchreg"]

    private static let sizes = [20, 24, 28, 32, 40, 48, 56, 64]

    /// Reads `part`, the text after `prefix` and a colon. Its standard calls it `name`.
    init(_ part: TextPart, prefix: String, _ name: String) throws(StandardDefect) {
        let values = Bech32.values
        var hasLower = false
        var hasUpper = false
        var groups: [UInt8] = []
        groups.reserveCapacity(part.count)
        for index in part.bytes.indices {
            let byte = part.bytes[index]
            let value = values[Int(byte)]
            guard value < 32 else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "has a character that such addresses do not use")
            }
            if byte.isASCIILetter { if byte & 0x20 == 0 { hasUpper = true } else { hasLower = true } }
            guard !(hasLower && hasUpper) else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "mixes capital and small letters; copy it again")
            }
            groups.append(value)
        }
        guard 9...112 ~= groups.count else {
            throw part.defect(.length, name, "is too short or too long; copy all of it")
        }
        guard Self.checksum(prefix, groups) == 1 else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        guard let bytes = Bech32.bytes(of: groups.dropLast(8)), let version = bytes.first, version < 0x80,
            bytes.count - 1 == Self.sizes[Int(version & 7)]
        else { throw part.defect(.malformed, name, "does not hold a hash; ask the payee for a new address") }
        self.prefix = prefix
        type = version >> 3
        hash = Array(bytes.dropFirst())
        text = part.text
    }

    /// Returns the checksum; 1 for a sound text.
    private static func checksum(_ prefix: String, _ groups: [UInt8]) -> UInt64 {
        remainders.withUnsafeBufferPointer { remainders in
            func step(_ state: UInt64, _ group: UInt8) -> UInt64 {
                (state & 0x7_FFFF_FFFF) << 5 ^ UInt64(group) ^ remainders[Int(state >> 35)]
            }
            var state: UInt64 = 1
            for byte in prefix.utf8 { state = step(state, byte & 31) }
            state = step(state, 0)
            for group in groups { state = step(state, group) }
            return state
        }
    }

    /// The contribution to the checksum of each value of the five bits that are shifted out.
    private static let remainders: [UInt64] = (0..<32).map { top in
        let parts: [UInt64] = [0x98_F2BC_8E61, 0x79_B76D_99E2, 0xF3_3E5F_B3C4, 0xAE_2EAB_E2A8, 0x1E_4F43_E470]
        return parts.enumerated().reduce(0) { top >> $1.offset & 1 == 1 ? $0 ^ $1.element : $0 }
    }

    /// The same account in the older form, also Bitcoin's; nil if it has no such form.
    var legacy: String? {
        guard prefix == "bitcoincash", hash.count == 20, type < 2 else { return nil }
        return Base58Check.encode([type == 0 ? 0x00 : 0x05] + hash)
    }
}
