import PaymentCore

/// Finding the payment id in a link exactly as the vendor's core does (yttrium `extract_payment_id`).
enum PaymentID {
    /// The host of payment links; its subdomains are the vendor's other environments.
    static let linkHost = "pay.walletconnect.com"
    /// The host of short links, which the service resolves.
    static let shortLinkHost = "pay.wct.me"

    /// The id that the vendor's client would send for `link`, or nil where it reports an unsupported format.
    ///
    /// Anything but a WalletConnect Pay link that is a web link comes out as the whole link, percent-encoded; anything
    /// without a slash as itself. The service decides what that means.
    static func extract(from link: String) -> String? {
        guard !link.isEmpty else { return nil }
        let decoded = PercentCoding.decodeLeniently(link)
        return id(inURL: decoded) ?? id(inURL: link) ?? (link.utf8.contains(UInt8(ascii: "/")) ? nil : link)
    }

    /// Whether `id` has the form of ids that the service makes: `pay_` and unreserved characters.
    static func isWellFormed(_ id: some StringProtocol) -> Bool {
        let prefix = "pay_".utf8
        return id.utf8.starts(with: prefix) && id.utf8.count > prefix.count
            && id.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D || $0 == 0x2E || $0 == 0x7E
            }
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
