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
        "<pre\(scrolls ? " tabindex=\"0\"" : "")>\(escape(text))</pre>"
            + "<button type=\"button\" class=\"quiet\" data-copy=\"\(escape(text))\" hidden>Copy \(escape(name))</button>"
    }

    /// A list of names and values.
    static func list(_ rows: [(String, String)]) -> String {
        "<dl>\n" + rows.map { "<dt>\(escape($0))</dt><dd><bdi>\(escape($1))</bdi></dd>" }.joined(separator: "\n")
            + "\n</dl>\n"
    }

    /// One line of the log.
    static func line(_ event: HomeEvent, withPayment: Bool) -> String {
        let time = event.date.ISO8601Format().dropFirst(11).prefix(8)
        var text = "<time>\(time)</time><strong>\(escape(event.kind.rawValue))</strong> \(escape(event.title))"
        if let status = event.status { text += status == 0 ? " → closed" : " → \(status)" }
        if !event.detail.isEmpty { text += " <span class=\"faint\">\(escape(event.detail))</span>" }
        if let fault = event.fault { text += " <span class=\"doubtful\">fault: \(escape(fault))</span>" }
        if withPayment, let payment = event.payment {
            text += " <a href=\"\(path(payment))\">\(escape(payment))</a>"
        }
        return "<li data-kind=\"\(event.kind.rawValue)\">\(text)</li>\n"
    }

    static func path(_ payment: String) -> String { "/ledger/" + escape(PercentCoding.encode(payment)) }

    /// A payment's statuses, coloured by the last one.
    static func words(_ words: [LedgerStatus]) -> String {
        let tone =
            switch words.last {
            case .settled, .captured, .authorized, .refunded: "good"
            case .failed, .cancelled, .expired: "bad"
            case .created, .confirmRequested, nil: "faint"
            }
        return "<span class=\"\(tone)\">\(escape(words.map(\.rawValue).joined(separator: ", ")))</span>"
    }

    static func escape(_ text: String) -> String { HTMLText.escape(text) }
}
