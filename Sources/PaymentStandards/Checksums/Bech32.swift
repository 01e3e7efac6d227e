import PaymentCore

/// Bech32 and bech32m: a readable prefix, `1`, groups of five bits and a checksum. Source: BIP-173, BIP-350.
package struct Bech32: Sendable, Hashable {
    /// The two checksum constants. A text of one is never a text of the other.
    package enum Variant: UInt32, Sendable {
        case bech32 = 1
        case bech32m = 0x2BC8_30A3
    }

    /// The limit of BIP-173. BOLT 11, LNURL, Cardano, BIP-352 and NUT-26 lift it.
    static let shortLimit = 90
    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    /// The value of each byte; 255 for bytes without one.
    static let values: [UInt8] = {
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
    /// The kind of its checksum.
    let variant: Variant

    /// Reads `part`.
    ///
    /// - Throws: ``StandardDefect`` naming the first character that is not allowed, or the checksum.
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
        try Self.checkCharacters(part, separator, name)
        prefix = part[bytes.startIndex..<separator].lowercased
        let (groups, state) = Self.read(head, bytes[(separator + 1)...])
        guard let variant = Variant(rawValue: state) else {
            throw part.defect(
                .checksum, name, "the checksum does not match: at least one character is wrong; copy it again")
        }
        self.groups = groups
        self.variant = variant
    }

    /// Throws if a character is not allowed, or letters are of both cases.
    private static func checkCharacters(_ part: TextPart, _ separator: Int, _ name: String) throws(StandardDefect) {
        let values = Self.values
        var hasLower = false
        var hasUpper = false
        for index in part.bytes.indices {
            let byte = part.bytes[index]
            let isSound = index < separator ? byte > 0x20 && byte < 0x7F : index == separator || values[Int(byte)] < 32
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
    }

    /// Returns the groups of `data` without the checksum's six, and the checksum over all; both parts have been
    /// checked.
    private static func read(_ head: ArraySlice<UInt8>, _ data: ArraySlice<UInt8>) -> ([UInt8], UInt32) {
        let values = Self.values
        return remainders.withUnsafeBufferPointer { remainders in
            var state = checksum(ofPrefix: head, remainders)
            let groups = [UInt8](unsafeUninitializedCapacity: data.count) { groups, count in
                for byte in data {
                    let group = values[Int(byte)]
                    groups.initializeElement(at: count, to: group)
                    count += 1
                    state = step(state, group, remainders)
                }
                count -= 6
            }
            return (groups, state)
        }
    }

    /// The contribution to the checksum of each value of the five bits that are shifted out.
    private static let remainders: [UInt32] = (0..<32).map { top in
        let parts: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
        return parts.enumerated().reduce(0) { top >> $1.offset & 1 == 1 ? $0 ^ $1.element : $0 }
    }

    private static func step(
        _ state: UInt32, _ group: UInt8, _ remainders: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        (state & 0x1FF_FFFF) << 5 ^ UInt32(group) ^ remainders[Int(state >> 25)]
    }

    private static func checksum(
        ofPrefix prefix: some Sequence<UInt8>, _ remainders: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        var state: UInt32 = 1
        for byte in prefix { state = step(state, byte.lowercasedASCII >> 5, remainders) }
        state = step(state, 0, remainders)
        for byte in prefix { state = step(state, byte.lowercasedASCII & 31, remainders) }
        return state
    }

    /// Returns the bytes of `groups`; nil if more than four bits are left over or one of them is set.
    package static func bytes(of groups: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(groups.underestimatedCount * 5 / 8)
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for group in groups {
            word = word << 5 | UInt32(group)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
                word &= (1 << bits) - 1
            }
        }
        return bits <= 4 && word == 0 ? bytes : nil
    }

    /// Returns the groups of five bits of `bytes`, filled up with zeros.
    package static func groups(of bytes: some Sequence<UInt8>) -> [UInt8] {
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

    /// Returns the text of `groups` after `prefix`, which is in lower case.
    package static func encode(prefix: String, groups: [UInt8], _ variant: Variant) -> String {
        let sum = remainders.withUnsafeBufferPointer { remainders in
            var state = checksum(ofPrefix: prefix.utf8, remainders)
            for group in groups + [UInt8](repeating: 0, count: 6) { state = step(state, group, remainders) }
            return state ^ variant.rawValue
        }
        let last = (0..<6).map { UInt8(sum >> UInt32(5 * (5 - $0)) & 31) }
        return prefix + "1" + String(decoding: (groups + last).map { alphabet[Int($0)] }, as: UTF8.self)
    }
}
