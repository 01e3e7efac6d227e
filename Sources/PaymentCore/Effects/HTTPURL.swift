/// The address of an HTTP request: `http` or `https`, checked by the same strict scan as links.
public struct HTTPURL: Sendable, Hashable {
    private let link: PaymentLink

    /// Creates an address by reading `text`.
    ///
    /// - Throws: ``LinkDefect`` when it is not an absolute `http` or `https` URL.
    public init(_ text: String) throws(LinkDefect) {
        let link = try PaymentLink(keepingEscapes: text)
        guard link.form == .web, link.scheme == "https" || link.scheme == "http" else { throw .missingHost }
        self.link = link
    }

    /// Creates the address of a service that receives keys and payments: `https`, or any address on this machine.
    ///
    /// - Throws: ``LinkDefect``; ``LinkDefect/unencrypted(origin:)`` when it is `http` to somewhere else.
    public init(service text: String) throws(LinkDefect) {
        let url = try HTTPURL(text)
        guard url.isConfidential else { throw .unencrypted(origin: url.origin) }
        self = url
    }

    /// The whole URL without its fragment.
    public var text: String {
        guard let fragment = link.fragment else { return link.text }
        return String(link.text.utf8.dropLast(fragment.utf8.count + 1)) ?? link.text
    }

    /// True if the scheme is `https`.
    public var isSecure: Bool { link.scheme == "https" }

    /// The host in lower case; an IPv6 address keeps its brackets.
    public var host: String { String(link.host ?? "") }

    /// The port, the scheme's default included.
    public var port: UInt16 { link.port ?? (isSecure ? 443 : 80) }

    /// `host`, or `host:port` when the port is not the scheme's default: the form in which descriptors name outbound
    /// hosts.
    public var authority: String { host + (link.port.map { ":\($0)" } ?? "") }

    /// Scheme, host and port: safe to print, as it names no payment.
    public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// The path, at least `/`.
    public var path: String { link.path.isEmpty ? "/" : String(link.path) }

    /// The query without its `?`, or nil.
    public var query: String? { link.query.map(String.init) }

    /// True if the host can only be this machine: `localhost`, `127.0.0.0/8` or `[::1]`.
    public var isLoopback: Bool {
        host == "localhost" || host == "[::1]" || (link.hostKind == .address && host.hasPrefix("127."))
    }

    /// True if no third party can read or change what is sent there: it is encrypted or stays on this machine.
    public var isConfidential: Bool { isSecure || isLoopback }

    /// Returns this URL's scheme, host, port and path, followed by `segments`, each percent-encoded, and `query`.
    ///
    /// A slash in a segment is encoded and stays in it. Some servers decode it before they split the path, so a segment
    /// that would then climb is refused.
    ///
    /// - Parameters:
    ///   - segments: parts of a path, not yet encoded.
    ///   - query: names and values, not yet encoded.
    /// - Returns: the longer address; a query that this one had is left out.
    /// - Throws: ``LinkDefect``: a segment is empty, is or holds `.` or `..` between slashes, or holds a control
    ///   character; or the result is too long.
    public func appending(
        _ segments: [String], query: [(name: String, value: String)] = []
    ) throws(LinkDefect) -> HTTPURL {
        var text = origin + (path == "/" ? "" : path)
        if text.hasSuffix("/") { text.removeLast() }
        for segment in segments {
            try Self.check(segment)
            text += "/" + PercentCoding.encode(segment)
        }
        for (index, item) in query.enumerated() {
            text += index == 0 ? "?" : "&"
            text += PercentCoding.encode(item.name) + "=" + PercentCoding.encode(item.value)
        }
        return try HTTPURL(text)
    }

    private static func check(_ segment: String) throws(LinkDefect) {
        let isControl = segment.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !segment.isEmpty, !isControl else { throw .unusableSegment }
        let parts = segment.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        guard !parts.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
            throw .dotSegment
        }
    }
}

extension HTTPURL: CustomStringConvertible, CustomReflectable {
    /// The origin only: a path can name a payment, and a query can hold personal data.
    public var description: String { origin }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension HTTPURL {
    /// True if a browser would look for the host on this machine: ``isLoopback`` and its other spellings, names under
    /// `localhost` (RFC 6761 section 6.3), and the unspecified addresses.
    package var leadsToThisMachine: Bool {
        if isLoopback || host.hasSuffix(".localhost") || host.hasPrefix("0.") { return true }
        guard host.hasPrefix("["), let bits = IPv6Text.read(String(host.dropFirst().dropLast())) else { return false }
        // `::`, `::1`, and addresses of IPv4 within: 127.0.0.0/8 and 0.0.0.0/8.
        guard bits >> 32 == 0xFFFF || bits >> 32 == 0 else { return false }
        let first = UInt8(truncatingIfNeeded: bits >> 24)
        return first == 0x7F || first == 0
    }
}
