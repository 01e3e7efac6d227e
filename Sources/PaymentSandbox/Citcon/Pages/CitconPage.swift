import PaymentCore

/// A payment page: it loads nothing and needs no script.
struct CitconPage {
    /// Who is paid.
    let merchant: String
    /// Allows this page's own style.
    let nonce: String

    /// The question whether to pay; where the payer has the choice, also with what.
    func question(_ charge: CitconCharge, isCode: Bool, methods: [String] = []) -> HTTPResponse {
        let heading = isCode ? "Pay with another device" : "Confirm your payment"
        let lead =
            isCode
            ? "A real page shows a code for a wallet to scan. Here, the buttons do what the wallet would."
            : "This is a simulation: no money moves."
        let html = """
            <h1>\(heading)</h1>
            <p>\(lead)</p>
            \(summary(charge))
            <form method="post">
            <fieldset>
            <legend>What do you want to do?</legend>
            \(Self.choice(of: methods))
            <button type="submit" name="act" value="pay">Pay \(HTMLText.escape(Self.price(charge)))</button>
            <button type="submit" name="act" value="cancel">Cancel</button>
            <button type="submit" name="act" value="fail">Let it fail</button>
            </fieldset>
            </form>

            """
        return page(heading, html, leadingTo: charge.urls)
    }

    /// What has become of the payment, with the way back.
    func ending(_ charge: CitconCharge, back: String?) -> HTTPResponse {
        let heading = Self.words(charge.status)
        let way = back.map { "<p><a href=\"\(HTMLText.escape($0))\" rel=\"noreferrer\">Back to the shop</a></p>\n" }
        let html = """
            <h1>\(heading)</h1>
            \(summary(charge))
            \(way ?? "<p>You can close this page.</p>\n")
            """
        return page(heading, html, leadingTo: charge.urls)
    }

    /// There is no such payment, or the form was broken.
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
        return "<p><label>Pay with <select name=\"method\">\(options)</select></label></p>"
    }

    private func summary(_ charge: CitconCharge) -> String {
        let rows = [
            ("Payee", merchant), ("Amount", Self.price(charge)), ("Method", charge.method ?? "not chosen"),
            ("Reference", charge.reference), ("State", Self.words(charge.status)),
        ]
        let html = rows.map { "<dt>\(HTMLText.escape($0))</dt><dd>\(HTMLText.escape($1))</dd>" }
        return "<dl>\n" + html.joined(separator: "\n") + "\n</dl>"
    }

    static func price(_ charge: CitconCharge) -> String {
        let money = (try? FiatCurrency(charge.currency)).flatMap {
            try? Money(minorUnits: UInt128(charge.amount), currency: .fiat($0))
        }
        return money?.description ?? "\(charge.amount) \(charge.currency)"
    }

    static func words(_ status: CitconCharge.Status) -> String {
        switch status {
        case .initiated: "Waiting for you"
        case .pending: "Being decided"
        case .authorized: "The money is set aside"
        case .succeeded: "Paid"
        case .failed: "Not paid: it failed"
        case .canceled: "Not paid: called off"
        case .expired: "Not paid: too late"
        }
    }

    private func page(
        _ title: String, _ content: String, leadingTo urls: CitconCharge.URLs, status: Int = 200
    ) -> HTTPResponse {
        let goals = [urls.success, urls.fail, urls.cancel].compactMap { url in
            url.flatMap { try? PaymentLink($0) }?.scheme.map { "\($0):" }
        }
        return HTMLPage(title: title, nonce: nonce, style: Self.style, content: content, formGoals: Set(goals))
            .response(status: status)
    }

    private static let style = """

        :root{color-scheme:light dark}
        body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:0 auto;padding:1rem}
        dt{font-weight:bold}
        dd{margin:0 0 .5rem;overflow-wrap:anywhere}
        button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit}

        """
}
