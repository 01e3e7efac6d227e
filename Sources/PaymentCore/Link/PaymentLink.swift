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
    /// The text before its scheme and host were put into lower case; nil where nothing changed by that, or its parts
    /// are at other places.
    ///
    /// Some standards put case-sensitive data where a URI has its scheme or host (`algorand://ADDRESS`). Code that
    /// compares or opens links must not read it.
    package let spelling: String?

    /// The text with the escapes that ``text`` does not have; nil where it had none.
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
            // What else is wrong is of less use than the place of the first space.
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

    /// The link as it was written where it had escapes without need, for standards that allow none there.
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
