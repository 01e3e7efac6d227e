/// A payment link, URI or QR text that passed one strict scan.
///
/// Three forms: a *web-style* URI with an authority (`https://host/path?query`), an *opaque* URI
/// (`wc:topic@2?…`), or a *text* that is no URI at all (a bare id, an EMV or EPC code). URIs are ASCII only. Scheme
/// and host are lower-cased, a default port is dropped, and so are escapes that RFC 3986 does not need (`%2D` is `-`,
/// `%c3` is `%C3`), so equal links have equal ``text``. A URI that was percent-encoded once as a whole is decoded.
/// `lightning:` and `bitcoin:` stand once, and `lightning:`, `lnurl:` and `cashu:` without slashes. White space and
/// line ends around a text are left out, but for web links and wallet connections, which are refused with them; a space
/// inside a `upi:` link is `%20`. A number in groups has plain spaces, and no `IBAN:` before it. Scanning the canonical
/// text again gives the same link.
///
/// Rules: RFC 3986 narrowed. User information, backslashes, percent signs in the host, trailing dots and numbers
/// that browsers would read as an address are refused, because parsers disagree about them.
public struct PaymentLink: Sendable {
    /// The most UTF-8 bytes accepted.
    public static let maximumLength = 8192

    /// The kinds of texts.
    public enum Form: UInt8, Sendable, Hashable {
        /// A URI with an authority: `scheme://host…`.
        case web
        /// A URI without one: `scheme:rest`.
        case opaque
        /// Not a URI.
        case text
    }

    /// The kinds of hosts of a web-style link.
    package enum HostKind: UInt8, Sendable, Hashable {
        /// There is no host.
        case none
        /// A domain name of two labels or more, all plain ASCII.
        case name
        /// A domain name with an internationalised (`xn--`) label. Only patterns that name it exactly match.
        case internationalName
        /// A name of one label, such as `localhost`.
        case singleLabel
        /// An IPv4 or IPv6 address.
        case address
    }

    /// The canonical text.
    public let text: String
    /// The kind of text.
    public var form: Form { layout.form }
    /// The kind of its host.
    package var hostKind: HostKind { layout.hostKind }
    /// The port, when it is not the scheme's default.
    public var port: UInt16? { layout.port == 0 ? nil : layout.port }

    package let layout: LinkLayout
    /// The text before its scheme and host were put into lower case. Nil if that changed nothing, or moved its parts.
    ///
    /// Some standards put case-sensitive data in the place of a scheme or host (`algorand://ADDRESS`). Code that
    /// compares or opens links must not read it.
    package let spelling: String?

    /// The text with the escapes that ``text`` does not have; nil if it had none.
    private let escaped: String?

    /// Creates a link by scanning `text`.
    ///
    /// - Parameter text: the text as it was scanned, opened or typed.
    /// - Throws: ``LinkDefect`` with the defect and its place.
    public init(_ text: String) throws(LinkDefect) {
        let link = try PaymentLink(keepingEscapes: text)
        let start = Int(link.layout.pathStart)
        guard link.form != .text, let plain = CanonicalText.withoutNeedlessEscapes(link.text, from: start) else {
            self = link
            return
        }
        var canonical = plain
        let layout = try LinkScanner.scan(&canonical)
        let spelling = link.spelling.map { CanonicalText.withoutNeedlessEscapes($0, from: start) ?? $0 }
        self.init(canonical, layout, spelling, escaped: link.text)
    }

