import PaymentCore
import PaymentCrypto

// Strict readers of the values in calls: one notation each that every wallet reads alike.

extension String {
    /// Returns true if both are the same bytes. Texts that are merely equal may be different letters: to Unicode the
    /// Kelvin sign is a K, to most wallets it is not.
    func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension EthereumAddress {
    /// Reads `0x` and 40 digits. Numbers are refused: they hash the same, but escape every list of addresses.
    static func read(_ value: JSONValue?, at member: String) throws(SigningError) -> EthereumAddress {
        guard let text = value?.string else {
            throw SigningError(.addressMalformed, member, "an address is missing or not written as text")
        }
        do { return try EthereumAddress(parsing: text) } catch .wrongChecksum {
            throw SigningError(.addressChecksum, member, "an address fails its checksum")
        } catch {
            throw SigningError(.addressMalformed, member, "an address is not 0x and 40 hexadecimal digits")
        }
    }

    /// True if it is the zero address: money sent there is lost.
    var isZero: Bool { bytes.allSatisfy { $0 == 0 } }
}

extension UInt256 {
    /// The largest whole number that every reader of JSON keeps.
    private static let largestInJSON: UInt64 = (1 << 53) - 1

    /// Reads `0x` and hexadecimal digits, decimal digits without leading zeros, or a JSON integer up to 2^53 - 1.
    static func read(_ value: JSONValue?, at member: String) throws(SigningError) -> UInt256 {
        let malformed = SigningError(
            .numberMalformed, member, "a number is missing, not whole, or larger than 256 bits")
        switch value {
        case .number(let number):
            // As digits only: readers disagree about exponents and fractions that are whole.
            guard number.text.utf8.allSatisfy(\.isASCIIDigit), let whole = number.uint64, whole <= largestInJSON else {
                throw malformed
            }
            return UInt256(UInt128(whole))
        case .string(let text):
            let digits = text.utf8
            let isHex = digits.starts(with: "0x".utf8)
            let body = Array(isHex ? digits.dropFirst(2) : digits[...])
            guard body.count <= (isHex ? 64 : 78), isHex || body.count == 1 || body.first != UInt8(ascii: "0"),
                let number = UInt256(digits: body, radix: isHex ? 16 : 10)
            else { throw malformed }
            return number
        default: throw malformed
        }
    }
}

/// Reads exactly 32 bytes, as typed data writes `bytes32`.
func readBytes32(_ value: JSONValue?, at member: String) throws(SigningError) -> [UInt8] {
    guard let text = value?.string, text.hasPrefix("0x"), let bytes = Hex.decode(text), bytes.count == 32 else {
        throw SigningError(.numberMalformed, member, "32 bytes are not written as 0x and 64 digits")
    }
    return bytes
}
