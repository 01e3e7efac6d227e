/// The text form of Solana and Tron addresses (the alphabet of Bitcoin's).
public enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)
    /// Longer than any address; bounds the work, which grows with the square of the length.
    private static let longestText = 64

    /// The bytes that `text` spells; nil for other characters and for texts longer than any address.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count <= longestText else { return nil }
        var reversed: [UInt8] = []
        for digit in digits {
            guard var carry = alphabet.firstIndex(of: digit) else { return nil }
            for index in reversed.indices {
                carry += Int(reversed[index]) * 58
                reversed[index] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            if carry > 0 { reversed.append(UInt8(carry)) }
        }
        let zeros = digits.prefix { $0 == alphabet[0] }.count
        return [UInt8](repeating: 0, count: zeros) + reversed.reversed()
    }

    /// The text that spells `bytes`. The work grows with the square of their number: for keys and addresses.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
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
        return String(decoding: digits.map { alphabet[Int($0)] }, as: UTF8.self)
    }
}
