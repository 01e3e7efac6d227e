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

/// The merchant's pages for payers who return from the service's checkout page, after a payment has ended there.
///
/// The service adds only `payment_id` to them: no state and no signature. A return is a reason to ask for the report
/// of the payment, and never a report.
public struct CheckoutReturns: Sendable, Hashable {
    /// The query item that the service adds to both.
    static let parameter = "payment_id"

    /// The payer's destination after paying.
    public let success: HTTPURL
    /// The payer's destination after any other end.
    public let error: HTTPURL

    /// Creates a pair of pages. If the service rejects one of the pages, it silently redirects no payer. Such pages are
    /// refused here.
    ///
    /// - Parameters:
    ///   - success: for payments that succeeded, such as `https://shop.example/thanks`.
    ///   - error: for all others; it may be the same.
    /// - Throws: ``CheckoutReturnError``, naming the page and the reason.
    public init(success: String, error: String) throws(CheckoutReturnError) {
        self.success = try Self.page(success, "success")
        self.error = try Self.page(error, "error")
    }

    private static func page(_ text: String, _ which: String) throws(CheckoutReturnError) -> HTTPURL {
        let link: PaymentLink
        let url: HTTPURL
        do {
            link = try PaymentLink(text)
            url = try HTTPURL(text)
        } catch { throw CheckoutReturnError(which, "is no web address: \(error)") }
        guard url.isSecure else { throw CheckoutReturnError(which, "is not https") }
        guard link.fragment == nil else {
            throw CheckoutReturnError(which, "has a fragment, where nothing can be added")
        }
        guard !LinkReading.isOurs(url.host[...]) else { throw CheckoutReturnError(which, "is the service's own page") }
        let names = QueryItems(Substring(url.query ?? "")).map {
            PercentCoding.decodeLeniently($0.name, plusIsSpace: true)
        }
        guard !names.contains(where: { $0.equalsIgnoringASCIICase(parameter) }) else {
            throw CheckoutReturnError(which, "has a '\(parameter)' already, which is what the service adds")
        }
        return url
    }

    /// Returns the payment of the return `link`; nil when it is not a return. It has to be one of the two pages,
    /// including port and path, and name one payment once.
    func payment(in link: PaymentLink) -> String? {
        guard link.form == .web, link.isHTTPS, let host = link.host else { return nil }
        let isPage = [success, error].contains { page in
            page.host == host[...] && page.port == link.port ?? 443
                && page.path[...] == (link.path.isEmpty ? "/" : link.path)
        }
        guard isPage else { return nil }
        var id: Substring?
        for item in link.queryItems {
            let name = PercentCoding.decodeLeniently(item.name, plusIsSpace: true)
            guard name.equalsIgnoringASCIICase(Self.parameter) else { continue }
            guard id == nil, item.name == Self.parameter[...], PaymentID.isWellFormed(item.value) else { return nil }
            id = item.value
        }
        return id.map(String.init)
    }

    /// The patterns that a provider has to claim to receive both pages. The slash of an empty path is optional.
    var patterns: [LinkPattern] {
        var urls: [String] = []
        for page in [success, error] {
            let spellings = page.path == "/" ? [page.origin, "\(page.origin)/"] : [page.origin + page.path]
            urls += spellings.filter { !urls.contains($0) }
        }
        return urls.map { .returnURL($0) }
    }
}

/// Why a page cannot receive returning payers.
public struct CheckoutReturnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One human-readable sentence; never the address.
    public let description: String

    init(_ which: String, _ reason: String) { description = "the checkout's \(which) URL \(reason)" }
}
