import PaymentCore
import PaymentTesting
import SandboxSupport

/// `/scenarios`: everything that can be shown, a list for each service. Scenarios with the same ending stand together
/// in a group that opens.
struct ScenariosPage {
    /// The content of a scenario's row: a payment that can be tried, with its link and the link's QR code.
    struct Shown {
        let service: String
        let payment: SandboxPayment
        /// Nil if no QR code can be drawn of the link.
        let picture: String?
    }

    let services: [any ListedService]
    let showsTampered: Bool
    /// The words that scenarios have to contain. If empty, all are shown, in closed groups.
    var search = ""
    var shown: Shown?
    /// The reason why the form of a service was refused, and the form's items.
    var refused: (service: String, problem: String, items: FormItems)?

    func response(_ nonce: String) -> HTTPResponse {
        let tables = services.map(table).joined()
        return HomeFrame.page(
            "Scenarios", room: "/scenarios", nonce: nonce,
            """
            <h1>Scenarios</h1>
            <p>Each button makes a fresh payment. <strong>Pay it</strong> has a simulated payer walk through it, step by step.
            Under <strong>More</strong>, <strong>Open</strong> shows the page that a payer sees, <strong>QR</strong> the link
            and its code in this list, and <strong>New</strong> all about the payment.</p>
            <form method="get" action="/scenarios" class="actions" role="search">
            <div><label for="search">Search <small>(service, ending or words)</small></label>
            <input id="search" name="search" value="\(HTMLText.escape(search))" autocomplete="off"></div>
            <button>Search</button></form>
            \(refused.map { "<p role=\"alert\" class=\"problems\">\(HTMLText.escape($0.problem))</p>" } ?? "")
            \(tables.isEmpty ? "<p>No scenario has these words. <a href=\"/scenarios\">Show all</a></p>" : tables)
            """, status: refused == nil ? 200 : 400)
    }

    /// True if each word of the search stands in the service, the scenario or its ending.
    private func fits(_ scenario: SimulatedScenario, _ service: any ListedService) -> Bool {
        let text = "\(service.id)/\(scenario.name) \(service.title) \(scenario.summary) \(scenario.group)".lowercased()
        return search.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }

    private func table(_ service: any ListedService) -> String {
        var groups: [(name: String, scenarios: [SimulatedScenario])] = []
        for scenario in service.listed(tampered: showsTampered) where fits(scenario, service) {
            if let place = groups.firstIndex(where: { $0.name == scenario.group }) {
                groups[place].scenarios.append(scenario)
            } else {
                groups.append((scenario.group, [scenario]))
            }
        }
        guard !groups.isEmpty else { return "" }
        let id = HTMLText.escape(service.id)
        var html = """
            <section aria-labelledby="\(id)">
            <h2 id="\(id)">\(HTMLText.escape(service.title))</h2>
            <form method="post" action="/scenarios">
            \(service.currency.map { amount(service, $0) } ?? "<p class=\"faint\">Each scenario has its own amount.</p>\n")
            """
        for group in groups {
            let isHere = group.scenarios.contains { isShown($0, service.id) }
            let isOpen = !search.isEmpty || isHere || refused?.service == service.id
            html += "<details\(isOpen ? " open" : "")><summary>\(HTMLText.escape(group.name)) "
            html += "<small>(\(group.scenarios.count))</small></summary>\n<ul class=\"rows\">\n"
            html += group.scenarios.map { row($0, service.id) }.joined()
            html += "</ul></details>\n"
        }
        return html + "</form></section>\n"
    }

    private func isShown(_ scenario: SimulatedScenario, _ service: String) -> Bool {
        shown.map { $0.service == service && $0.payment.scenario == scenario.name } ?? false
    }

    private func amount(_ service: any ListedService, _ usual: String) -> String {
        let id = HTMLText.escape(service.id)
        let items = refused?.service == service.id ? refused?.items : nil
        let isWrong = items == nil ? "" : " aria-invalid=\"true\""
        let currency = items?["currency"] ?? usual
        return """
            <div class="actions"><div><label for="\(id)-amount">Amount <small>(empty: the scenario's own)</small></label>
            <input id="\(id)-amount" name="amount" inputmode="decimal" autocomplete="off" \
            value="\(HTMLText.escape(items?["amount"] ?? ""))"\(isWrong)></div>
            <div><label for="\(id)-currency">Currency</label>
            <input id="\(id)-currency" name="currency" value="\(HTMLText.escape(currency))" maxlength="3" \
            autocomplete="off"></div></div>

            """
    }

    private func row(_ scenario: SimulatedScenario, _ service: String) -> String {
        let name = HTMLText.escape(scenario.name)
        func button(_ verb: String, _ text: String, look: String = "") -> String {
            "<button\(look) name=\"\(verb)\" value=\"\(service)/\(name)\" aria-label=\"\(text): \(name)\">\(text)</button> "
        }
        let shown = isShown(scenario, service) ? shown.map(below) : nil
        let id = shown == nil ? "" : " id=\"\(HTMLText.escape(Self.anchor))\""
        let title = scenario.summary.prefix(1).uppercased() + scenario.summary.dropFirst()
        return "<li\(id)><span class=\"what\">\(HTMLText.escape(title)) <code>\(name)</code></span>"
            + button("pay", "Pay it", look: " class=\"primary\"")
            + "<details class=\"more\"><summary>More</summary>"
            + button("open", "Open") + button("link", "QR") + button("make", "New")
            + "</details>\(shown ?? "")</li>\n"
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
            ?? "<p class=\"faint\">No QR code can be drawn of this link.</p>"
        return """
            <div class="link"><div class="beside">\(drawing)
            <div>\(HomeFrame.copyable(payment.link, name: "link", scrolls: true))
            <p><a href="\(HomeFrame.path(payment.id))">All about this payment</a></p></div></div></div>

            """
    }
}
