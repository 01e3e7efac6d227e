import PaymentCore

/// The 20-byte address of an Ethereum account or contract.
public struct EthereumAddress: Sendable, Hashable {
    /// The 20 bytes.
    public let bytes: [UInt8]

    /// Creates an address by reading `0x` and 40 hexadecimal digits.
    ///
    /// Digits all in lower or all in upper case carry no checksum; mixed case must be exactly the one of ERC-55.
    ///
    /// - Throws: ``EthereumAddressError``.
    public init(parsing text: some StringProtocol) throws(EthereumAddressError) {
        guard text.utf8.starts(with: "0x".utf8) else { throw .missingPrefix }
        let digits = text.utf8.dropFirst(2)
        guard digits.allSatisfy({ Hex.value(of: $0) != nil }) else { throw .invalidDigit }
        guard digits.count == 40, let bytes = Hex.decode(text) else { throw .wrongLength(digits: digits.count) }
        self.bytes = bytes

        let hasLower = digits.contains { $0 >= UInt8(ascii: "a") }
        let hasUpper = digits.contains { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "F") }
        guard !hasLower || !hasUpper || text.utf8.elementsEqual(checksummed.utf8) else { throw .wrongChecksum }
    }

    /// Creates an address from its 20 bytes; nil for any other number.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 20 else { return nil }
        self.bytes = Array(bytes)
    }

    /// The address of the account that a public key controls: the last 20 bytes of the Keccak-256 of its point's two
    /// coordinates, 64 bytes.
    package init(coordinates: some Collection<UInt8>) {
        bytes = Array(Keccak256.hash(coordinates).suffix(20))
    }

    /// `0x` and 40 digits whose case is the checksum of ERC-55.
    public var checksummed: String { checksummed(hashing: "") }

    /// Returns `0x` and 40 digits whose case is the checksum of ERC-1191, which differs for each chain (Rootstock's are
    /// 30 and 31).
    public func checksummed(chainID: UInt64) -> String { checksummed(hashing: "\(chainID)0x") }

    private func checksummed(hashing prefix: String) -> String {
        let digits = Array(Hex.encode(bytes).utf8)
        let hash = Keccak256.hash(Array(prefix.utf8) + digits)
        let cased = digits.enumerated().map { index, digit in
            let nibble = index % 2 == 0 ? hash[index / 2] >> 4 : hash[index / 2] & 15
            return digit.isASCIILetter && nibble >= 8 ? digit & 0xDF : digit
        }
        return "0x" + String(decoding: cased, as: UTF8.self)
    }
}

extension EthereumAddress: CustomStringConvertible {
    /// The checksummed form.
    public var description: String { checksummed }
}

/// Why a text is not an Ethereum address.
@nonexhaustive
public enum EthereumAddressError: Error, Sendable, Hashable {
    /// It does not begin with `0x`.
    case missingPrefix
    /// A character after the prefix is no hexadecimal digit.
    case invalidDigit
    /// There are not exactly 40 digits.
    case wrongLength(digits: Int)
    /// The pattern of capitals is not the one of ERC-55: a digit is wrong.
    case wrongChecksum
}

extension EthereumAddressError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .missingPrefix: "an Ethereum address begins with 0x"
        case .invalidDigit: "the Ethereum address has a character that is no hexadecimal digit"
        case .wrongLength(let digits): "an Ethereum address has 40 digits after 0x, not \(digits)"
        case .wrongChecksum: "the Ethereum address fails its checksum (ERC-55); at least one character is wrong"
        }
    }
}
