import PaymentCrypto
import Synchronization

/// A user's identity on the Pubky network: an Ed25519 public key, written in z-base-32 (Protocol 1.1).
///
/// Two keys are equal when their bytes are: a text may carry four spare bits.
public struct PubkyKey: Sendable, Hashable, CustomStringConvertible {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// The number of bytes of a key.
    public static let byteCount = 32
    /// The number of characters of a key's text.
    public static let textLength = 52

    /// Creates a key from its bytes.
    ///
    /// - Throws: ``PubkyKeyDefect/length(_:)``, ``PubkyKeyDefect/notAPoint`` or ``PubkyKeyDefect/weak``.
    public init(bytes: [UInt8]) throws(PubkyKeyDefect) {
        guard bytes.count == Self.byteCount else { throw .length(bytes.count) }
        guard Self.isPoint(bytes) else { throw .notAPoint }
        guard !Self.weak.contains(Array(bytes.dropLast()) + [bytes[31] & 0x7F]) else { throw .weak }
        self.bytes = bytes
    }

    /// Bytes that are points. A listing and a homeserver's requests name the same few keys again and again.
    private static let points = Mutex<Set<[UInt8]>>([])

    private static func isPoint(_ bytes: [UInt8]) -> Bool {
        if points.withLock({ $0.contains(bytes) }) { return true }
        guard EdwardsPoint.isValid(bytes) else { return false }
        points.withLock {
            if $0.count == 256 { $0.removeAll() }
            $0.insert(bytes)
        }
        return true
    }

    /// The points of small order, in each spelling of 32 bytes without the sign: anyone can sign for them.
    private static let weak: Set<[UInt8]> = {
        func number(_ low: UInt8, _ rest: UInt8, _ high: UInt8) -> [UInt8] {
            [low] + [UInt8](repeating: rest, count: 30) + [high]
        }
        let order8 = [
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        ].compactMap { Hex.decode($0) }
        return Set(order8 + [number(0, 0, 0), number(1, 0, 0)] + [0xEC, 0xED, 0xEE].map { number($0, 0xFF, 0x7F) })
    }()

    /// Reads a key from its bare text: z-base-32, in lower case.
    ///
    /// - Throws: ``PubkyKeyDefect``.
    public init(bare text: some StringProtocol) throws(PubkyKeyDefect) {
        guard let bytes = Base32.human.decode(text.utf8, ignoringSpareBits: true) else {
            // A length that is not a whole number of bytes is reported as the nearest lower one.
            guard Base32.human.groups(text.utf8) != nil else { throw .encoding }
            throw .length(text.utf8.count * 5 / 8)
        }
        try self.init(bytes: bytes)
    }

    /// Reads a key from any text that names one: bare, or as the last label of a URL's host (`pk:`, `pubky://`,
    /// `https://_pubky.<key>/…`), or after the prefix `pubky` as newer apps print it.
    ///
    /// Only final dots are trimmed, and a text of up to 52 characters has to be a bare key.
    ///
    /// - Throws: ``PubkyKeyDefect``.
    public init(_ text: some StringProtocol) throws(PubkyKeyDefect) {
        try self.init(bare: Self.label(of: Substring(text)))
    }

    /// The key's text: 52 characters of z-base-32.
    public var text: String { Base32.human.encode(bytes) }

    /// Returns the rest of `text` without anything that may surround a key.
    private static func label(of text: Substring) -> Substring {
        guard text.utf8.count > textLength else { return text }
        var rest = text
        if let colon = rest.firstIndex(of: ":") { rest = rest[rest.index(after: colon)...] }
        if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
        if let at = rest.firstIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        for end in [":", "/", "?", "#"] as [Character] { rest = rest.prefix { $0 != end } }
        while rest.hasSuffix(".") { rest = rest.dropLast() }
        if let dot = rest.lastIndex(of: ".") { rest = rest[rest.index(after: dot)...] }
        if rest.utf8.count == textLength + prefix.utf8.count, rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        return rest
    }

    private static let prefix = "pubky"

    /// The key's text.
    public var description: String { text }
}

/// The defect of a text that names no user of the Pubky network.
@nonexhaustive
public enum PubkyKeyDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// It holds this number of bytes instead of 32.
    case length(Int)
    /// A character is not of z-base-32, which is written in lower case and has no `0`, `2`, `l` and `v`.
    case encoding
    /// The bytes are not a point of the curve, so no private key for them exists.
    case notAPoint
    /// The point is of small order: anyone can sign for it, so it is no user's.
    case weak

    /// One sentence for people.
    public var description: String {
        switch self {
        case .length(let count): "a Pubky key is 32 bytes, written as 52 characters; this has \(count) bytes"
        case .encoding: "a Pubky key is written in z-base-32: lower case, without 0, 2, l and v"
        case .notAPoint: "these 32 bytes are no point of the curve, so this is no key: look for a typing error"
        case .weak: "everybody can sign for this key, so it is no user's: ask its owner for theirs"
        }
    }
}

