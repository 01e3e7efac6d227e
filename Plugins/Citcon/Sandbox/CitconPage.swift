import PaymentCore
import SandboxSupport

/// A payment page: it loads nothing and needs no script.
struct CitconPage {
    /// The payee.
    let merchant: String
    /// The nonce that allows this page's own style.
    let nonce: String

    /// The page that asks for the payment, and for the method if the payer has the choice.
    func question(_ charge: CitconCharge, isCode: Bool, methods: [String] = []) -> HTTPResponse {
        let heading = isCode ? "Pay with another device" : "Confirm your payment"
        let lead =
            isCode
            ? "A real page shows a code for a wallet to scan. Here, the buttons do what the wallet would."
            : "This is a simulation: no money moves."
        let html = """
            <h1>\(heading)</h1>
            <p class="price">\(HTMLText.escape(Self.price(charge)))</p>
            <p>to <strong>\(HTMLText.escape(merchant))</strong> with \(HTMLText.escape(Self.method(charge)))</p>
            <p>\(lead)</p>
            \(summary(charge))
            <form method="post">
            \(Self.choice(of: methods))
            <div class="choices">
            <button class="primary" type="submit" name="act" value="pay">Pay \(HTMLText.escape(Self.price(charge)))</button>
            <button type="submit" name="act" value="cancel">Cancel</button>
            <button class="danger" type="submit" name="act" value="fail">Let it fail</button>
            </div>
            </form>

            """
        return page(heading, html, leadingTo: charge.urls)
    }

    /// The page with the status of the payment and the way back.
    func ending(_ charge: CitconCharge, back: String?) -> HTTPResponse {
        let heading = Self.words(charge.status)
        let way = back.map {
            "<p><a href=\"\(HTMLText.escape($0))\" class=\"button primary\" rel=\"noreferrer\">Back to the shop</a></p>\n"
        }
        let html = """
            <h1 class="\(Self.tone(charge.status))">\(heading)</h1>
            <p class="price">\(HTMLText.escape(Self.price(charge)))</p>
            \(summary(charge))
            \(way ?? "<p>You can close this page.</p>\n")
            """
        return page(heading, html, leadingTo: charge.urls)
    }

    /// The page for an unknown payment or a malformed form.
    func problem(_ text: String, status: Int) -> HTTPResponse {
        page(
            "This page cannot be used",
            "<h1>This page cannot be used</h1>\n<p role=\"alert\">\(HTMLText.escape(text))</p>\n",
            leadingTo: CitconCharge.URLs(), status: status)
    }

    // MARK: Parts

    private static func choice(of methods: [String]) -> String {
        guard !methods.isEmpty else { return "" }
        let options = methods.map { "<option>\(HTMLText.escape($0))</option>" }.joined()
        return "<label for=\"method\">Pay with</label><select id=\"method\" name=\"method\">\(options)</select>"
    }

    private func summary(_ charge: CitconCharge) -> String {
        let rows = [
            ("Payee", merchant), ("Amount", Self.price(charge)), ("Method", Self.method(charge)),
            ("Reference", charge.reference), ("State", Self.words(charge.status)),
            ("Pay until", PageTime.text(charge.expiresAt)),
        ]
        let html = rows.map { "<dt>\(HTMLText.escape($0))</dt><dd>\(HTMLText.escape($1))</dd>" }
        return "<dl class=\"card\">\n" + html.joined(separator: "\n") + "\n</dl>"
    }

    /// The name of the method, as payers know it.
    static func method(_ charge: CitconCharge) -> String {
        let names = [
            "wechatpay": "WeChat Pay", "alipay": "Alipay", "upop": "UnionPay", "card": "a card", "paypal": "PayPal",
            "venmo": "Venmo", "toss": "Toss", "gcash": "GCash", "paynow": "PayNow", "paymaya": "Maya",
            "cashapppay": "Cash App", "klarna": "Klarna", "grabpay": "GrabPay", "google": "Google Pay",
            "hpp": "a method of your choice",
        ]
        guard let method = charge.method else { return "not chosen" }
        return names[method] ?? method
    }

