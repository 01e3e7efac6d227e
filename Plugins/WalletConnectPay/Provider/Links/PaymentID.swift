import PaymentCore

/// The rules for finding the payment id in a link exactly as the vendor's core does (yttrium `extract_payment_id`).
package enum PaymentID {
    /// The host of payment links; its subdomains are the vendor's other environments.
    package static let linkHost = "pay.walletconnect.com"
    /// The host of short links, which the service resolves.
    static let shortLinkHost = "pay.wct.me"

    /// Returns the id that the vendor's client would send for `link`, or nil where it reports an unsupported format.
    ///
    /// A link that is not a WalletConnect Pay web link becomes the whole link, percent-encoded; text without a slash
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

    /// The reason why no coin is sent for an id that is not the payment's own: only the service can resolve a short
    /// link, and the same payment under another link would be another one here. A coin that is sent twice is lost.
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

    /// Returns the readings of servers that decode `id` once more, or twice.
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
