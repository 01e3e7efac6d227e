import PaymentCore
import SandboxSupport

/// `/ledger`: every payment and every request, from the pages and from other programs. Live if scripts run.
struct LedgerPage {
    let homeLedger: HomeLedger
    let services: [any ListedService]
    let faults: [PlannedFault]
    let clock: SandboxClock
    let filter: String

    func response(_ nonce: String) -> HTTPResponse {
        let entries = homeLedger.newest(filter.isEmpty ? 100 : .max).filter(fits).prefix(100)
        let events = homeLedger.events.suffix(100).reversed().map { HomeFrame.line($0, withPayment: true) }.joined()
        let waiting = faults.map {
            "<li>\(HTMLText.escape($0.kind.rawValue)): \(HTMLText.escape($0.kind.summary))</li>"
        }
        let shift = clock.shift.components.seconds
        return HomeFrame.page(
            "Ledger", room: "/ledger", nonce: nonce, attributes: " data-after=\"\(homeLedger.lastNumber)\"",
            """
            <h1>Ledger and requests</h1>
            <form method="get" action="/ledger" class="actions" role="search">
            <div><label for="filter">Filter <small>(service, scenario, payee, payment or state)</small></label>
            <input id="filter" name="filter" value="\(HTMLText.escape(filter))" autocomplete="off"></div>
            <button>Filter</button></form>
            <h2>Payments</h2>
            \(entries.isEmpty ? Self.none : HomeFrame.payments(entries, services))
            <h2>Faults and clock</h2>
            <div class="actions">
            <form method="post" action="/ledger" class="actions"><div><label for="kind">Next fault</label>\(Self.faultChoice)</div>
            <button>Inject</button></form>
            <form method="post" action="/ledger" class="actions"><div><label for="minutes">Clock forward, minutes</label>
            <input id="minutes" name="minutes" inputmode="numeric" value="15" autocomplete="off"></div>
            <button>Set forward</button></form>
            </div>
            <p class="faint">The fault applies to the next request that changes something. The sandbox's clock is \(shift) s ahead.</p>
            \(waiting.isEmpty ? "" : "<ul>\(waiting.joined())</ul>")
            <h2>Log <small class="faint" id="live"></small></h2>
            <ol class="log" id="log" reversed aria-label="Log, newest first" tabindex="0">
            \(events)</ol>

            """)
    }

    private static let none =
        "<p id=\"payments\">None: make a payment under <a href=\"/scenarios\">Scenarios</a>, or have your program make one.</p>"

    static let faultChoice: String =
        "<select id=\"kind\" name=\"kind\">"
        + PlannedFault.Kind.allCases.map {
            "<option value=\"\($0.rawValue)\">\(HTMLText.escape($0.title))</option>"
        }.joined() + "</select>"

    private func fits(_ entry: HomeLedger.Entry) -> Bool {
        guard !filter.isEmpty else { return true }
        let texts = [
            entry.service, entry.id, entry.listed?.scenario ?? "", entry.facts?.payee ?? "",
            LedgerState(entry.words).rawValue,
        ]
        return texts.contains { $0.lowercased().contains(filter.lowercased()) }
    }
}

/// `/ledger/{payment}`: one payment, with its actions and its events.
struct PaymentPage {
    let entry: HomeLedger.Entry
    let service: String
    let pages: [ListedPage]
    /// True if the service notifies merchants of such payments.
    let notifies: Bool
    let picture: String?
    let origin: String
    let last: Int
    /// The name of the program in commands to copy, or nil for none.
    let program: String?

