import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The frame of the home's own pages, and the parts that they share.
enum HomeFrame {
    /// The pages of the menu, in its order.
    static let rooms = [
        ("/", "Home"), ("/playground", "Playground"), ("/scenarios", "Scenarios"), ("/ledger", "Ledger"),
    ]

    static func page(
        _ title: String, room: String, nonce: String, attributes: String = "", _ content: String, status: Int = 200
    ) -> HTTPResponse {
        let links = rooms.map { path, name in
            "<a href=\"\(path)\"\(path == room ? " aria-current=\"page\"" : "")>\(name)</a>"
        }
        let page = HTMLPage(
            title: title == "Home" ? "Payment sandbox" : "\(title) – Payment sandbox", nonce: nonce, content: content,
            header: """
                <header class="home"><strong>Payment sandbox</strong><nav aria-label="Rooms">\(links.joined())</nav></header>

                """,
            attributes: " class=\"wide\"\(attributes)", scriptPath: "/_sandbox/home.js", usesOwnAddress: true)
        return page.response(status: status)
    }

    /// A text that can be copied: with scripts by a button, without by hand.
    ///
    /// - Parameter scrolls: True if it stands where long texts scroll; the keyboard has to reach it then.
    static func copyable(_ text: String, name: String, scrolls: Bool = false) -> String {
        let lines = HTMLText.escape(text, keepingLines: true)
        return "<pre\(scrolls ? " tabindex=\"0\"" : "")>\(lines)</pre>"
            + "<button type=\"button\" class=\"quiet\" data-copy=\"\(lines)\" hidden>Copy \(escape(name))</button>"
    }

    /// A list of names and values.
    static func list(_ rows: [(String, String)]) -> String {
        "<dl>\n" + rows.map { "<dt>\(escape($0))</dt><dd><bdi>\(escape($1))</bdi></dd>" }.joined(separator: "\n")
            + "\n</dl>\n"
    }

    /// One line of the log.
    static func line(_ event: HomeEvent, withPayment: Bool) -> String {
        var text =
            "<time>\(time(event.date))</time><strong>\(escape(event.kind.rawValue))</strong> \(escape(event.title))"
        if let status = event.status { text += status == 0 ? " → closed" : " → \(status)" }
        if !event.detail.isEmpty { text += " <span class=\"faint\">\(escape(event.detail))</span>" }
        if let fault = event.fault { text += " <span class=\"doubtful\">fault: \(escape(fault))</span>" }
        if withPayment, let payment = event.payment {
            text += " <a href=\"\(path(payment))\">\(escape(payment))</a>"
        }
        return "<li data-kind=\"\(event.kind.rawValue)\">\(text)</li>\n"
    }

    static func path(_ payment: String) -> String { "/ledger/" + escape(PercentCoding.encode(payment)) }

    /// A payment's state in one word, coloured.
    static func state(_ statuses: [LedgerStatus]) -> String {
        let state = LedgerState(statuses)
        let tone =
            switch state {
            case .paid, .authorized: "good"
            case .failed, .cancelled, .expired: "bad"
            case .open, .inProgress, .refunded: "faint"
            }
        return "<span class=\"\(tone)\">\(state.rawValue)</span>"
    }

    /// The rows of payments, with amount, time, payee and state. The page's script renews them by their id.
    static func payments(_ entries: some Collection<HomeLedger.Entry>, _ services: [any ListedService]) -> String {
        let rows = entries.map { entry in
            let title = services.first { $0.id == entry.service }?.title ?? entry.service
            let scenario = entry.listed?.scenario ?? entry.facts?.kind ?? "made by another program"
            return "<tr data-payment=\"\(escape(entry.id))\"><th scope=\"row\"><a href=\"\(path(entry.id))\">"
                + "\(escape(amount(of: entry) ?? "not stated"))</a></th>"
                + "<td><bdi>\(escape(entry.facts?.payee ?? "unknown payee"))</bdi></td>"
                + "<td><time>\(time(entry.date))</time></td><td class=\"words\">\(state(entry.words))</td>"
                + "<td class=\"faint\">\(escape(title)), \(escape(scenario))<br>"
                + "<small class=\"code\">\(escape(entry.id))</small></td></tr>\n"
        }
        return """
            <table class="stack" id="payments"><thead><tr><th scope="col">Amount</th><th scope="col">Payee</th>
            <th scope="col">Time (UTC)</th><th scope="col">State</th><th scope="col">Service, scenario and id</th></tr></thead><tbody>
            \(rows.joined())</tbody></table>

            """
    }

    /// The price; where the payer chooses the amount, what was taken, and nil before.
    static func amount(of entry: HomeLedger.Entry) -> String? {
        if let price = entry.facts?.amount { return NumberStyle.text(price) }
        return entry.taken?.split(separator: " ").map { NumberStyle.visitor.text(String($0)) }.joined(separator: " ")
    }

    private static func time(_ date: Date) -> String { String(RFC3339(date).text.dropFirst(11).prefix(8)) }

    /// The icon of every page: a coin that is crossed out.
    static let icon = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "image/svg+xml", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'",
        ],
        body: Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="#ffcf33" \
            stroke="#2b2200"/><path d="M3.5 12.5l9-9" stroke="#2b2200" stroke-width="2"/></svg>
            """.utf8))

    static func escape(_ text: String) -> String { HTMLText.escape(text) }
}
