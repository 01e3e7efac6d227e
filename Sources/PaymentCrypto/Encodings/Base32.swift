/// Text in groups of five bits, most significant first, without padding characters.
public struct Base32: Sendable {
    /// RFC 4648: Stellar and Algorand.
    public static let standard = Base32("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    /// Nano's.
    public static let nano = Base32("13456789abcdefghijkmnopqrstuwxyz")
    /// z-base-32, which people read and write more easily.
    public static let human = Base32("ybndrfg8ejkmcpqxot1uwisza345h769")

    private let characters: [UInt8]
    /// The value of each byte; 255 for bytes that are no digit.
    private let values: [UInt8]

    private init(_ characters: StaticString) {
        self.characters = Array(UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount))
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in self.characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
    }

    /// Returns the values below 32 of the digits in `text`; nil for other characters.
    @inlinable
    public func groups(_ text: some Sequence<UInt8>) -> [UInt8]? { values(of: Array(text)[...]) }

    /// Returns the whole bytes that `text` spells; nil for other characters, for a length that no bytes have and for
    /// spare bits that are not zero, unless `ignoringSpareBits` allows these.
    @inlinable
    public func decode(_ text: some Sequence<UInt8>, ignoringSpareBits: Bool = false) -> [UInt8]? {
        bytes(of: Array(text)[...], ignoringSpareBits: ignoringSpareBits)
    }

    /// Returns the result of ``groups(_:)`` for a text's bytes.
    @usableFromInline
    package func values(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var groups: [UInt8] = []
        groups.reserveCapacity(text.count)
        for byte in text {
            let value = values[Int(byte)]
            guard value < 32 else { return nil }
            groups.append(value)
        }
        return groups
    }

    /// Returns the result of ``decode(_:ignoringSpareBits:)`` for a text's bytes.
    @usableFromInline
    package func bytes(of text: ArraySlice<UInt8>, ignoringSpareBits: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 5 / 8)
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for byte in text {
            let value = values[Int(byte)]
            guard value < 32 else { return nil }
            word = word << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            word &= (1 << bits) - 1
        }
        return bits < 5 && (word == 0 || ignoringSpareBits) ? bytes : nil
    }

    /// Returns the text of the first `bitCount` bits of `bytes`, all of them where it is nil; filled up with zeros.
    public func encode(_ bytes: [UInt8], bitCount: Int? = nil) -> String {
        let count = ((bitCount ?? bytes.count * 8) + 4) / 5
        let text = (0..<count).map { index in
            let bit = index * 5
            let high = bit / 8 < bytes.count ? UInt16(bytes[bit / 8]) << 8 : 0
            let low = bit / 8 + 1 < bytes.count ? UInt16(bytes[bit / 8 + 1]) : 0
            var value = (high | low) >> UInt16(11 - bit % 8) & 31
            if let bitCount, bit + 5 > bitCount { value &= 31 << UInt16(bit + 5 - bitCount) }
            return characters[Int(value)]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
