import PaymentCore

/// Bech32 and bech32m: a readable prefix, `1`, groups of five bits and a checksum. Source: BIP-173, BIP-350.
struct Bech32: Sendable, Hashable {
    /// The two checksum constants. A text of one is never a text of the other.
    enum Variant: UInt32, Sendable {
        case bech32 = 1
        case bech32m = 0x2BC8_30A3
    }

    /// BIP-173's limit. BOLT 11, LNURL, Cardano, BIP-352 and NUT-26 lift it.
    static let shortLimit = 90
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() {
            values[Int(character)] = UInt8(value)
            if character.isASCIILetter { values[Int(character & 0xDF)] = UInt8(value) }
        }
        return values
    }()

    /// The prefix in lower case.
    let prefix: String
    /// The groups of five bits, without the checksum.
    let groups: [UInt8]
    /// Which checksum it has.
    let variant: Variant

    /// Reads `part`.
    ///
    /// - Throws: ``StandardDefect`` naming the first character that cannot stand there, or the checksum.
    init(_ part: TextPart, _ name: String, limit: Int = shortLimit) throws(StandardDefect) {
        let bytes = part.bytes
        guard bytes.count <= limit else {
            throw part.defect(.length, name, "has more than \(limit) characters; check where it ends")
        }
        guard let separator = bytes.lastIndex(of: UInt8(ascii: "1")), separator > bytes.startIndex else {
            throw part.defect(.malformed, name, "has no prefix and 1 before its data; copy all of it")
        }
        let head = bytes[..<separator]
        guard head.count <= 83, bytes.endIndex - separator > 6 else {
            throw part.defect(.length, name, "is too short or its prefix too long; copy all of it")
        }
        var hasLower = false
        var hasUpper = false
        for index in bytes.indices {
            let byte = bytes[index]
            let isSound =
                index < separator ? byte > 0x20 && byte < 0x7F : index == separator || Self.values[Int(byte)] < 32
            guard isSound else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "has a character that bech32 does not use")
            }
            if byte &- 0x61 < 26 { hasLower = true } else if byte &- 0x41 < 26 { hasUpper = true }
            guard !(hasLower && hasUpper) else {
                throw StandardDefect(
                    .malformed, name, at: part.place(index), "mixes capital and small letters; copy it again")
            }
        }
        var state: UInt32 = 1
        for byte in head { state = Self.step(state, byte.lowercasedASCII >> 5) }
        state = Self.step(state, 0)
        for byte in head { state = Self.step(state, byte.lowercasedASCII & 31) }
        let groups = bytes[(separator + 1)...].map { Self.values[Int($0)] }
        for group in groups { state = Self.step(state, group) }
        guard let variant = Variant(rawValue: state) else {
            throw part.defect(.checksum, name, "fails its checksum: at least one character is wrong; copy it again")
        }
        prefix = String(decoding: head.map(\.lowercasedASCII), as: UTF8.self)
        self.groups = groups.dropLast(6)
        self.variant = variant
    }

    private static func step(_ state: UInt32, _ group: UInt8) -> UInt32 {
        let top = state >> 25
        var next = (state & 0x1FF_FFFF) << 5 ^ UInt32(group)
        if top & 1 != 0 { next ^= 0x3B6A_57B2 }
        if top & 2 != 0 { next ^= 0x2650_8E6D }
        if top & 4 != 0 { next ^= 0x1EA1_19FA }
        if top & 8 != 0 { next ^= 0x3D42_33DD }
        if top & 16 != 0 { next ^= 0x2A14_62B3 }
        return next
    }

    /// The bytes that `groups` make; nil when more than four bits are left over or one of them is set.
    static func bytes(of groups: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var word: UInt32 = 0
        var bits = 0
        for group in groups {
            word = word << 5 | UInt32(group)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
                word &= (1 << UInt32(bits)) - 1
            }
        }
        return bits <= 4 && word == 0 ? bytes : nil
    }

    /// The groups of five bits that `bytes` make, filled up with zeros.
    static func groups(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var groups: [UInt8] = []
        var word: UInt32 = 0
        var bits = 0
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                groups.append(UInt8(word >> UInt32(bits) & 31))
            }
            word &= (1 << UInt32(bits)) - 1
        }
        if bits > 0 { groups.append(UInt8(word << UInt32(5 - bits) & 31)) }
        return groups
    }

    /// The text of `groups` behind `prefix`, which is in lower case.
    static func encode(prefix: String, groups: [UInt8], _ variant: Variant) -> String {
        var state: UInt32 = 1
        for byte in prefix.utf8 { state = step(state, byte >> 5) }
        state = step(state, 0)
        for byte in prefix.utf8 { state = step(state, byte & 31) }
        for group in groups { state = step(state, group) }
        for _ in 0..<6 { state = step(state, 0) }
        state ^= variant.rawValue
        let checksum = (0..<6).map { UInt8(state >> UInt32(5 * (5 - $0)) & 31) }
        return prefix + "1" + String(decoding: (groups + checksum).map { alphabet[Int($0)] }, as: UTF8.self)
    }
}