    func response(_ nonce: String) -> HTTPResponse {
        let path = HomeFrame.path(entry.id)
        let events = entry.events.reversed().map { HomeFrame.line($0, withPayment: false) }.joined()
        return HomeFrame.page(
            "Payment", room: "/ledger", nonce: nonce,
            attributes: " data-after=\"\(last)\" data-payment=\"\(HTMLText.escape(entry.id))\"",
            """
            <h1>\(title)</h1>
            <p id="state" aria-live="polite"><strong class="price words">\(HomeFrame.state(entry.words))</strong>
            \(HTMLText.escape(entry.words.map(\.rawValue).joined(separator: ", ")))</p>
            \(HomeFrame.list([
                ("Service", service), ("Payment", entry.id),
                ("Scenario", entry.listed.map { "\($0.scenario): \($0.summary)" } ?? "none: made by another program"),
            ]))            <div class="actions">
            \(entry.payable != nil ? "<form method=\"post\" action=\"\(path)/pay\">\(button)</form>" : "")
            \(pages.map { "<a class=\"button\" href=\"\(HTMLText.escape($0.path))\">\(HTMLText.escape($0.title))</a>" }.joined(separator: "\n"))
            \(notifies ? "<form method=\"post\" action=\"\(path)/notify\"><button>Notify again</button></form>" : "")
            </div>
            \(report)\(link)
            <h2>Inject a fault</h2>
            <form method="post" action="\(path)/fault" class="actions"><div><label for="kind">Next fault for this payment</label>
            \(LedgerPage.faultChoice)</div><button>Inject</button></form>
            <p class="faint">It applies to the next request about this payment that changes something.</p>
            \(Self.endings)
            <h2>What happened <small class="faint" id="live"></small></h2>
            <ol class="log" id="log" reversed aria-label="What happened, newest first" tabindex="0">
            \(events)</ol>

            """)
    }

    /// The amount and the payee, as HTML.
    private var title: String {
        let payee = HTMLText.escape(entry.facts?.payee ?? "an unknown payee")
        return "\(HTMLText.escape(HomeFrame.amount(of: entry) ?? "Payment")) to <bdi>\(payee)</bdi>"
    }

    /// The main button while the payment is open, and a plain one afterwards.
    private var button: String {
        switch LedgerState(entry.words) {
        case .open, .inProgress: "<button class=\"primary\">Pay it</button>"
        case .authorized, .paid, .refunded, .failed, .cancelled, .expired: "<button>Pay it again</button>"
        }
    }

    private var link: String {
        guard let listed = entry.listed else { return "" }
        let drawing =
            picture.map { "<div class=\"qr\" role=\"img\" aria-label=\"QR code of the link\">\($0)</div>" } ?? ""
        return """
            <section class="card"><h2>Link</h2>
            \(HomeFrame.copyable(listed.link, name: "link", scrolls: true))
            \(drawing)
            \(program.map { command(listed, $0) } ?? "")</section>

            """
    }

    private func command(_ listed: SandboxPayment, _ program: String) -> String {
        """
        <h3>With the command line</h3>
        \(HomeFrame.copyable(listed.command(program, at: origin), name: "command", scrolls: true))

        """
    }

    private var report: String {
        if entry.isBeingPaid { return "<p class=\"note\" role=\"status\">A simulated payer is paying.</p>\n" }
        guard let report = entry.report else { return "" }
        let tone =
            report.outcome == "succeeded"
            ? "good" : ["pending", "unknown"].contains(report.outcome) ? "doubtful" : "bad"
        let lines = report.journal.map { "<li>\(HTMLText.escape($0))</li>" }.joined(separator: "\n")
        return """
            <section class="card"><h2>What the payer knows</h2>
            <p id="outcome"><strong class="\(tone)">\(HTMLText.escape(report.outcome))</strong> \(HTMLText.escape(report.reason))</p>
            <h3>Its journal</h3>
            <ol>
            \(lines)
            </ol></section>

            """
    }

    private static let endings =
        "<details><summary>How a payment ends after a fault</summary><dl>"
        + PlannedFault.Kind.allCases.map {
            "<dt>\(HTMLText.escape($0.summary))</dt><dd>\(HTMLText.escape($0.ending))</dd>"
        }.joined() + "</dl></details>\n"
}
