/// The reason for which a text is not accepted as a payment link. Offsets count UTF-8 bytes from the start of the
/// input, or of its decoded form when it is percent-encoded as a whole.
@nonexhaustive
public enum LinkDefect: Error, Sendable, Hashable {
    /// There is no text.
    case empty
    /// The text is longer than ``PaymentLink/maximumLength``.
    case tooLong(bytes: Int)
    /// The text begins with white space.
    case leadingWhitespace
    /// A character that no payment link or QR text may hold: a control character, a space or backslash in a URI.
    case forbiddenByte(UInt8, offset: Int)
    /// A character outside ASCII in a URI, such as a look-alike letter.
    case nonASCII(offset: Int)
    /// An invisible character in a URI: of no width, turning the direction of the text, a space beyond ASCII.
    case invisible(Unicode.Scalar, offset: Int)
    /// A web link without a host, such as `https:///path` or `https:host`.
    case missingHost
    /// A user name or password before the host, which hides the real host.
    case userInformation(offset: Int)
    /// A host that is not a plain domain name or IP address: percent-encoding, empty labels, a trailing dot.
    case invalidHost(offset: Int)
    /// A port that is not a number from 1 to 65535 without leading zeros.
    case invalidPort(offset: Int)
    /// A percent-encoded link whose encoding is broken, or which is encoded only in part.
    case invalidPercentEncoding
    /// A path segment that means "here" or "up".
    case dotSegment
    /// Text that cannot be one segment of a path: it is empty or holds control characters.
    case unusableSegment
    /// The address of a service that is neither `https` nor on this machine.
    case unencrypted(origin: String)
}

extension LinkDefect: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .empty: "the link is empty"
        case .tooLong(let bytes):
            "the link has \(bytes) bytes; at most \(PaymentLink.maximumLength) are accepted"
        case .leadingWhitespace: "the link begins with white space; remove it"
        case .forbiddenByte(0x20, let offset):
            "a space at byte \(offset) is not allowed in a link; write it as %20, or remove it"
        case .forbiddenByte(let byte, let offset): "\(Self.name(of: byte)) at byte \(offset) is not allowed in a link"
        case .nonASCII(let offset):
            "a character at byte \(offset) is not ASCII; it may be a look-alike"
        case .invisible(let scalar, let offset):
            "the invisible character \(scalar.codePoint) at byte \(offset) is not allowed in a link; remove it"
        case .missingHost: "the web link names no host"
        case .userInformation(let offset):
            "a user name before the host (@ at byte \(offset)) hides which host is called; it is not allowed"
        case .invalidHost(let offset): "the host is not a plain domain name or IP address (byte \(offset))"
        case .invalidPort(let offset): "the port at byte \(offset) is not a number from 1 to 65535"
        case .invalidPercentEncoding: "the link is percent-encoded as a whole, but its encoding is broken or partial"
        case .dotSegment: "a path segment of dots would lead to another address"
        case .unusableSegment: "a path segment is empty or holds a control character"
        case .unencrypted(let origin):
            "\(origin) is neither https nor on this machine; what is sent there could be read and changed on the way"
        }
    }

    private static func name(of byte: UInt8) -> String {
        switch byte {
        case 0x5C: "a backslash"
        default: "the control character 0x\(Hex.encode([byte]))"
        }
    }
}

extension LinkDefect {
    /// Returns the same defect with its place moved by what `move` returns for it.
    func moved(_ move: (Int) -> Int) -> LinkDefect {
        switch self {
        case .forbiddenByte(let byte, let offset): .forbiddenByte(byte, offset: move(offset))
        case .nonASCII(let offset): .nonASCII(offset: move(offset))
        case .invisible(let scalar, let offset): .invisible(scalar, offset: move(offset))
        case .userInformation(let offset): .userInformation(offset: move(offset))
        case .invalidHost(let offset): .invalidHost(offset: move(offset))
        case .invalidPort(let offset): .invalidPort(offset: move(offset))
        case .empty, .tooLong, .leadingWhitespace, .missingHost, .invalidPercentEncoding, .dotSegment, .unusableSegment,
            .unencrypted:
            self
        }
    }
}
