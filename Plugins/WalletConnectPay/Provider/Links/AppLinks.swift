public import PaymentCore

/// Links of the wallet application itself that carry a payment link: `mywallet://pay?uri=wc:…`.
///
/// A wrapper proves nothing: any page and any app can make one. Its content is read by the same rules as a separately
/// scanned link, so a wrapped https link is as trusted as the link, and a wrapped id stays unverified. Wrappers inside
/// wrappers are not opened.
public struct AppLinks: Sendable, Hashable {
    /// The application's URI schemes, in lower case, without the colon.
    public let schemes: [String]
    /// The hosts of its universal links, in lower case: https only, on the default port.
    public let hosts: [String]

    /// Creates the description of an application's links. Without arguments there are none.
    public init(schemes: [String] = [], hosts: [String] = []) {
        self.schemes = schemes.map { String(decoding: $0.utf8.map(\.lowercasedASCII), as: UTF8.self) }
        self.hosts = hosts.map { String(decoding: $0.utf8.map(\.lowercasedASCII), as: UTF8.self) }
    }

    /// The patterns that a provider has to claim to receive these links.
    public var patterns: [LinkPattern] {
        schemes.map { .scheme($0) } + hosts.map { .host($0) }
    }

    /// Returns the payment link or id that `text` wraps, ready for the vendor's calls; nil when `text` is not a link of
    /// this application or does not certainly contain one payment.
    ///
    /// Exactly one query item must hold the wrapped value: `uri` or `payUrl` a `wc:`, `https:` or `http:` link,
    /// `paymentId` or `pid` an id. Two of them, or one in another letter case, would be ambiguous.
    public func unwrap(_ text: String) -> String? {
        guard let link = try? PaymentLink(text), let inner = wrapped(in: link),
            LinkReading.routed(inner)?.reference != nil
        else { return nil }
        return inner.text
    }

    /// Returns true if `link` is one of the application's own.
    func contains(_ link: PaymentLink) -> Bool {
        guard let scheme = link.scheme else { return false }
        if link.isHTTP {
            return link.isHTTPS && link.port == nil && link.host.map { hosts.contains(String($0)) } == true
        }
        return schemes.contains(String(scheme))
    }

    /// Returns the scanned content of the wrapper `link`.
    func wrapped(in link: PaymentLink) -> PaymentLink? {
        guard contains(link) else { return nil }
        var found: QueryItems.Item?
        for item in link.queryItems {
            let name = PercentCoding.decodeLeniently(item.name, plusIsSpace: true)
            guard Self.names.contains(where: { $0.equalsIgnoringASCIICase(name) }) else { continue }
            guard found == nil, Self.names.contains(String(item.name)) else { return nil }
            found = item
        }
        guard let found, let value = found.decodedValue else { return nil }
        if found.name == "paymentId" || found.name == "pid" {
            return PaymentID.isWellFormed(value) ? try? PaymentLink(value) : nil
        }
        // One decoding is the wrapper's. A link that is still encoded then is another link to other programs.
        let starts = ["wc:", "https://", "http://"]
        guard starts.contains(where: { value.prefix($0.utf8.count).equalsIgnoringASCIICase($0) }) else { return nil }
        return try? PaymentLink(value)
    }

    private static let names = ["uri", "payUrl", "paymentId", "pid"]
}