    private static func tone(_ status: CitconCharge.Status) -> String {
        switch status {
        case .authorized, .succeeded: "good"
        case .initiated, .pending: "doubtful"
        case .failed, .canceled, .expired: "bad"
        }
    }

    static func price(_ charge: CitconCharge) -> String {
        charge.money.map(NumberStyle.text) ?? "\(charge.amount) \(charge.currency)"
    }

    static func words(_ status: CitconCharge.Status) -> String {
        switch status {
        case .initiated: "Waiting for you"
        case .pending: "Being decided"
        case .authorized: "The money is set aside"
        case .succeeded: "Paid"
        case .failed: "Not paid: it failed"
        case .canceled: "Not paid: cancelled"
        case .expired: "Not paid: too late"
        }
    }

    private func page(
        _ title: String, _ content: String, leadingTo urls: CitconCharge.URLs, status: Int = 200
    ) -> HTTPResponse {
        let goals = [urls.success, urls.fail, urls.cancel].compactMap { url in
            url.flatMap { try? PaymentLink($0) }?.scheme.map { "\($0):" }
        }
        return HTMLPage(title: title, nonce: nonce, content: content, formGoals: Set(goals))
            .response(status: status)
    }
}

// MARK: - API

/// The payment pages: `GET` shows one, `POST` performs its buttons' actions. They need no credentials, because they
/// open in browsers.
extension CitconSandbox {
    func showPage(_ id: String, _ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        guard let token = tokensByPage[id] else { return unknownPage }
        let charge = try charge(token)
        guard charge.status == .initiated else {
            let isFromHome = FormItems(Substring(request.url.query ?? ""))["from"] == "home"
            return page.ending(charge, back: isFromHome ? "/ledger/\(charge.id)" : Self.wayBack(charge))
        }
        return page.question(
            charge, isCode: charge.pages.contains { $0.id == id && $0.format == "qr" },
            methods: charge.method == Self.hosted ? Self.onPage : [])
    }

    func submitPage(_ id: String, _ request: HTTPRequest) throws(CitconSandboxError) -> HTTPResponse {
        guard let token = tokensByPage[id] else { return unknownPage }
        let items = FormItems(Substring(decoding: request.body, as: UTF8.self))
        guard request.mediaType == "application/x-www-form-urlencoded",
            let act = items["act"].flatMap(CitconAct.init), !items.isAmbiguous
        else { return page.problem("Please choose one of the buttons.", status: 400) }
        if let method = items["method"] {
            guard try self.charge(token).method == Self.hosted, Self.onPage.contains(method) else {
                return page.problem("There is no such method here.", status: 400)
            }
            if try self.charge(token).status == .initiated { charges[token]?.method = method }
        }
        try self.act(act, on: token)
        let charge = try charge(token)
        // A payer from the sandbox's home has no app to return to.
        if FormItems(Substring(request.url.query ?? ""))["from"] == "home" {
            return page.ending(charge, back: "/ledger/\(charge.id)")
        }
        var response = page.ending(charge, back: Self.wayBack(charge))
        if let back = Self.wayBack(charge), charge.plan?.losesReturn != true {
            response.status = 303
            response.headers["Location"] = charge.plan?.returnsForeign == true ? back + "?reference=another" : back
        }
        return response
    }

    /// The id of the service's own page for payers who choose a method.
    private static let hosted = "hpp"
    /// The methods on that page.
    private static let onPage = documentedMethods.filter { $0 != hosted }

    private var page: CitconPage { CitconPage(merchant: configuration.merchant, nonce: random.hex(32)) }

    private var unknownPage: HTTPResponse { page.problem("There is no such payment here.", status: 404) }

    /// Returns the payer's next address.
    private static func wayBack(_ charge: CitconCharge) -> String? {
        switch charge.status {
        case .authorized, .succeeded, .pending: charge.urls.success
        case .canceled: charge.urls.cancel ?? charge.urls.fail
        case .failed, .expired: charge.urls.fail
        case .initiated: nil
        }
    }
}
