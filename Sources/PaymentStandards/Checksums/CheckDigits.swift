import PaymentCore
import PaymentCrypto

/// Check digits of bank numbers. All take ASCII digits or letters only and return nil or false for anything else.
enum CheckDigits {
    /// Returns the remainder modulo 97 of a text whose letters count as 10 to 35 (ISO 7064 MOD 97-10); nil for other
    /// characters than digits and capital letters.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - start: The remainder of the text before it.
    static func remainder97(_ bytes: some Sequence<UInt8>, after start: Int = 0) -> Int? {
        var remainder = start
        for byte in bytes {
            if byte.isASCIIDigit {
                remainder = (remainder * 10 + Int(byte - 0x30)) % 97
            } else if byte &- 0x41 < 26 {
                remainder = (remainder * 100 + Int(byte - 0x41) + 10) % 97
            } else {
                return nil
            }
        }
        return remainder
    }

    /// Returns true if the check digits in places 3 and 4 fit the rest, which ISO 13616 (IBAN) and ISO 11649 (RF) move
    /// to the front.
    static func isSound97(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count > 4, bytes.dropFirst(2).prefix(2).allSatisfy(\.isASCIIDigit) else { return false }
        guard let body = remainder97(bytes.dropFirst(4)) else { return false }
        return remainder97(bytes.prefix(4), after: body) == 1
    }

    /// Returns true if the last of `digits` is the check digit of the others by carry (modulo 10, recursive): the Swiss
    /// QR reference.
    static func isSound10Recursive(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count > 1, digits.allSatisfy(\.isASCIIDigit), let last = digits.last else { return false }
        let carry = digits.dropLast().reduce(0) { row[($0 + Int($1 - 0x30)) % 10] }
        return (10 - carry) % 10 == Int(last - 0x30)
    }

    private static let row = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5]

    /// Returns true if the last of `digits` is the check digit of the others with weights 7, 3, 1 from the right: the
    /// Finnish reference.
    static func isSound731(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count > 1, digits.allSatisfy(\.isASCIIDigit), let last = digits.last else { return false }
        var sum = 0
        var weight = 7
        for digit in digits.dropLast().reversed() {
            sum += Int(digit - 0x30) * weight
            weight = weight == 7 ? 3 : weight == 3 ? 1 : 7
        }
        return (10 - sum % 10) % 10 == Int(last - 0x30)
    }

    /// Returns true if nine digits are a routing number of the American Bankers Association.
    static func isRoutingNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        guard digits.count == 9, digits.allSatisfy(\.isASCIIDigit) else { return false }
        return zip(digits, 0...).reduce(0) { $0 + Int($1.0 - 0x30) * [3, 7, 1][$1.1 % 3] } % 10 == 0
    }

    /// Returns true if the text has the form of a bank's code (ISO 9362): four letters or digits, a country's two
    /// letters, two letters or digits, and three more or none. Does not check that the bank exists.
    static func isBankCode(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count == 8 || bytes.count == 11 else { return false }
        return zip(bytes, 0...).allSatisfy { byte, place in
            byte &- 0x41 < 26 || (place < 4 || place > 5) && byte.isASCIIDigit
        }
    }
}

/// Cyclic redundancy checks. They detect mistakes, not forgery.
package enum CyclicRedundancy {
    /// CRC-16 with polynomial 1021, most significant bit first, no final change. "123456789" gives 29B1 from FFFF
    /// (CCITT-FALSE: EMVCo) and 31C3 from 0 (XMODEM: Stellar, TON).
    static func crc16(_ bytes: some Sequence<UInt8>, initial: UInt16) -> UInt16 {
        var state = initial
        for byte in bytes { state = state << 8 ^ table16[Int(UInt8(state >> 8) ^ byte)] }
        return state
    }

    /// CRC-32 of IEEE 802.3, reflected: SPD, PAY by square, Cardano's Byron addresses, PNG. "123456789" gives CBF43926.
    package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var state = UInt32.max
        for byte in bytes { state = state >> 8 ^ table32[Int(UInt8(truncatingIfNeeded: state) ^ byte)] }
        return ~state
    }

    private static let table16: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { state, _ in state & 0x8000 != 0 ? state << 1 ^ 0x1021 : state << 1 }
    }

    private static let table32: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { state, _ in state & 1 != 0 ? state >> 1 ^ 0xEDB8_8320 : state >> 1 }
    }
}

/// Base58 with four bytes of double SHA-256 at the end, as in Bitcoin's older addresses and their relatives.
enum Base58Check {
    /// Returns the version and payload of `part`; nil if it is not base58, too long for any address, or its checksum is
    /// wrong.
    static func decode(
        _ part: TextPart, _ alphabet: Base58.Alphabet = .bitcoin, limit: Int = Base58.longestText
    ) -> [UInt8]? {
        guard var payload = Base58.decode(part.bytes, alphabet, limit: limit), payload.count > 4 else { return nil }
        let written = checkWord(payload.suffix(4))
        payload.removeLast(4)
        return checkWord(checksum(payload)) == written ? payload : nil
    }

    /// Returns the text of a version and payload.
    static func encode(_ payload: [UInt8], _ alphabet: Base58.Alphabet = .bitcoin) -> String {
        Base58.encode(payload + checksum(payload), alphabet)
    }

    private static func checksum(_ payload: [UInt8]) -> ArraySlice<UInt8> {
        Digest.sha256.hashTwice(payload).prefix(4)
    }

    private static func checkWord(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
