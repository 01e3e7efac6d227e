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
        var reversed: [UInt8] = []
        for byte in bytes {
            var carry = Int(byte)
            for index in reversed.indices {
                carry += Int(reversed[index]) << 8
                reversed[index] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                reversed.append(UInt8(carry % 58))
                carry /= 58
            }
        }
        let zeros = bytes.prefix { $0 == 0 }.count
        let digits = [UInt8](repeating: 0, count: zeros) + reversed.reversed()
        return String(decoding: digits.map { alphabet.characters[Int($0)] }, as: UTF8.self)
    }
}