/// A user's own key pair on the Pubky network. Prints nothing of the secret.
public struct PubkyKeyPair: Sendable {
    private let seed: Redacted<[UInt8]>
    /// The public half.
    public let publicKey: PubkyKey

    /// Creates the key pair of an Ed25519 seed of 32 bytes (RFC 8032 section 5.1.5).
    ///
    /// - Throws: ``PubkyKeyDefect/length(_:)``.
    public init(seed: [UInt8]) throws(PubkyKeyDefect) {
        guard let bytes = try? Ed25519.publicKey(seed: seed) else { throw .length(seed.count) }
        publicKey = try PubkyKey(bytes: bytes)
        self.seed = Redacted(seed)
    }

    package func sign(_ message: [UInt8]) -> [UInt8] {
        // The length was checked when the key was read; only memory could fail.
        guard let signature = try? Ed25519.sign(message, seed: seed.reveal()) else { return [] }
        return signature
    }

    package func channelKey(device: [UInt8], epoch: UInt32) -> [UInt8] {
        NoiseKeys.device(seed: seed.reveal(), device: device, epoch: epoch)
    }
}

/// A place on a user's homeserver: a key and a path (Protocol 1.3).
public struct PubkyAddress: Sendable, Hashable, CustomStringConvertible {
    /// The owner of the storage.
    public let owner: PubkyKey
    /// The path from the root, percent-encoded; with a final slash for a directory.
    public let path: String

    /// Creates an address in the storage of `owner`. A missing leading slash is added.
    ///
    /// - Throws: ``PubkyAddressDefect/path`` for empty segments inside the path, `.` and `..`.
    public init(_ owner: PubkyKey, path: some StringProtocol) throws(PubkyAddressDefect) {
        self.owner = owner
        let path = path.hasPrefix("/") ? String(path) : "/" + path
        guard path != "/" else {
            self.path = "/"
            return
        }
        var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let isDirectory = segments.last == ""
        if isDirectory { segments.removeLast() }
        guard segments.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { throw .path }
        self.path = "/" + segments.map { Self.encoded($0) }.joined(separator: "/") + (isDirectory ? "/" : "")
    }

    /// Reads `pubky://<key>/<path>` or `pubky<key>/<path>`. A missing path is the root.
    ///
    /// - Throws: ``PubkyAddressDefect``.
    public init(_ text: some StringProtocol) throws(PubkyAddressDefect) {
        guard text.hasPrefix("pubky") else { throw .form }
        var rest = Substring(text).dropFirst(5)
        if rest.hasPrefix("://") { rest = rest.dropFirst(3) }
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(host.count).prefix { $0 != "?" && $0 != "#" }
        try self.init(Self.owner(host), path: PercentCoding.decode(path) ?? String(path))
    }

    /// Reads a line of a listing or of events, whose path is the file's literal name: nothing in it is percent-encoded,
    /// and no character ends it.
    package init(listed line: some StringProtocol) throws(PubkyAddressDefect) {
        guard line.hasPrefix("pubky://") else { throw .form }
        let rest = line.dropFirst(8)
        let host = rest.prefix { $0 != "/" }
        try self.init(Self.owner(host), path: rest.dropFirst(host.count))
    }

    private static func owner(_ host: some StringProtocol) throws(PubkyAddressDefect) -> PubkyKey {
        do { return try PubkyKey(bare: host) } catch { throw .key(error) }
    }

    /// The address as it is printed in listings and event streams: `pubky://<key>/<path>`.
    public var text: String { "pubky://\(owner)\(path)" }

    /// Encodes all but unreserved characters (RFC 3986 section 2.3) and those that paths may hold.
    private static func encoded(_ segment: Substring) -> String {
        PercentCoding.encode(segment) { $0.isASCIILetter || $0.isASCIIDigit || "-._~!$&'()*+,;=:@".utf8.contains($0) }
    }

    /// The address as it is printed in listings and event streams.
    public var description: String { text }
}

/// The defect of a text that is not an address on the Pubky network.
@nonexhaustive
public enum PubkyAddressDefect: Error, Sendable, Hashable, CustomStringConvertible {
    /// It does not begin with `pubky`.
    case form
    /// The key is invalid.
    case key(PubkyKeyDefect)
    /// The path has empty segments, `.` or `..`.
    case path

    /// One sentence for people.
    public var description: String {
        switch self {
        case .form: "an address on the Pubky network begins with pubky:// and a key"
        case .key(let defect): "\(defect)"
        case .path: "the path has an empty segment, '.' or '..'"
        }
    }
}
