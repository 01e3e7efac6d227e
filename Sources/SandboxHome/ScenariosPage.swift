import PaymentCore
import SandboxSupport

/// `/scenarios`: everything that can be shown, a table for each service; scenarios with the same ending stand together.
struct ScenariosPage {
    /// The content below a scenario's row: a payment that can be tried, with its link and the link's QR code.
    struct Shown {
        let service: String
        let payment: SandboxPayment
        /// Nil where the link is too long for a QR code.
        let picture: String?
    }

    let services: [any ListedService]
    let showsTampered: Bool
    var shown: Shown?
    /// The reason why the form of a service was refused, and the form's items.
    var refused: (service: String, problem: String, items: FormItems)?

    func response(_ nonce: String) -> HTTPResponse {
        let menu = services.map { "<a href=\"#\($0.id)\">\(HTMLText.escape($0.title))</a>" }.joined(separator: " ")
        return HomeFrame.page(
            "Scenarios", room: "/scenarios", nonce: nonce,
            """
            <h1>Scenarios</h1>
            <p>Each button makes a fresh payment. <strong>New</strong> shows all about it, <strong>QR</strong> its link and QR code
            in this table, <strong>Open</strong> the page that a payer sees, and <strong>Pay it</strong> has a simulated payer walk
            through it, step by step.</p>
            \(refused.map { "<p role=\"alert\" class=\"problems\">\(HTMLText.escape($0.problem))</p>" } ?? "")
            <p>\(menu)</p>
            \(services.map(table).joined())
            """, status: refused == nil ? 200 : 400)
    }

    private func table(_ service: any ListedService) -> String {
        var groups: [(name: String, scenarios: [ListedScenario])] = []
        for scenario in service.listed(tampered: showsTampered) {
            if let place = groups.firstIndex(where: { $0.name == scenario.group }) {
                groups[place].scenarios.append(scenario)
            } else {
                groups.append((scenario.group, [scenario]))
            }
        }
        let id = HTMLText.escape(service.id)
        var html = """
            <section aria-labelledby="\(id)">
            <h2 id="\(id)">\(HTMLText.escape(service.title))</h2>
            <form method="post" action="/scenarios">
            \(service.takesAmounts ? amount(service.id) : "<p class=\"faint\">The amounts are the scenarios' own.</p>\n")
            """
        for group in groups {
            html +=
                "<h3>\(HTMLText.escape(group.name))</h3>\n<table class=\"stack\"><thead><tr><th scope=\"col\">Scenario</th>"
            html += "<th scope=\"col\">What it shows</th><th scope=\"col\" class=\"do\">Do</th></tr></thead><tbody>\n"
            html += group.scenarios.map { row($0, service.id) }.joined()
            html += "</tbody></table>\n"
        }
        return html + "</form></section>\n"
    }

    private func amount(_ service: String) -> String {
        let id = HTMLText.escape(service)
        let items = refused?.service == service ? refused?.items : nil
        let isWrong = items == nil ? "" : " aria-invalid=\"true\""
        let currency = items?["currency"] ?? (service == "payrails" ? "EUR" : "USD")
        return """
            <div class="actions"><div><label for="\(id)-amount">Amount <small>(empty: the scenario's own)</small></label>
            <input id="\(id)-amount" name="amount" inputmode="decimal" autocomplete="off" \
            value="\(HTMLText.escape(items?["amount"] ?? ""))"\(isWrong)></div>
            <div><label for="\(id)-currency">Currency</label>
            <input id="\(id)-currency" name="currency" value="\(HTMLText.escape(currency))" maxlength="3" \
            autocomplete="off"></div></div>

            """
    }

    private func row(_ scenario: ListedScenario, _ service: String) -> String {
        let name = HTMLText.escape(scenario.name)
        func button(_ verb: String, _ text: String, _ more: String = "") -> String {
            "<button name=\"\(verb)\" value=\"\(service)/\(name)\" aria-label=\"\(text)\(more): \(name)\">\(text)</button> "
        }
        let shown = shown.flatMap { $0.service == service && $0.payment.scenario == scenario.name ? below($0) : nil }
        let id = shown == nil ? "" : " id=\"\(HTMLText.escape(Self.anchor))\""
        return "<tr\(id)><th scope=\"row\">\(name)</th><td>\(HTMLText.escape(scenario.summary))</td><td class=\"do\">"
            + button("make", "New") + button("link", "QR", " code and link") + button("open", "Open")
            + button("pay", "Pay it") + "</td></tr>\n" + (shown ?? "")
    }

    /// The row of the payment that is shown.
    static let anchor = "shown"

    private func below(_ shown: Shown) -> String {
        let payment = shown.payment
        let large = HTMLText.escape("/_sandbox/qr.svg?payment=" + PercentCoding.encode(payment.id))
        let drawing =
            shown.picture.map {
                "<a class=\"qr small\" href=\"\(large)\" aria-label=\"QR code of the link, large\">\($0)</a>"
            }
            ?? "<p class=\"faint\">The link is too long for a QR code.</p>"
        return """
            <tr><td colspan="3" class="link"><div class="beside">\(drawing)
            <div>\(HomeFrame.copyable(payment.link, name: "link", scrolls: true))
            <p><a href="\(HomeFrame.path(payment.id))">All about this payment</a></p></div></div></td></tr>

            """
    }
}
