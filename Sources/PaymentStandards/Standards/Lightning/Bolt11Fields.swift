import PaymentCore
import PaymentCrypto
import PaymentSecp256k1

/// The tagged fields of a BOLT 11 invoice. Fields of unknown type or of a wrong length are skipped, as in its test
/// vectors; each required one must occur in valid form.
struct Bolt11Fields: Sendable, Hashable {
    private(set) var paymentHash: [UInt8] = []
    private(set) var paymentSecret: [UInt8] = []
    private(set) var description: String?
    private(set) var descriptionHash: [UInt8]?
    private(set) var payee: Secp256k1PublicKey?
    private(set) var metadata: [UInt8]?
    private(set) var expirySeconds: UInt64 = 3600
    private(set) var minFinalCltv: UInt64 = 18
    private(set) var fallbacks: [BitcoinAddress] = []
    private(set) var routes = 0
    /// The feature bits that are set, ascending.
    private(set) var features: [Int] = []
    /// The letters of skipped fields.
    private(set) var skipped: [String] = []

    /// The even feature bits that an invoice may demand: readers of the current BOLT 9 understand them.
    private static let understood: Set<Int> = [8, 14, 16, 24, 48]
    private static let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    /// Reads `groups`. `place` returns the place in the text of the group at an index.
    init(_ groups: ArraySlice<UInt8>, _ network: Bolt11.Network, _ place: (Int) -> Int) throws(StandardDefect) {
        var seen: Set<UInt8> = []
        var index = groups.startIndex
        while index < groups.endIndex {
            let letter = String(UnicodeScalar(Self.letters[Int(groups[index])]))
            guard index + 3 <= groups.endIndex, case let length = Int(groups[index + 1]) << 5 | Int(groups[index + 2]),
                index + 3 + length <= groups.endIndex
            else {
                throw StandardDefect(.length, "field \(letter)", at: place(index), "is cut off; ask for a new invoice")
            }
            let value = groups[index + 3..<index + 3 + length]
            let field = Field(type: groups[index], letter: letter, value: value, offset: place(index))
            if try !take(field, network) {
                skipped.append(letter)
            } else if !Self.repeatable.contains(field.type), !seen.insert(field.type).inserted {
                throw field.defect(.duplicate, "stands twice; readers would disagree which counts")
            }
            index += 3 + length
        }
        let end = place(groups.endIndex)
        if paymentHash.isEmpty { throw Self.missing("p (payment hash)", end) }
        if paymentSecret.isEmpty { throw Self.missing("s (payment secret)", end) }
        guard (description == nil) != (descriptionHash == nil) else {
            throw StandardDefect(
                description == nil ? .missing : .mismatch, "field d (description)", at: end,
                "must stand once, or h in its place; ask for a new invoice")
        }
    }

    private struct Field {
        let type: UInt8
        let letter: String
        let value: ArraySlice<UInt8>
        let offset: Int

        func defect(_ kind: StandardDefect.Kind, _ advice: String) -> StandardDefect {
            StandardDefect(kind, "field \(letter)", at: offset, advice)
        }
    }

    /// `f` and `r`.
    private static let repeatable: Set<UInt8> = [9, 3]

    private static func missing(_ name: String, _ offset: Int) -> StandardDefect {
        StandardDefect(.missing, "field \(name)", at: offset, "is missing; ask for a new invoice")
    }

    /// Reads a field; false when it is to be skipped.
    private mutating func take(_ field: Field, _ network: Bolt11.Network) throws(StandardDefect) -> Bool {
        switch field.type {
        case 1:
            guard let bytes = Self.bytes32(field) else { return false }
            paymentHash = bytes
        case 16:
            guard let bytes = Self.bytes32(field) else { return false }
            paymentSecret = bytes
        case 23:
            guard let bytes = Self.bytes32(field) else { return false }
            descriptionHash = bytes
        case 19:
            guard field.value.count == 53, let bytes = Bech32.bytes(of: field.value) else { return false }
            guard let key = try? Secp256k1PublicKey(parsing: bytes) else {
                throw field.defect(.range, "holds no public key of the curve; ask for a new invoice")
            }
            payee = key
        case 13:
            guard let bytes = Bech32.bytes(of: field.value), let text = String(validating: bytes, as: UTF8.self) else {
                throw field.defect(.encoding, "is no UTF-8 text; ask for a new invoice")
            }
            description = text
        case 27:
            guard let bytes = Bech32.bytes(of: field.value) else {
                throw field.defect(.malformed, "has stray bits at its end; ask for a new invoice")
            }
            metadata = bytes
        case 6: expirySeconds = try Self.number(field)
        case 24: minFinalCltv = try Self.number(field)
        case 9: return try takeFallback(field, network)
        case 3:
            guard let bytes = Bech32.bytes(of: field.value), !bytes.isEmpty, bytes.count % 51 == 0 else { return false }
            routes += 1
        case 5: try takeFeatures(field)
        default: return false
        }
        return true
    }

    private static func bytes32(_ field: Field) -> [UInt8]? {
        field.value.count == 52 ? Bech32.bytes(of: field.value) : nil
    }

    private static func number(_ field: Field) throws(StandardDefect) -> UInt64 {
        var number: UInt64 = 0
        for group in field.value {
            guard number >> 59 == 0 else { throw field.defect(.range, "is larger than any such number can be") }
            number = number << 5 | UInt64(group)
        }
        return number
    }

    private mutating func takeFeatures(_ field: Field) throws(StandardDefect) {
        for (place, group) in field.value.reversed().enumerated() {
            for bit in 0..<5 where group & 1 << UInt8(bit) != 0 { features.append(place * 5 + bit) }
        }
        if let unknown = features.first(where: { $0 % 2 == 0 && !Self.understood.contains($0) }) {
            throw field.defect(.unsupported, "demands feature \(unknown), which is not known; use another wallet")
        }
    }

    private mutating func takeFallback(_ field: Field, _ network: Bolt11.Network) throws(StandardDefect) -> Bool {
        guard let version = field.value.first else { return false }
        let addresses = network.addresses
        let program = field.value.dropFirst()
        let text: String
        switch version {
        case 17, 18:
            guard let hash = Bech32.bytes(of: program), hash.count == 20 else { return false }
            let mark: UInt8 =
                switch (version, addresses) {
                case (17, .mainnet): 0x00
                case (17, _): 0x6F
                case (_, .mainnet): 0x05
                default: 0xC4
                }
            text = Base58Check.encode([mark] + hash)
        case 0...16:
            text = Bech32.encode(
                prefix: addresses.prefix, groups: Array(field.value), version == 0 ? .bech32 : .bech32m)
        default: return false
        }
        do throws(StandardDefect) {
            fallbacks.append(
                try BitcoinAddress(TextPart(decoded: text, at: field.offset), "field f (fallback address)"))
        } catch {
            throw field.defect(.malformed, "holds a fallback address that cannot be paid; ask for a new invoice")
        }
        return true
    }
}
