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
    @inlinable
    public init(parsing text: some StringProtocol) throws(EthereumAddressError) {
        try self.init(spelling: Array(text.utf8)[...])
    }

    /// Creates an address by reading a text's bytes.
    @usableFromInline
    package init(spelling text: ArraySlice<UInt8>) throws(EthereumAddressError) {
        let digits = text.dropFirst(2)
        guard text.starts(with: "0x".utf8) else { throw .missingPrefix }
        var hasLower = false
        var hasUpper = false
        for digit in digits {
            guard Hex.value(of: digit) != nil else { throw .invalidDigit }
            if digit >= UInt8(ascii: "a") { hasLower = true } else if digit >= UInt8(ascii: "A") { hasUpper = true }
        }
        guard digits.count == 40, let bytes = Hex.bytes(of: digits) else { throw .wrongLength(digits: digits.count) }
        self.bytes = bytes
        guard !hasLower || !hasUpper || isChecksummed(digits) else { throw .wrongChecksum }
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
        "0x" + String(decoding: cased(hashing: prefix), as: UTF8.self)
    }

    /// True if `digits`, which spell this address, have the case of ERC-55.
    private func isChecksummed(_ digits: ArraySlice<UInt8>) -> Bool { cased(hashing: "").elementsEqual(digits) }

    private func cased(hashing prefix: String) -> [UInt8] {
        var digits = Array(Hex.encode(bytes).utf8)
        let hash = Keccak256.hash(prefix.isEmpty ? digits : Array(prefix.utf8) + digits)
        for index in digits.indices where digits[index].isASCIILetter {
            let nibble = index % 2 == 0 ? hash[index / 2] >> 4 : hash[index / 2] & 15
            if nibble >= 8 { digits[index] &= 0xDF }
        }
        return digits
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
    /// A character after the prefix is not a hexadecimal digit.
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
