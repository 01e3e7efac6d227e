import PaymentCore
import SandboxSupport

/// The pages to which the service sends a buyer after the payment has ended.
struct CheckoutPages: Sendable {
    let success: String
    let error: String

    /// Reads the pages of a `checkout`; nil when there is none, or when one of them cannot be used: then the buyer is
    /// not redirected.
    static func read(_ checkout: JSONValue?) throws(ServiceError) -> CheckoutPages? {
        guard let checkout, !checkout.isNull else { return nil }
        guard let success = checkout["successUrl"]?.string, let error = checkout["errorUrl"]?.string else {
            throw .validation("Validation error: checkout needs successUrl and errorUrl")
        }
        let isUsable = [success, error].allSatisfy { (try? HTTPURL($0))?.isSecure ?? false }
        return isUsable ? CheckoutPages(success: success, error: error) : nil
    }

    /// Returns the address with the payment's id: behind a query, before a fragment.
    static func adding(_ id: String, to page: String) -> String {
        let parts = page.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let sign = parts[0].contains("?") ? "&" : "?"
        return "\(parts[0])\(sign)payment_id=\(id)" + (parts.count > 1 ? "#\(parts[1])" : "")
    }
}

extension WalletConnectPaySandbox {
    /// Returns the address to which the service sends the buyer of a payment that has ended; nil while it is open, and
    /// if the merchant set no usable pages.
    ///
    /// - Parameter id: the payment's id.
    public func returnURL(of id: String) -> String? {
        guard let payment = try? payment(id), payment.status.isFinal, let pages = payment.returns else { return nil }
        return CheckoutPages.adding(id, to: payment.status == .succeeded ? pages.success : pages.error)
    }

    /// Simulates the service's page for buyers: `GET /buyer/{id}`. The real page is at the link's own host, to which
    /// nothing here leads: the code is for a wallet that calls this sandbox, and the button for the simulated one.
    func buyerPage(_ id: String) throws(ServiceError) -> HTTPResponse {
        let payment = try payment(id)
        if let url = returnURL(of: id) { return HTTPResponse(status: 303, headers: ["Location": url]) }
        let price = payment.priceText
        let link = PaymentIDs.link(to: id)
        let state =
            payment.status.isFinal
            ? "<p class=\"\(payment.status == .succeeded ? "good" : "bad")\">This payment is over: "
                + "\(HTMLText.escape(payment.status.words)).</p>\n"
            : """
            <form method="post" action="/ledger/\(PercentCoding.encode(id))/pay" class="choices">
            <button class="primary">Pay \(HTMLText.escape(price)) with the simulated wallet</button></form>
            <p>Or scan the code with a wallet under test:</p>
            <img class="qr" src="/_sandbox/qr.svg?text=\(PercentCoding.encode(link))" alt="QR code of the link">
            <p class="code">Pay with a wallet: \(HTMLText.escape(link))</p>

            """
        let page = HTMLPage(
            title: payment.merchant, nonce: random.hex(32),
            content: """
                <h1>\(HTMLText.escape(payment.merchant))</h1>
                <p class="price">\(HTMLText.escape(price))</p>
                \(state)<dl class="card">
                <dt>Order</dt><dd>\(HTMLText.escape(payment.referenceID))</dd>
                <dt>Pay until</dt><dd>\(PageTime.text(payment.expiresAt))</dd>
                </dl>

                """, usesOwnAddress: true)
        return page.response()
    }
}

extension PaymentRecord.Status {
    /// The text for buyers.
    fileprivate var words: String {
        switch self {
        case .requiresAction: "waiting"
        case .processing: "on its way"
        case .succeeded: "paid"
        case .failed: "not paid, it failed"
        case .expired: "not paid, too late"
        case .cancelled: "not paid, cancelled"
        case .unfamiliar: "being looked at"
        }
    }
}
