import PaymentCore

/// Where the service's page sends a buyer whose payment has ended.
struct CheckoutPages: Sendable {
    let success: String
    let error: String

    /// The pages of a `checkout`; nil when there is none, or when one of them cannot be used: then nobody is sent anywhere.
    static func read(_ checkout: JSONValue?) throws(ServiceError) -> CheckoutPages? {
        guard let checkout, !checkout.isNull else { return nil }
        guard let success = checkout["successUrl"]?.string, let error = checkout["errorUrl"]?.string else {
            throw .validation("Validation error: checkout needs successUrl and errorUrl")
        }
        let isUsable = [success, error].allSatisfy { (try? HTTPURL($0))?.isSecure ?? false }
        return isUsable ? CheckoutPages(success: success, error: error) : nil
    }

    /// The address with the payment's id: behind a query, before a fragment.
    static func adding(_ id: String, to page: String) -> String {
        let parts = page.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let sign = parts[0].contains("?") ? "&" : "?"
        return "\(parts[0])\(sign)payment_id=\(id)" + (parts.count > 1 ? "#\(parts[1])" : "")
    }
}

extension WalletConnectPaySandbox {
    /// Returns where the service's page sends the buyer of a payment that has ended; nil while it is open, and where the
    /// merchant gave no pages or none that can be used.
    ///
    /// - Parameter id: the payment's id.
    public func returnURL(of id: String) -> String? {
        guard let payment = try? payment(id), payment.status.isFinal, let pages = payment.returns else { return nil }
        return CheckoutPages.adding(id, to: payment.status == .succeeded ? pages.success : pages.error)
    }

    /// The service's page for buyers, as far as it is played: `GET /buyer/{id}`. Where it really is, is the link's own host.
    func buyerPage(_ id: String) throws(ServiceError) -> HTTPResponse {
        let payment = try payment(id)
        if let url = returnURL(of: id) { return HTTPResponse(status: 303, headers: ["Location": url]) }
        let text =
            payment.status.isFinal
            ? "This payment is over: \(payment.status.rawValue)." : "Pay with a wallet: \(PaymentIDs.link(to: id))"
        let page = HTMLPage(
            title: payment.merchant, nonce: random.hex(32), style: "main{font-family:sans-serif}",
            content: "<h1>\(HTMLText.escape(payment.merchant))</h1>\n<p>\(HTMLText.escape(text))</p>\n")
        return page.response()
    }
}
