import PaymentCore
import PaymentCrypto
package import PaymentSecp256k1

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Lightning offer, or an invoice request or invoice for one. Source: BOLT 12.
///
/// Offers have neither checksum nor signature. Requests and invoices are signed, and the signature is checked. Wallets
/// exchange them. People do not pay them.
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

    /// Creates a value by reading `source`: a bare text, or the text after `lightning:`.
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

    /// True if it can be paid on Bitcoin's main network. An offer for that network alone does not name it. A request
    /// and an invoice name their network in record 80.
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

    /// Pays the offer or invoice. A request asks the reader for an invoice.
    var instruction: PaymentInstruction {
        makeInstruction { instruction in
            let payee = stream[176] ?? stream[22]
            instruction.payee = .init(
                account: payee.map { Hex.encode($0.value) }, name: text(18),
                check: stream[176] == nil ? .none : .signature)
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
        }
    }

    /// The chain that it can be paid on, if it is one of Bitcoin's.
    var network: BitcoinAddress.Network? { isForMainnet ? .mainnet : nil }
}

/// The type-length-value records of a BOLT 12 text, each with its place. Source: BOLT 12, "Encoding" and "Signature
/// calculation"; BOLT 1 for BigSize numbers.
struct Bolt12Stream: Sendable, Hashable {
    struct Record: Sendable, Hashable {
        let type: UInt64
        let value: [UInt8]
        /// The whole record as written: type, length, value.
        let bytes: [UInt8]
        /// The place in the text.
        let offset: Int

        func defect(_ kind: StandardDefect.Kind, _ advice: String) -> StandardDefect {
            StandardDefect(kind, "record \(type)", at: offset, advice)
        }
    }

    /// `lno`, `lnr` or `lni`.
    let prefix: String
    /// The records, their types ascending.
    let records: [Record]

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let values: [UInt8] = (UInt8.min...UInt8.max).map { byte in
        alphabet.firstIndex(of: byte.lowercasedASCII).map(UInt8.init) ?? 0xFF
    }

    /// Returns the letter of a group of five bits.
    static func letter(of group: UInt8) -> UInt8 { alphabet[Int(group & 31)] }

    init(_ part: TextPart, _ name: String) throws(StandardDefect) {
        let (characters, places) = try Self.joined(part, name)
        var hasLower = false
        var hasUpper = false
        for (byte, place) in zip(characters, places) where byte.isASCIILetter {
            if byte & 0x20 == 0 { hasUpper = true } else { hasLower = true }
            guard !(hasLower && hasUpper) else {
                throw StandardDefect(.malformed, name, at: place, "mixes capital and small letters; copy it again")
            }
        }
        let text = String(decoding: characters.map(\.lowercasedASCII), as: UTF8.self)
        guard characters.count > 4, ["lno1", "lnr1", "lni1"].contains(text.prefix(4)) else {
            throw part.defect(.length, name, "ends before anything is in it; copy all of it")
        }
        prefix = String(text.prefix(3))
        var groups: [UInt8] = []
        for (byte, place) in zip(characters, places).dropFirst(4) {
            guard Self.values[Int(byte)] < 32 else {
                throw StandardDefect(
                    .malformed, name, at: place, "has a character that such texts do not use; copy it again")
            }
            groups.append(Self.values[Int(byte)])
        }
        guard let bytes = Bech32.bytes(of: groups) else {
            throw StandardDefect(
                .malformed, name, at: places.last ?? part.offset, "has stray characters at its end; copy it again")
        }
        records = try Self.records(bytes, name) { places[min(4 + $0 * 8 / 5, places.count - 1)] }
    }

