import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A whole number from 0 to 2^256 - 1: the content of a word of the EVM.
struct UInt256: Sendable, Hashable, Comparable {
    let high: UInt128
    let low: UInt128

    static let max = UInt256(high: .max, low: .max)

    init(high: UInt128, low: UInt128) {
        self.high = high
        self.low = low
    }

    init(_ value: UInt128) { self.init(high: 0, low: value) }

    /// Takes digits of `radix` 10 or 16; nil when there are none, one is wrong, or the number needs more bits.
    init?(digits: some Collection<UInt8>, radix: UInt8) {
        guard !digits.isEmpty else { return nil }
        var (high, low): (UInt128, UInt128) = (0, 0)
        for byte in digits {
            guard let digit = Hex.value(of: byte), digit < radix else { return nil }
            let product = low.multipliedFullWidth(by: UInt128(radix))
            let sum = product.low.addingReportingOverflow(UInt128(digit))
            let (upper, tooLarge) = high.multipliedReportingOverflow(by: UInt128(radix))
            // The carry of the lower half is below the radix, so it fits unless the upper half is full.
            let carry = product.high + (sum.overflow ? 1 : 0)
            let (total, overflow) = upper.addingReportingOverflow(carry)
            guard !tooLarge, !overflow else { return nil }
            (high, low) = (total, sum.partialValue)
        }
        self.init(high: high, low: low)
    }

    /// Takes a word, 32 bytes, most significant first; nil for any other number of bytes.
    init?(word: some Collection<UInt8>) {
        guard word.count == 32 else { return nil }
        func half(_ bytes: some Collection<UInt8>) -> UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }
        self.init(high: half(word.prefix(16)), low: half(word.suffix(16)))
    }

    /// The word: 32 bytes, most significant first.
    var word: [UInt8] {
        func bytes(_ half: UInt128) -> [UInt8] { (0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * $0)) } }
        return bytes(high) + bytes(low)
    }

    /// The number, when it is one of 64 bits: a time, a chain.
    var uint64: UInt64? { high == 0 ? UInt64(exactly: low) : nil }

    /// The decimal digits.
    var decimalText: String {
        // Nineteen digits at a time: the largest power of ten in 64 bits.
        let unit: UInt128 = 10_000_000_000_000_000_000
        var (high, low) = (high, low)
        var groups: [String] = []
        while high > 0 || low > 0 {
            let upper = high.quotientAndRemainder(dividingBy: unit)
            let lower = unit.dividingFullWidth((upper.remainder, low))
            (high, low) = (upper.quotient, lower.quotient)
            groups.append(String(lower.remainder))
        }
        guard let first = groups.popLast() else { return "0" }
        return groups.reversed().reduce(first) { $0 + String(repeating: "0", count: 19 - $1.count) + $1 }
    }

    static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

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

// MARK: - Rules

/// The limits of a signature's validity: by this device's clock, whatever the service states.
struct Deadline {
    /// The longest that a signature may be valid, in seconds.
    private static let longest: UInt64 = 86_400
    /// A day before the end of the year 9999: later times cannot be expressed by people or programs.
    private static let latest = 253_402_300_799 - longest

    /// Unix seconds.
    let now: UInt64

    /// Creates limits by whole seconds. A clock outside the years 1970 to 9999 is taken for 1970 or 9999, and accepts
    /// no real deadline.
    init(now: Date) {
        let seconds = now.timeIntervalSince1970.rounded(.down)
        self.now = seconds > Double(Self.latest) ? Self.latest : UInt64(exactly: seconds) ?? 0
    }

    func check(_ end: UInt256, at member: String) throws(SigningError) -> Date {
        if end <= UInt256(UInt128(now)) {
            throw SigningError(.deadlinePast, member, "it was good until a time that is over")
        }
        guard let end = end.uint64, end <= now + Self.longest else {
            throw SigningError(.deadlineTooFar, member, "it would be good for longer than a day")
        }
        return Date(timeIntervalSince1970: Double(end))
    }

    func checkStart(_ start: UInt256, at member: String) throws(SigningError) {
        guard start <= UInt256(UInt128(now)) else {
            throw SigningError(.notYetValid, member, "it becomes good only later")
        }
    }
}

/// The recipients that cannot be paid: money sent to them is lost.
struct RecipientRule {
    private let option: CheckedOption

    init(_ option: CheckedOption) { self.option = option }

    func check(_ address: EthereumAddress, at member: String) throws(SigningError) {
        let isToken = KnownToken.known("erc20", address.checksummed, on: option.chainID) != nil
        var isOwnToken = false
        if case .token(let token) = option.kind { isOwnToken = token.address == address }
        guard !address.isAddress(of: option.account), !isToken, !isOwnToken, address != option.chain?.wrapped,
            address != KnownContracts.permit2(on: option.chainID)
        else {
            throw SigningError(
                .recipientInvalid, member, "the money would go to the payer, or to a token's contract")
        }
        guard !ReservedAddresses.contain(address) else {
            throw SigningError(
                .recipientInvalid, member, "the money would be lost: the chain itself has the address, no payee")
        }
    }
}

extension EthereumAddress {
    func isAddress(of account: AccountID) -> Bool { "0x\(Hex.encode(bytes))".equalsIgnoringASCIICase(account.address) }

    /// The address as a word of the EVM.
    var word: [UInt8] { [UInt8](repeating: 0, count: 12) + bytes }
}
