import PaymentCore
import SandboxSupport

/// `/`: the services that run here, the settings that point a program at them, and the menu.
struct HomePage {
    let services: [any ListedService]
    let origin: String

    func response(_ nonce: String) -> HTTPResponse {
        let rooms = [
            (
                "/playground", "Playground",
                "Paste or scan any payment text: what it is, where it goes, and whether to trust it."
            ),
            ("/scenarios", "Scenarios", "Payments that succeed, fail, hang and lie, one button each."),
            (
                "/ledger", "Ledger and requests",
                "What your program asks, what it is answered, and where the money went. Live."
            ),
        ]
        let cards = rooms.map { path, title, text in
            "<section class=\"card\"><h2><a href=\"\(path)\">\(title)</a></h2><p>\(text)</p></section>"
        }
        let pages = services.flatMap(\.pages)
        let links = pages.map { "<li><a href=\"\($0.path)\">\(HTMLText.escape($0.title))</a></li>" }
        return HomeFrame.page(
            "Home", room: "/", nonce: nonce,
            """
            <h1>Payments that move no money</h1>
            <p>Simulated services on this machine, for programs that pay and for people who look first. Nothing leaves the
            machine.</p>
            <div class="rooms">
            \(cards.joined(separator: "\n"))
            </div>
            <h2>Point your program at it</h2>
            <p>One address for all services; programs of this machine reach it.</p>
            \(HomeFrame.copyable(origin, name: "address"))
            \(services.compactMap(described).joined())
            \(snippets)
            <h2>Pages of the services</h2>
            <p>Every payment's page lists its own: the shop's checkout, the bank's question, the wallet's page, the form.</p>
            <ul>
            \(links.joined(separator: "\n"))
            </ul>
            <h2>For programs</h2>
            <p><a href="/_sandbox/openapi.json">The interface</a> makes payments, plans faults, sets the clock forward and
            reports what happened; <a href="/health">/health</a> says when it is up. Browsers' pages may ask from loopback
            origins only.</p>

            """)
    }

    private func described(_ service: any ListedService) -> String? {
        let hint = service.hint.map { "<p class=\"hint\">\(HTMLText.escape($0))</p>\n" } ?? ""
        return "<h3>\(HTMLText.escape(service.title))</h3>\n\(hint)"
    }

    private var snippets: String {
        [
            ("Shell", "payroute pay 'LINK' --sandbox \(origin)"),
            (
                "curl",
                "curl -s \(origin)/_sandbox/payments -H 'Content-Type: application/json' -d '\(order(0))'"
            ),
            (
                "Swift",
                """
                let sandbox = try await SandboxConnection("\(origin)")
                let router = try sandbox.router(journal: InMemoryJournal())
                let outcome = try await router.pay(link, as: sandbox.payer(), acceptingUnverified: true)
                """
            ),
            (
                "JavaScript",
                """
                const answer = await fetch("\(origin)/_sandbox/payments", {method: "POST",
                  headers: {"Content-Type": "application/json"},
                  body: '\(order(2))'});
                const {id, link} = await answer.json();
                """
            ),
            (
                "Python",
                """
                import json, urllib.request
                request = urllib.request.Request("\(origin)/_sandbox/payments", b'\(order(1))',
                  {"Content-Type": "application/json"})
                payment = json.load(urllib.request.urlopen(request))
                """
            ),
        ].map { name, text in
            "<details><summary>\(name)</summary>\(HomeFrame.copyable(text, name: name))</details>\n"
        }.joined()
    }

    /// The body of a request that makes a payment at one of the services.
    private func order(_ index: Int) -> String {
        guard let service = services.indices.contains(index) ? services[index] : services.first,
            let scenario = service.scenarios.first
        else { return "{}" }
        let body: JSONValue = ["service": .string(service.id), "scenario": .string(scenario.name)]
        return String(decoding: body.serialized(), as: UTF8.self)
    }
}