    /// Returns the characters without joins (a `+`, and white space after it), and the place of each.
    private static func joined(_ part: TextPart, _ name: String) throws(StandardDefect) -> ([UInt8], [Int]) {
        var characters: [UInt8] = []
        var places: [Int] = []
        let bytes = part.bytes
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "+") else {
                characters.append(bytes[index])
                places.append(part.place(index))
                index += 1
                continue
            }
            let join = index
            index += 1
            while index < bytes.endIndex, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
            // BOLT 12, "Encoding": between any two characters, including those of the prefix.
            let isInPrefix = characters.count < 3
            guard let last = characters.last, index < bytes.endIndex,
                isInPrefix || values[Int(last)] < 32 || last == UInt8(ascii: "1"),
                isInPrefix && bytes[index].isASCIILetter || values[Int(bytes[index])] < 32
            else {
                throw StandardDefect(
                    .malformed, name, at: part.place(join), "has a + that joins nothing; copy all parts of it")
            }
        }
        return (characters, places)
    }

    private static func records(
        _ bytes: [UInt8], _ name: String, _ place: (Int) -> Int
    ) throws(StandardDefect) -> [Record] {
        var records: [Record] = []
        var index = 0
        while index < bytes.count {
            let start = index
            guard let type = bigSize(bytes, &index), let length = bigSize(bytes, &index),
                length <= UInt64(bytes.count - index)
            else {
                throw StandardDefect(.length, name, at: place(start), "breaks off within a record; copy all of it")
            }
            if let last = records.last, last.type >= type {
                throw StandardDefect(
                    last.type == type ? .duplicate : .malformed, "record \(type)", at: place(start),
                    "stands twice or out of order; ask for a new text")
            }
            let end = index + Int(length)
            records.append(
                Record(
                    type: type, value: Array(bytes[index..<end]), bytes: Array(bytes[start..<end]),
                    offset: place(start)))
            index = end
        }
        return records
    }

    /// Reads a number in as few bytes as it needs; nil if it ends early or has more.
    private static func bigSize(_ bytes: [UInt8], _ index: inout Int) -> UInt64? {
        guard index < bytes.count else { return nil }
        let first = bytes[index]
        index += 1
        guard first >= 0xFD else { return UInt64(first) }
        let count = 1 << Int(first - 0xFC)
        guard bytes.count - index >= count else { return nil }
        let number = bytes[index..<index + count].reduce(0) { $0 << 8 | UInt64($1) }
        index += count
        let least: [Int: UInt64] = [2: 0xFD, 4: 0x1_0000, 8: 0x1_0000_0000]
        return number >= least[count] ?? 0 ? number : nil
    }

    subscript(_ type: UInt64) -> Record? { records.first { $0.type == type } }

    // MARK: Signature

    /// The types of signature records. These are not signed themselves.
    private static let signatures: ClosedRange<UInt64> = 240...1000

    /// The Merkle root over all records but signatures.
    private var merkleRoot: [UInt8] {
        let signed = records.filter { !Self.signatures.contains($0.type) }
        guard let first = signed.first else { return [] }
        let nonceTag = Array("LnNonce".utf8) + first.bytes
        var level = signed.map { record in
            let typeLength = record.bytes.count - record.value.count - Self.lengthBytes(record.value.count)
            return Self.branch(
                Self.tagged(Array("LnLeaf".utf8), record.bytes),
                Self.tagged(nonceTag, Array(record.bytes[..<typeLength])))
        }
        while level.count > 1 {
            var next: [[UInt8]] = []
            for index in stride(from: 0, to: level.count, by: 2) {
                next.append(index + 1 < level.count ? Self.branch(level[index], level[index + 1]) : level[index])
            }
            level = next
        }
        return level[0]
    }

    private static func lengthBytes(_ length: Int) -> Int { length < 0xFD ? 1 : length < 0x1_0000 ? 3 : 5 }

    private static func branch(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        let isOrdered = left.lexicographicallyPrecedes(right)
        return tagged(Array("LnBranch".utf8), isOrdered ? left + right : right + left)
    }

    private static func tagged(_ tag: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let hash = Digest.sha256.hash(tag)
        return Digest.sha256.hash(hash + hash + message)
    }

    /// Returns the digest of all other records that is signed, as a `message` (`invoice`).
    func digest(_ message: String) -> [UInt8] {
        Self.tagged(Array("lightning\(message)signature".utf8), merkleRoot)
    }

    /// Requires the signature record (240) to be a signature of `key` over all other records, as a `message`
    /// (`invoice`).
    func requireSignature(_ message: String, by key: Secp256k1PublicKey, _ end: Int) throws(StandardDefect) {
        guard let record = self[240] else {
            throw StandardDefect(.missing, "signature", at: end, "is missing; ask for a new text")
        }
        guard let signature = SchnorrSignature(record.value), signature.isValid(message: digest(message), key: key)
        else {
            throw StandardDefect(
                .signature, "signature", at: record.offset, "does not fit; the text was changed, ask for a new one")
        }
    }
}

