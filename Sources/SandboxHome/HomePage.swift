import PaymentCore
import SandboxSupport

/// `/`: the services that run here, the settings that point a program at them, and the menu.
struct HomePage {
    let services: [any ListedService]
    let origin: String
    let last: HomeLedger

    func response(_ nonce: String) -> HTTPResponse {
        let rooms = [
            (
                "/playground", "Playground",
                "Paste or scan any payment text: what it is, where it goes, and whether to trust it."
            ),
            ("/scenarios", "Scenarios", "Payments with every outcome, one button each."),
            (
                "/ledger", "Ledger and requests",
                "Your program's requests, the responses, and where the money went. Live."
            ),
        ]
        let cards = rooms.map { path, title, text in
            "<section class=\"card\"><h2><a href=\"\(path)\">\(title)</a></h2><p>\(text)</p></section>"
        }
        let pages = services.flatMap(\.pages)
        let links = pages.map { "<li><a href=\"\($0.path)\">\(HTMLText.escape($0.title))</a></li>" }
        return HomeFrame.page(
            "Home", room: "/", nonce: nonce, attributes: " data-after=\"\(last.lastNumber)\"",
            """
            <h1>Payments that move no money</h1>
            <p>Simulated payment services on this machine, for testing your integration. Nothing leaves the machine.</p>
            \(recent)<div class="rooms">
            \(cards.joined(separator: "\n"))
            </div>
            <h2>Point your program at it</h2>
            <p>One address for all services; programs of this machine reach it.</p>
            \(HomeFrame.copyable(origin, name: "address"))
            \(snippets)
            <details><summary>Keys for servers</summary>
            \(services.compactMap(described).joined())</details>
            <h2>Pages of the services</h2>
            <p>A payment's own pages, such as the shop's checkout or the wallet's, are listed with it.</p>
            <ul>
            \(links.joined(separator: "\n"))
            </ul>
            <h2>For programs</h2>
            <p><a href="/_sandbox/openapi.json">The interface</a> makes payments, plans faults, sets the clock forward and
            reports events; <a href="/health">/health</a> answers once it runs. Pages of browsers may call it from loopback
            origins only.</p>

            """)
    }

    private func described(_ service: any ListedService) -> String? {
        let hint = service.hint.map { "<p class=\"hint\">\(HTMLText.escape($0))</p>\n" } ?? ""
        return "<h3>\(HTMLText.escape(service.title))</h3>\n\(hint)"
    }

    private var snippets: String {
        guard let service = services.first, let scenario = service.scenarios.first else { return "" }
        return HomeSnippet.all(origin: origin, service: service.id, scenario: scenario.name).map {
            "<details><summary>\($0.name)</summary>\(HomeFrame.copyable($0.text, name: $0.name))</details>\n"
        }.joined()
    }

    /// The payments that were made last, and a button for another.
    private var recent: String {
        let entries = last.newest(3)
        let first = services.first.flatMap { service in
            service.scenarios.first.map { HTMLText.escape("\(service.id)/\($0.name)") }
        }
        let button = first.map {
            """
            <form method="post" action="/scenarios" class="actions"><button class="primary" name="pay" value="\($0)">\
            Make one and pay it</button></form>

            """
        }
        return """
            <h2>Last payments <small class="faint" id="live"></small></h2>
            \(entries.isEmpty ? "<p id=\"payments\">None yet.</p>" : HomeFrame.payments(entries, services))
            \(button ?? "")
            """
    }
}