    /// Creates a link without a change of its escapes: an address that others made, to be called as it is.
    ///
    /// - Throws: ``LinkDefect`` with the defect and its place.
    package init(keepingEscapes text: String) throws(LinkDefect) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong(bytes: text.utf8.count) }
        let pasted = PastedText(text)
        var canonical = pasted.text
        let layout: LinkLayout
        do throws(LinkDefect) {
            layout = try Self.scan(&canonical)
        } catch {
            throw error.moved { $0 + pasted.start }
        }
        self.init(canonical, layout, canonical == pasted.text ? nil : pasted.text, escaped: nil)
    }

    private static func scan(_ text: inout String) throws(LinkDefect) -> LinkLayout {
        do throws(LinkDefect) {
            let layout = try LinkScanner.scan(&text)
            guard layout.form == .text, !layout.isASCII, let plain = PastedText.withPlainSpaces(text) else {
                return layout
            }
            text = plain
            return try LinkScanner.scan(&text)
        } catch {
            guard case .forbiddenByte(0x20, _) = error, let encoded = PastedText.withEncodedSpaces(text) else {
                throw error
            }
            text = encoded
            // The place of the first space is of more use than any other defect.
            guard let layout = try? LinkScanner.scan(&text) else { throw error }
            return layout
        }
    }

    private init(_ text: String, _ layout: LinkLayout, _ spelling: String?, escaped: String?) {
        self.text = text
        self.layout = layout
        self.spelling = spelling.flatMap { $0 != text && $0.equalsIgnoringASCIICase(text) ? $0 : nil }
        self.escaped = escaped
    }

    /// The link as it was written, with the escapes it did not need: for standards that allow none in their place.
    package var asWritten: PaymentLink {
        escaped.flatMap { try? PaymentLink(keepingEscapes: $0) } ?? self
    }

    /// The scheme in lower case, or nil for a text.
    public var scheme: Substring? { form == .text ? nil : slice(0, layout.schemeEnd) }

    /// The host in lower case; an IPv6 address keeps its brackets.
    public var host: Substring? { layout.hostKind == .none ? nil : slice(layout.hostStart, layout.hostEnd) }

    /// The path as it stands, with its leading slash; of an opaque URI the part behind the scheme; of a text all of it.
    public var path: Substring { slice(layout.pathStart, layout.pathEnd) }

    /// The part behind the first `?`, as it stands, or nil.
    public var query: Substring? {
        layout.queryEnd > layout.pathEnd ? slice(layout.pathEnd + 1, layout.queryEnd) : nil
    }

    /// The part behind the `#`, as it stands, or nil.
    public var fragment: Substring? {
        let end = UInt16(text.utf8.count)
        return end > layout.queryEnd ? slice(layout.queryEnd + 1, end) : nil
    }

    /// The names and values of the query, as they stand, in order.
    public var queryItems: QueryItems { QueryItems(query ?? "") }

    private func slice(_ start: UInt16, _ end: UInt16) -> Substring {
        let utf8 = text.utf8
        return text[utf8.index(utf8.startIndex, offsetBy: Int(start))..<utf8.index(utf8.startIndex, offsetBy: Int(end))]
    }
}

extension PaymentLink: Hashable {
    /// Links are equal when their canonical texts are.
    public static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    /// Hashes the canonical text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// The places of the parts of a canonical link, in bytes. 8 KiB fit sixteen bits.
package struct LinkLayout: Sendable {
    /// The web's own schemes.
    package enum WebScheme: Sendable {
        case none
        case http
        case https
    }

    package var form: PaymentLink.Form
    package var hostKind: PaymentLink.HostKind = .none
    package var webScheme: WebScheme = .none
    /// False for a text with a character beyond ASCII.
    package var isASCII = true
    package var schemeEnd: UInt16 = 0
    package var hostStart: UInt16 = 0
    package var hostEnd: UInt16 = 0
    package var port: UInt16 = 0
    package var pathStart: UInt16 = 0
    package var pathEnd: UInt16 = 0
    package var queryEnd: UInt16 = 0
}

extension PaymentLink {
    /// True if the scheme is `http` or `https`.
    public var isHTTP: Bool { if case .none = layout.webScheme { false } else { true } }

    /// True if the scheme is `http`, without encryption.
    public var isPlainHTTP: Bool { if case .http = layout.webScheme { true } else { false } }

    /// True if the scheme is `https`.
    public var isHTTPS: Bool { if case .https = layout.webScheme { true } else { false } }
}

// MARK: - Query

/// The `name=value` pairs of a query, read lazily and left as they stand (still percent-encoded).
public struct QueryItems: Sequence, Sendable {
    /// One pair. An item without `=` has an empty value.
    public struct Item: Sendable, Hashable {
        /// The name, still percent-encoded.
        public let name: Substring
        /// The value, still percent-encoded.
        public let value: Substring

        /// The value as a form decoder reads it: `%XX` decoded, `+` a space. Nil when the encoding is broken.
        public var decodedValue: String? { PercentCoding.decode(value, plusIsSpace: true) }
    }

    private let query: Substring

    /// Creates the items of `query`, which stands without its `?`.
    public init(_ query: Substring) {
        self.query = query
    }

    /// Returns an iterator in order; empty items (`a=1&&b=2`) are skipped.
    public func makeIterator() -> some IteratorProtocol<Item> { Reader(rest: query) }

    /// Takes one item after the other from the front of a query.
    private struct Reader: IteratorProtocol {
        fileprivate var rest: Substring

        mutating func next() -> Item? {
            while !rest.isEmpty {
                let bytes = rest.utf8
                let end = bytes.firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
                let item = bytes[..<end]
                rest = Substring(end == bytes.endIndex ? bytes[end...] : bytes[bytes.index(after: end)...])
                if item.isEmpty { continue }
                let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? end
                let value = equals == end ? end : item.index(after: equals)
                return Item(name: Substring(item[..<equals]), value: Substring(item[value...]))
            }
            return nil
        }
    }

