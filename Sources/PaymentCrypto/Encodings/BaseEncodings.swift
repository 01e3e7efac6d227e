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

    /// Returns the text of the first `bitCount` bits of `bytes`, or of all bits if it is nil. Zeros fill the last
    /// group.
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

// MARK: - Base58

/// The text form of addresses of Bitcoin and its relatives, Solana, Tron and XRP.
public enum Base58 {
    /// An order of the 58 characters.
    public struct Alphabet: Sendable {
        fileprivate let characters: [UInt8]
        /// The value of each byte; 255 for bytes that are no digit.
        fileprivate let values: [UInt8]

        private init(_ characters: StaticString) {
            self.characters = Array(
                UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount))
            var values = [UInt8](repeating: 0xFF, count: 256)
            for (value, character) in self.characters.enumerated() { values[Int(character)] = UInt8(value) }
            self.values = values
        }

        /// Bitcoin's, which nearly all others use.
        public static let bitcoin = Alphabet("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        /// The XRP Ledger's.
        public static let ripple = Alphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")
    }

    /// Longer than most addresses; bounds the work, which grows with the square of the length.
    public static let longestText = 64

    /// Returns the bytes that `text` spells; nil for other characters and for texts longer than any address.
    @inlinable
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(Array(text.utf8)[...]) }

    /// Returns the bytes that the digits in `text` spell; nil for other characters and for texts of more than `limit`.
    public static func decode(
        _ text: ArraySlice<UInt8>, _ alphabet: Alphabet = .bitcoin, limit: Int = longestText
    ) -> [UInt8]? {
        guard text.count <= limit else { return nil }
        let zero = alphabet.characters[0]
        let zeros = text.prefix { $0 == zero }.count
        // The number in words of 32 bits, the least first: a digit takes less than six bits.
        return withUnsafeTemporaryAllocation(of: UInt32.self, capacity: text.count * 6 / 32 + 1) { words in
            guard let count = read(text, alphabet, into: words) else { return nil }
            guard count > 0 else { return [UInt8](repeating: 0, count: zeros) }
            let top = 4 - words[count - 1].leadingZeroBitCount / 8
            let length = zeros + (count - 1) * 4 + top
            return [UInt8](unsafeUninitializedCapacity: length) { bytes, initialized in
                for index in 0..<zeros { bytes.initializeElement(at: index, to: 0) }
                for place in 0..<length - zeros {
                    let word = words[place / 4] >> UInt32(place % 4 * 8)
                    bytes.initializeElement(at: length - 1 - place, to: UInt8(truncatingIfNeeded: word))
                }
                initialized = length
            }
        }
    }

    /// Writes the number that `text` spells into `words` and returns the number of words; nil for other characters.
    private static func read(
        _ text: ArraySlice<UInt8>, _ alphabet: Alphabet, into words: UnsafeMutableBufferPointer<UInt32>
    ) -> Int? {
        var count = 0
        // Five digits at a time: their weight still fits a word.
        var weight: UInt64 = 1
        var group: UInt64 = 0
        var open = text.count
        for digit in text {
            let value = alphabet.values[Int(digit)]
            guard value < 58 else { return nil }
            group = group * 58 + UInt64(value)
            weight *= 58
            open -= 1
            guard open % 5 == 0 else { continue }
            for index in 0..<count {
                let sum = UInt64(words[index]) * weight + group
                words[index] = UInt32(truncatingIfNeeded: sum)
                group = sum >> 32
            }
            if group > 0 {
                words.initializeElement(at: count, to: UInt32(group))
                count += 1
            }
            (weight, group) = (1, 0)
        }
        return count
    }

    /// Returns the text that spells `bytes`. The work grows with the square of their number: for keys and addresses.
    @inlinable
    public static func encode(_ bytes: some Collection<UInt8>, _ alphabet: Alphabet = .bitcoin) -> String {
        text(of: Array(bytes), alphabet)
    }

    @usableFromInline
    static func text(of bytes: [UInt8], _ alphabet: Alphabet) -> String {
        // The number in groups of five digits, the least first: each fits a word of 32 bits.
        let base: UInt64 = 58 * 58 * 58 * 58 * 58
        var groups: [UInt64] = []
        groups.reserveCapacity(bytes.count / 3 + 1)
        // Four bytes at a time.
        var weight: UInt64 = 1
        var carry: UInt64 = 0
        var open = bytes.count
        for byte in bytes {
            carry = carry << 8 | UInt64(byte)
            weight <<= 8
            open -= 1
            guard open % 4 == 0 else { continue }
            for index in groups.indices {
                (carry, groups[index]) = (groups[index] * weight + carry).quotientAndRemainder(dividingBy: base)
            }
            while carry > 0 {
                groups.append(carry % base)
                carry /= base
            }
            weight = 1
        }
        var digits: [UInt8] = []
        digits.reserveCapacity(bytes.count + groups.count * 5)
        for group in groups {
            var rest = group
            for _ in 0..<5 {
                digits.append(alphabet.characters[Int(rest % 58)])
                rest /= 58
            }
        }
        let zero = alphabet.characters[0]
        while digits.last == zero { digits.removeLast() }
        for byte in bytes {
            guard byte == 0 else { break }
            digits.append(zero)
        }
        digits.reverse()
        return String(decoding: digits, as: UTF8.self)
    }
}

// MARK: - Base64 for URLs

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 section 5), as JOSE writes it.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for (position, byte) in group.enumerated() { word |= UInt32(byte) << UInt32(16 - 8 * position) }
            for digit in 0...group.count { text.append(alphabet[Int(word >> UInt32(18 - 6 * digit) & 63)]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of `text`, or nil when it is not strictly of this form: another alphabet, padding, an
    /// impossible length or stray bits at the end.
    @inlinable
    public static func decode(_ text: some StringProtocol) -> [UInt8]? { bytes(of: Array(text.utf8)[...]) }

    /// Returns the result of ``decode(_:)`` for a text's bytes.
    @usableFromInline
    package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var word: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            guard let digit = value(of: character) else { return nil }
            word = word << 6 | UInt32(digit)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
                word &= (1 << bits) - 1
            }
        }
        return bits < 6 && word == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
