import PaymentCore
import PaymentSecp256k1

/// The records that an offer, invoice request or invoice may and must have. Source: BOLT 12, "Offers" and the sections
/// that follow it.
struct Bolt12Rules: Sendable {
    /// The ranges that types may be in.
    private let ranges: [ClosedRange<UInt64>]
    /// The even types that are supported.
    private let known: Set<UInt64>
    /// The required types.
    private let required: Set<UInt64>
    /// The name of its signed message and the type of the signer's key; nil where it is not signed.
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

    /// Bitcoin's main chain as BOLT 2 names it: its first block's hash in the byte order of hashing.
    static let bitcoin = Hex.decode("6fe28c0ab6f1b372c1a6a246ae63f74f931e8365e15a089c68d6190000000000") ?? []

    /// Returns true if the specification names records of this type. Others of odd types are to be ignored.
    /// 89 is the payer's note, 91 the name of BIP-353.
    func knows(_ type: UInt64) -> Bool { known.contains(type) || type == 89 || type == 91 }

    /// Checks `stream`; `end` is the place of the text's end.
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
