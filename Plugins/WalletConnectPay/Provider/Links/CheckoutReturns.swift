public import PaymentCore

/// The pages of a merchant to which the service's checkout page sends payers back, once a payment has ended there.
///
/// The service adds `payment_id` to them and nothing else: no state and no signature. Coming back is a reason to ask
/// what has become of the payment, and never an answer.
public struct CheckoutReturns: Sendable, Hashable {
    /// What is added to both.
    static let parameter = "payment_id"

    /// Where a payer is sent who has paid.
    public let success: HTTPURL
    /// Where a payer is sent whose payment ended in any other way.
    public let error: HTTPURL

    /// Creates a pair of pages. The service sends nobody anywhere when it takes exception to one of them, and does not
    /// say so; here they are refused.
    ///
    /// - Parameters:
    ///   - success: for payments that succeeded, such as `https://shop.example/thanks`.
    ///   - error: for all others; it may be the same.
    /// - Throws: ``CheckoutReturnError``, saying which one and why.
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

    /// The payment that `link` brings a payer back from; nil when it is no such link. It has to be one of the two
    /// pages, to the port and path, and name one payment once.
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

    /// What a provider has to claim to be asked about both pages. The slash of an empty path may be there or not.
    var patterns: [LinkPattern] {
        var urls: [String] = []
        for page in [success, error] {
            let spellings = page.path == "/" ? [page.origin, "\(page.origin)/"] : [page.origin + page.path]
            urls += spellings.filter { !urls.contains($0) }
        }
        return urls.map { .returnURL($0) }
    }
}

/// Why a page is not one that payers can be sent back to.
public struct CheckoutReturnError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for people; never the address.
    public let description: String

    init(_ which: String, _ reason: String) { description = "the checkout's \(which) URL \(reason)" }
}
