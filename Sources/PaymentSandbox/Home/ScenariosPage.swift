import PaymentCore

/// `/scenarios`: everything that can be shown, a table for each service, what ends alike together.
struct ScenariosPage {
    let services: [any ListedService]

    func response(_ nonce: String) -> HTTPResponse {
        let menu = services.map { "<a href=\"#\($0.id)\">\(HTMLText.escape($0.title))</a>" }.joined(separator: " ")
        return HomeFrame.page(
            "Scenarios", room: "/scenarios", nonce: nonce,
            """
            <h1>Scenarios</h1>
            <p>Each button makes a fresh payment. <strong>New</strong> shows its link and QR code, <strong>Open</strong> the page
            that a payer sees, and <strong>Pay it</strong> has a simulated payer walk through it, step by step.</p>
            <p>\(menu)</p>
            \(services.map(table).joined())
            """)
    }

    private func table(_ service: any ListedService) -> String {
        var groups: [(name: String, scenarios: [ListedScenario])] = []
        for scenario in service.scenarios {
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
            <div class="actions"><div><label for="\(id)-amount">Amount <small>(empty: the scenario's own)</small></label>
            <input id="\(id)-amount" name="amount" inputmode="decimal" autocomplete="off"></div>
            <div><label for="\(id)-currency">Currency</label>
            <input id="\(id)-currency" name="currency" value="\(service.id == "payrails" ? "EUR" : "USD")" maxlength="3" \
            autocomplete="off"></div></div>

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

    private func row(_ scenario: ListedScenario, _ service: String) -> String {
        let name = HTMLText.escape(scenario.name)
        func button(_ verb: String, _ text: String) -> String {
            "<button name=\"\(verb)\" value=\"\(service)/\(name)\" aria-label=\"\(text): \(name)\">\(text)</button> "
        }
        return "<tr><th scope=\"row\">\(name)</th><td>\(HTMLText.escape(scenario.summary))</td><td class=\"do\">"
            + button("make", "New") + button("open", "Open") + button("pay", "Pay it") + "</td></tr>\n"
    }
}
