import PaymentCore

/// The rules for finding the payment id in a link exactly as the vendor's core does (yttrium `extract_payment_id`).
package enum PaymentID {
    /// The host of payment links; its subdomains are the vendor's other environments.
    package static let linkHost = "pay.walletconnect.com"
    /// The host of short links, which the service resolves.
    static let shortLinkHost = "pay.wct.me"

    /// Returns the id that the vendor's client would send for `link`, or nil if it reports an unsupported format.
    ///
    /// A link that is not a WalletConnect Pay web link becomes the whole link, percent-encoded. Text without a slash
    /// stays unchanged. The service decides its meaning.
    package static func extract(from link: String) -> String? {
        guard !link.isEmpty else { return nil }
        let decoded = PercentCoding.decodeLeniently(link)
        return id(inURL: decoded) ?? id(inURL: link) ?? (link.utf8.contains(UInt8(ascii: "/")) ? nil : link)
    }

    /// Returns true if `id` has the form of the service's ids: `pay_` and unreserved characters.
    package static func isWellFormed(_ id: some StringProtocol) -> Bool {
        let prefix = "pay_".utf8
        return id.utf8.starts(with: prefix) && id.utf8.count > prefix.count
            && id.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E || $0 == 0x7E
            }
    }

    /// The message for an id that is not the payment's own. No coin is sent for it: only the service can resolve a
    /// short link, and the same payment under another link would be another one here. A coin that is sent twice is
    /// lost.
    static let unresolved =
        "the link does not name the payment itself, so a coin sent for it could be sent again from another link; pay "
        + "with a token, or from the merchant's full link"

    /// Returns true if `id` can be sent as one segment of an address that no server mistakes for another.
    ///
    /// The vendor's client sends nearly anything, encoded. Excluded are characters that no payment id has, and those
    /// that a server could read as a parent path after one decoding too many: control characters and, except in a whole
    /// link, dot segments.
    static func isSendable(_ id: String) -> Bool {
        let readings = readings(of: id)
        let isPlain = readings.allSatisfy { reading in
            !reading.unicodeScalars.contains { $0.properties.generalCategory == .control }
        }
        guard !id.isEmpty, isPlain else { return false }
        return isEncodedLink(id) || !readings.contains { parts(of: $0).contains { $0 == "." || $0 == ".." } }
    }

    /// Returns true if `id` names one payment in every reading: it can be sent, and has no parts below it
    /// (`pay_1/cancel`).
    static func isOnePayment(_ id: String) -> Bool {
        isSendable(id) && (isEncodedLink(id) || readings(of: id).allSatisfy { parts(of: $0).count == 1 })
    }

    /// Returns the readings of servers that decode `id` not at all, once or twice.
    private static func readings(of id: String) -> [String] {
        let once = PercentCoding.decodeLeniently(id)
        return [id, once, PercentCoding.decodeLeniently(once)]
    }

    private static func parts(of text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
    }

    /// Returns true if `id` is a web link that was encoded as a whole, which the service reads itself.
    private static func isEncodedLink(_ id: String) -> Bool {
        guard !id.contains("/"), let link = PercentCoding.decode(id) else { return false }
        return ["https://", "http://"].contains { link.prefix($0.count).equalsIgnoringASCIICase($0) }
    }

    private static func id(inURL text: String) -> String? {
        guard let url = LenientURL(text) else { return nil }
        switch url.scheme {
        case "wc":
            guard let value = url.queryItem("pay"), !value.isEmpty, let inner = LenientURL(value) else { return nil }
            return isLinkHost(inner.host) ? id(in: inner) : PercentCoding.encode(value)
        case "http", "https":
            return isLinkHost(url.host) ? id(in: url) : PercentCoding.encode(text)
        default:
            return nil
        }
    }

    private static func id(in url: LenientURL) -> String? {
        if let pid = url.queryItem("pid"), !pid.isEmpty { return pid }
        let path = url.path.drop { $0 == "/" }
        return path.isEmpty ? nil : String(path)
    }

    private static func isLinkHost(_ host: String?) -> Bool {
        host == linkHost || host?.hasSuffix("." + linkHost) == true
    }
}

/// A URL as browsers and the vendor's core read it (WHATWG URL), as far as the payment id depends on it.
///
/// Lenient by design: it finds the id that the vendor would send, and never decides trust. Host names are lower-cased;
/// internationalised names stay unchanged, since none is a WalletConnect Pay host.
struct LenientURL {
    let scheme: String
    let host: String?
    let path: String
    let query: String?

    init?(_ text: String) {
        var bytes = Array(text.utf8)
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        bytes.removeFirst(bytes.prefix { $0 <= 0x20 }.count)
        bytes.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }

        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[0].isASCIILetter,
            bytes[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { return nil }
        scheme = String(decoding: bytes[..<colon].map(\.lowercasedASCII), as: UTF8.self)
        var rest = bytes[(colon + 1)...]

        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(decoding: rest[(mark + 1)...], as: UTF8.self)
            rest = rest[..<mark]
        } else {
            query = nil
        }
        guard scheme == "http" || scheme == "https" else {
            host = nil
            path = String(decoding: rest, as: UTF8.self)
            return
        }
        // Browsers accept any number of slashes, forward or backward, for the two before the host.
        rest = rest.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") } ?? rest.endIndex
        guard let host = Self.host(rest[..<end]) else { return nil }
        self.host = host
        path = Self.path(rest[end...])
    }

    /// Returns the first query item named exactly `name`, form-decoded.
    func queryItem(_ name: String) -> String? {
        for item in QueryItems(Substring(query ?? ""))
        where PercentCoding.decodeLeniently(item.name, plusIsSpace: true) == name {
            return PercentCoding.decodeLeniently(item.value, plusIsSpace: true)
        }
        return nil
    }

    private static func host(_ authority: ArraySlice<UInt8>) -> String? {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        if host.first != UInt8(ascii: "["), let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            let port = host[(colon + 1)...]
            guard port.allSatisfy(\.isASCIIDigit), port.isEmpty || UInt16(String(decoding: port, as: UTF8.self)) != nil
            else { return nil }
            host = host[..<colon]
        }
        let decoded = PercentCoding.decodeLeniently(String(decoding: host, as: UTF8.self)).lowercased()
        let isForbidden = decoded.utf8.contains { $0 <= 0x20 || $0 == 0x7F || "#/<>?@\\^|%".utf8.contains($0) }
        return decoded.isEmpty || isForbidden ? nil : decoded
    }

    /// Resolves `.` and `..` segments and encodes the characters that a path cannot hold.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String {
        let normalized = bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        var segments: [String] = []
        let parts = normalized.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let text = String(decoding: part, as: UTF8.self)
            let isLast = index == parts.count - 1
            switch PercentCoding.decodeLeniently(text) {
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            case ".":
                if isLast { segments.append("") }
            default:
                segments.append(
                    PercentCoding.encode(text) { $0 > 0x20 && $0 < 0x7F && !"\"#<>?`{}".utf8.contains($0) })
            }
        }
        return "/" + segments.joined(separator: "/")
    }
}