/// The records that an offer, invoice request or invoice may and must have. Source: BOLT 12, "Offers" and the sections
/// that follow it.
struct Bolt12Rules: Sendable {
    /// The ranges of allowed types.
    private let ranges: [ClosedRange<UInt64>]
    /// The even types that are supported.
    private let known: Set<UInt64>
    private let required: Set<UInt64>
    /// The name of the signed message and the type of the signer's key; nil for texts without a signature.
    private let signed: (message: String, key: UInt64)?

    private static let offer: Set<UInt64> = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]
    private static let request: Set<UInt64> = offer.union([0, 80, 82, 84, 86, 88, 90, 240])

    /// The rules by prefix.
    static let all: [String: Bolt12Rules] = [
        "lno": Bolt12Rules(
            ranges: [1...79, 1_000_000_000...1_999_999_999], known: offer, required: [], signed: nil),
        "lnr": Bolt12Rules(
            ranges: [0...159, 240...1000, 1_000_000_000...2_999_999_999], known: request, required: [0, 88],
            signed: ("invoice_request", 88)),
        "lni": Bolt12Rules(
            ranges: [0...UInt64.max], known: request.union([160, 162, 164, 166, 168, 170, 172, 174, 176]),
            required: [160, 162, 164, 168, 170, 176], signed: ("invoice", 176)),
    ]

    /// Bitcoin's main chain in BOLT 2: the first block's hash in the byte order of hashing.
    static let bitcoin = Hex.decode("6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000") ?? []

    /// Returns true if the specification names records of this type. Other odd types are to be ignored. 89 is the
    /// payer's note, 91 the BIP-353 name.
    func knows(_ type: UInt64) -> Bool { known.contains(type) || type == 89 || type == 91 }

    /// Checks `stream`. `end` is the place of the text's end.
    func check(_ stream: Bolt12Stream, _ end: Int) throws(StandardDefect) {
        for record in stream.records {
            guard ranges.contains(where: { $0.contains(record.type) }) else {
                throw record.defect(.malformed, "may not stand in such a text; ask for a new one")
            }
            guard record.type % 2 == 1 || known.contains(record.type) else {
                throw record.defect(.unsupported, "is not known and must not be ignored; use another wallet")
            }
            try Self.checkValue(record)
        }
        for type in required.sorted() where stream[type] == nil {
            throw StandardDefect(.missing, "record \(type)", at: end, "is missing; ask for a new text")
        }
        try Self.checkOffer(stream, end)
        if let signed, let key = stream[signed.key] {
            try stream.requireSignature(signed.message, by: try Self.point(key), end)
        }
    }

    private static func checkOffer(_ stream: Bolt12Stream, _ end: Int) throws(StandardDefect) {
        if let amount = stream[8] {
            guard stream[10] != nil else {
                throw StandardDefect(.missing, "record 10 (description)", at: end, "must stand with an amount")
            }
            guard amount.value.contains(where: { $0 != 0 }) else {
                throw amount.defect(.range, "(amount) must be more than zero")
            }
        } else if let currency = stream[6] {
            throw currency.defect(.mismatch, "(currency) must not stand without an amount")
        }
        guard stream.prefix != "lno" || stream[22] != nil || stream[16] != nil else {
            throw StandardDefect(.missing, "record 22 (issuer)", at: end, "or 16 (paths) must say who is paid")
        }
    }

    // MARK: Values

    private static func checkValue(_ record: Bolt12Stream.Record) throws(StandardDefect) {
        switch record.type {
        case 2:
            guard !record.value.isEmpty, record.value.count % 32 == 0 else {
                throw record.defect(.length, "(chains) must name at least one chain, each in 32 bytes")
            }
        case 6, 10, 18, 89:
            guard String(validating: record.value, as: UTF8.self) != nil else {
                throw record.defect(.encoding, "is no UTF-8 text; ask for a new one")
            }
            guard record.type != 6 || record.value.count == 3 && record.value.allSatisfy({ $0 &- 0x41 < 26 }) else {
                throw record.defect(.malformed, "(currency) must be three capital letters")
            }
        case 8, 14, 20, 82, 86, 164, 166, 170:
            guard record.value.count <= 8, record.value.first != 0 else {
                throw record.defect(.malformed, "is no number in as few bytes as it needs")
            }
        case 12, 84, 174: try checkFeatures(record)
        case 16, 90, 160: try checkPaths(record)
        case 22, 88, 176: _ = try point(record)
        case 80, 168:
            guard record.value.count == 32 else { throw record.defect(.length, "must have 32 bytes") }
        default: break
        }
    }

    /// Checks the features. Only paying in parts (bits 17 and 16 of invoices) may be demanded.
    private static func checkFeatures(_ record: Bolt12Stream.Record) throws(StandardDefect) {
        for (place, byte) in record.value.reversed().enumerated() {
            for bit in stride(from: 0, to: 8, by: 2) where byte & 1 << UInt8(bit) != 0 {
                let number = place * 8 + bit
                guard record.type == 174, number == 16 else {
                    throw record.defect(
                        .unsupported, "demands feature \(number), which is not known; use another wallet")
                }
            }
        }
    }

    private static func point(_ record: Bolt12Stream.Record) throws(StandardDefect) -> Secp256k1PublicKey {
        guard let key = try? Secp256k1PublicKey(parsing: record.value), record.value.count == 33 else {
            throw record.defect(.range, "holds no public key of the curve; ask for a new text")
        }
        return key
    }

    /// Checks blinded paths: a first node (a key or a channel's end), a key, and hops with a key and some data each.
    private static func checkPaths(_ record: Bolt12Stream.Record) throws(StandardDefect) {
        var rest = record.value[...]
        func take(_ count: Int) throws(StandardDefect) -> ArraySlice<UInt8> {
            guard rest.count >= count else { throw record.defect(.length, "(paths) breaks off; ask for a new text") }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func takePoint() throws(StandardDefect) {
            guard (try? Secp256k1PublicKey(parsing: try take(33))) != nil else {
                throw record.defect(.range, "(paths) holds no public key of the curve; ask for a new text")
            }
        }
        repeat {
            if let first = rest.first, first < 2 { _ = try take(9) } else { try takePoint() }
            try takePoint()
            let hops = try take(1).reduce(0) { Int($0) + Int($1) }
            guard hops > 0 else { throw record.defect(.malformed, "(paths) has a path that leads nowhere") }
            for _ in 0..<hops {
                try takePoint()
                let length = try take(2).reduce(0) { Int($0) << 8 | Int($1) }
                _ = try take(length)
            }
        } while !rest.isEmpty
    }

    /// Returns the chains in record 2.
    static func chains(in record: Bolt12Stream.Record) -> [[UInt8]] {
        stride(from: 0, to: record.value.count - 31, by: 32).map { Array(record.value[$0..<$0 + 32]) }
    }
}

