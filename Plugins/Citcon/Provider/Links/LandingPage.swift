package import PaymentCore

/// Citcon's own page that leads a browser into a wallet: `https://landing.<…>citconpay.com/v1/landing/<id>`,
/// `…/v1/qr/<id>`, and both behind `https://proxy.citconpay.cn/upi/u_landing/`.
///
/// Its id is neither a charge's id nor a token, so no inquiry about it is possible.
package enum LandingPage {
    package static let referencePrefix = "landing:"

    package static let patterns: [LinkPattern] = [
        .hostSuffix("citconpay.com", path: "/v1/landing"), .hostSuffix("citconpay.com", path: "/v1/qr"),
        .host("proxy.citconpay.cn", path: "/upi/u_landing/v1"),
    ]

    /// Returns the page's id, or nil when `link` is not such a page.
    package static func id(in link: PaymentLink) -> String? {
        guard link.isHTTP, link.port == nil, link.hostKind == .name, let host = link.host else { return nil }
        var words = link.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if host == "proxy.citconpay.cn" {
            guard words.starts(with: ["upi", "u_landing"]) else { return nil }
            words = words.dropFirst(2)
        } else {
            let labels = host.split(separator: ".")
            guard labels.first == "landing", labels.suffix(2) == ["citconpay", "com"], labels.count <= 4 else {
                return nil
            }
        }
        let rest = Array(words)
        guard rest.count == 3, rest[0] == "v1", rest[1] == "landing" || rest[1] == "qr", rest[2].utf8.count == 32,
            rest[2].utf8.allSatisfy({ $0.isASCIIDigit || (0x61...0x66).contains($0) })
        else { return nil }
        return String(rest[2])
    }

    package static func match(_ link: PaymentLink) -> LinkMatch? {
        guard let id = id(in: link) else { return nil }
        return LinkMatch(reference: referencePrefix + id)
    }
}
