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

    /// Reads `pubky://<key>/<path>` or `pubky<key>/<path>`; a missing path is the root.
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

/// The defect of a text that is no address on the Pubky network.
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
