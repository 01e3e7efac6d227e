public import PaymentCore

/// The merchant's pages to which the service's checkout page returns payers, once a payment has ended there.
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

    /// Creates a pair of pages. When the service rejects one of the pages, it silently redirects no payer; such pages
    /// are refused here.
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

/// The reason why a page cannot receive returning payers.
public struct CheckoutReturnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One human-readable sentence; never the address.
    public let description: String

    init(_ which: String, _ reason: String) { description = "the checkout's \(which) URL \(reason)" }
}