    /// Returns all values of the items named exactly `name`, in order.
    public func values(_ name: String) -> [Substring] {
        filter { $0.name == name }.map(\.value)
    }
}

// MARK: - Defects

/// Why a text is not accepted as a payment link. Offsets count UTF-8 bytes from the start of the
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

// Links can hold secrets: tokens of charges and sessions, keys of wallet connections. So a link prints only parts that
// cannot hide one; code that needs the whole link reads its text.

extension PaymentLink {
    /// True if the link may hold a secret, as far as can be determined without its provider: it names a key
    /// (`symKey`), has ecash in it (`cashuB…`), is a URI of another scheme than `http` and `https`, or a text that
    /// has one in it or is JSON. A provider that claims it may know better: ``LinkMatch/holdsSecret``.
    public var mayHoldSecret: Bool {
        switch form {
        case .web, .opaque: !isHTTP || LinkPrivacy.holdsSecret(text)
        case .text: LinkPrivacy.mayHoldSecret(text)
        }
    }

    /// The part of any link that may be shown: the origin of a web link, otherwise the scheme, or the length of a text.
    public var publicText: String {
        guard let scheme else { return "(text of \(text.utf8.count) bytes)" }
        guard isHTTP, let host else { return "\(scheme):…" }
        let isMore = path.utf8.count > 1 || query != nil || fragment != nil
        return "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(isMore ? "/…" : "")"
    }
}

extension PaymentLink: CustomStringConvertible, CustomReflectable {
    /// ``publicText``.
    public var description: String { publicText }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The rules that detect a secret, and that choose the part that may be shown of texts that are no links.
package enum LinkPrivacy {
    /// The part that may be shown of a text that was refused as a link, or that stands in the place of other text.
    /// Nothing behind a scheme is shown. Of `http` and `https` only the part before an `@` is left out.
    package static func shown(_ text: String) -> String {
        guard let (scheme, rest) = scheme(of: text[...]) else {
            return mayHoldSecret(text) ? "(text of \(text.utf8.count) bytes)" : text
        }
        guard let rest, isWeb(scheme), !holdsSecret(text) else { return "\(scheme):…" }
        guard let at = rest.prefix(while: { $0 != "?" && $0 != "#" }).lastIndex(of: "@") else { return text }
        return "\(scheme)://…\(rest[at...])"
    }

    /// True if a text that is no URI may hold a secret: it is JSON, which is for programs, or has a URI in it.
    static func mayHoldSecret(_ text: String) -> Bool {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.first?.hasPrefix("{") ?? false || holdsSecret(text)
            || words.contains { scheme(of: $0).map { !isWeb($0.name) } ?? false }
    }

    /// True if `text` names a key, or has money in it.
    fileprivate static func holdsSecret(_ text: String) -> Bool { namesKey(text) || holdsToken(text) }

    /// True if `text` has ecash in it at any depth: a token of Cashu (`cashuA…`, `cashuB…`), which its first reader can
    /// spend.
    private static func holdsToken(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count >= 16 else { return false }
            for index in 0...(utf8.count - 16) where utf8[index] == UInt8(ascii: "c") {
                guard utf8[index..<index + 5].elementsEqual("cashu".utf8), utf8[index + 5] &- 0x41 < 26 else {
                    continue
                }
                let isData = { (byte: UInt8) in byte.isASCIILetter || byte.isASCIIDigit || "-_+/=%".utf8.contains(byte)
                }
                if utf8[(index + 6)..<(index + 16)].allSatisfy(isData) { return true }
            }
            return false
        }
    }

    /// True if `text` names the symmetric key of a wallet connection (`symKey`, WalletConnect's pairing URIs), in any
    /// letter case and at any depth: links may contain links.
    package static func namesKey(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count >= 6 else { return false }
            for index in 0...(utf8.count - 6) where utf8[index] | 0x20 == UInt8(ascii: "s") {
                if utf8[index..<index + 6].lazy.map({ $0 | 0x20 }).elementsEqual("symkey".utf8) { return true }
            }
            return false
        }
    }

    /// The scheme that `text` begins with, in lower case, and the text behind its colon: nil if the colon is
    /// percent-encoded. Invisible characters before it, and a quotation mark, do not hide it.
    private static func scheme(of text: Substring) -> (name: String, rest: Substring?)? {
        let unseen = { (scalar: Unicode.Scalar) in
            scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.isWhitespace || scalar.value < 0x20
                || scalar == "\""
        }
        let utf8 = Substring(text.unicodeScalars.drop(while: unseen)).utf8
        guard let first = utf8.first, first.isASCIILetter else { return nil }
        let name = utf8.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        let scheme = String(decoding: name.map(\.lowercasedASCII), as: UTF8.self)
        let rest = utf8[name.endIndex...]
        if rest.first == UInt8(ascii: ":") { return (scheme, Substring(rest.dropFirst())) }
        let isEncoded = rest.prefix(3).elementsEqual("%3A".utf8) || rest.prefix(3).elementsEqual("%3a".utf8)
        return isEncoded ? (scheme, nil) : nil
    }

    private static func isWeb(_ scheme: String) -> Bool { scheme == "https" || scheme == "http" }
}
