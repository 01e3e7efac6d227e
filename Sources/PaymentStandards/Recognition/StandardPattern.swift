/// The beginning or shape of the texts that a standard reads. Plain data: all patterns are compiled into one table.
@nonexhaustive
public enum StandardPattern: Sendable, Hashable {
    /// A text with this first line exactly.
    case firstLine(String)
    /// A text that begins with this, in the same case.
    case prefix(String)
    /// A URI of this scheme, given in lower case. With payloads: one whose part behind the scheme (and `//`) begins
    /// with one of them, compared without regard to ASCII case. The longest payload that matches decides.
    case scheme(String, payloads: [String] = [])
    /// A URI whose scheme no other pattern names.
    case otherScheme
    /// A web link on exactly this host, the scheme's default port and any path.
    case host(String)
    /// A web link on this host or a subdomain of it.
    case hostSuffix(String)
    /// A web link on a host that no pattern names, with a query item of this name, given in lower case, in any case.
    case webParameter(String)
    /// A web link on a host that no pattern names, with a value that begins with this, given in lower case, in any
    /// case: a segment of the path, of a query item, or behind the `#`; or a whole item.
    case webValue(String)
    /// A web link on a host that no pattern names, whose path ends with this.
    case webPathSuffix(String)
    /// A text without line breaks that has this shape, white space at its end aside.
    case bare(BareShape)
    /// A text with exactly one `@` and no white space, after all else: `user@host`.
    case mailbox
}

/// The shape of a bare address, number or code. Shapes only narrow the choice: a checksum decides.
public struct BareShape: Sendable, Hashable {
    /// The beginning; empty for any.
    public let prefix: String
    /// True if the prefix is compared without regard to ASCII case.
    public let ignoresCase: Bool
    /// The allowed numbers of bytes.
    public let lengths: ClosedRange<Int>
    /// The characters it consists of.
    public let alphabet: Alphabet

    /// Creates a shape.
    public init(_ prefix: String = "", ignoresCase: Bool = false, lengths: ClosedRange<Int>, _ alphabet: Alphabet) {
        self.prefix = prefix
        self.ignoresCase = ignoresCase
        self.lengths = lengths
        self.alphabet = alphabet
    }
}

/// Sets of characters that texts consist of.
public struct Alphabet: OptionSet, Sendable, Hashable {
    /// One bit for each set.
    public let rawValue: UInt16

    /// Creates an alphabet of bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// ASCII digits.
    public static let digits = Self(rawValue: 1 << 0)
    /// Hexadecimal digits of either case and the `x` of `0x`.
    public static let hex = Self(rawValue: 1 << 1)
    /// Base58 in Bitcoin's alphabet, which has the same characters as XRP's.
    public static let base58 = Self(rawValue: 1 << 2)
    /// Base32 of RFC 4648: `A`–`Z`, `2`–`7`.
    public static let base32 = Self(rawValue: 1 << 3)
    /// Base32hex: digits, `A`–`V`.
    public static let base32hex = Self(rawValue: 1 << 4)
    /// ASCII letters and digits.
    public static let alphanumeric = Self(rawValue: 1 << 5)
    /// ASCII letters, digits and spaces.
    public static let spacedAlphanumeric = Self(rawValue: 1 << 6)
    /// Base64 of either alphabet, with padding.
    public static let base64 = Self(rawValue: 1 << 7)
    /// Printable ASCII without spaces.
    public static let visible = Self(rawValue: 1 << 8)
    /// Anything but line breaks and other control characters.
    public static let line = Self(rawValue: 1 << 9)

    /// Returns the sets that `byte` is in.
    static func containing(_ byte: UInt8) -> Alphabet { table[Int(byte)] }

    /// Returns the sets that all of `text` is in.
    static func common(to text: UnsafeBufferPointer<UInt8>) -> Alphabet {
        table.withUnsafeBufferPointer { table in
            var common = Alphabet(rawValue: .max)
            for byte in text { common.formIntersection(table[Int(byte)]) }
            return common
        }
    }

    private static let table: [Alphabet] = (0...255).map { value in
        let byte = UInt8(value)
        var sets: Alphabet = []
        let isDigit = byte &- 0x30 < 10
        let isUpper = byte &- 0x41 < 26
        let isLetter = (byte | 0x20) &- 0x61 < 26
        if isDigit { sets.insert(.digits) }
        if isDigit || (byte | 0x20) &- 0x61 < 6 || byte | 0x20 == UInt8(ascii: "x") { sets.insert(.hex) }
        if (isDigit || isLetter) && !"0OIl".utf8.contains(byte) { sets.insert(.base58) }
        if isUpper || byte &- 0x32 < 6 { sets.insert(.base32) }
        if isDigit || byte &- 0x41 < 22 { sets.insert(.base32hex) }
        if isDigit || isLetter { sets.insert(.alphanumeric) }
        if isDigit || isLetter || byte == 0x20 { sets.insert(.spacedAlphanumeric) }
        if isDigit || isLetter || "+/-_=".utf8.contains(byte) { sets.insert(.base64) }
        if byte > 0x20 && byte < 0x7F { sets.insert(.visible) }
        if byte >= 0x20 && byte != 0x7F { sets.insert(.line) }
        return sets
    }
}