/// A BOLT 12 text before it is signed, for simulated nodes.
package struct Bolt12Draft: Sendable {
    private let prefix: String
    private var records: [UInt64: [UInt8]]

    /// - Parameters:
    ///   - prefix: `lno` for an offer, `lni` for an invoice.
    ///   - records: The values by their types.
    package init(_ prefix: String, _ records: [UInt64: [UInt8]]) { (self.prefix, self.records) = (prefix, records) }

    /// The text without a signature, as of offers.
    package var text: String {
        let bytes = records.sorted { $0.key < $1.key }.flatMap { type, value in
            Self.number(type) + Self.number(UInt64(value.count)) + value
        }
        return prefix + "1" + String(decoding: Bech32.groups(of: bytes).map(Bolt12Stream.letter(of:)), as: UTF8.self)
    }

    /// Returns the text signed as a `message` (`invoice`), and the signature.
    ///
    /// - Throws: `Secp256k1Error`, and ``StandardDefect`` for records that no text can have.
    package func signed(
        _ message: String, by node: Secp256k1PrivateKey
    ) throws -> (text: String, signature: SchnorrSignature) {
        var signed = self
        let stream = try Bolt12Stream(TextPart(bytes: Array(text.utf8)[...]), "draft")
        let signature = try node.schnorrSign(digest: stream.digest(message))
        signed.records[240] = signature.bytes
        return (signed.text, signature)
    }

    /// Returns a number in as few bytes as it needs (BOLT 1, BigSize).
    private static func number(_ value: UInt64) -> [UInt8] {
        let (mark, count): (UInt8?, Int) =
            switch value {
            case ..<0xFD: (nil, 1)
            case ..<0x1_0000: (0xFD, 2)
            case ..<0x1_0000_0000: (0xFE, 4)
            default: (0xFF, 8)
            }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        return (mark.map { [$0] } ?? []) + bytes
    }
}
