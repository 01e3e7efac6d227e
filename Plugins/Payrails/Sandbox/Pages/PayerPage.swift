import PaymentCore
import SandboxSupport

extension PayrailsSandbox {
    /// A page with a sentence and at most a few buttons. It loads nothing and works without scripts.
    struct PayerPage {
        let title: String
        let text: String
        /// The payee, the order and the deadline, for pages that ask.
        var facts: [(name: String, value: String)] = []
        var price: String?
        var answers: [(answer: PageAnswer, label: String)] = []
        /// The paths of links, with their labels.
        var links: [(path: String, label: String)] = []
        /// The targets of answers: browsers let forms lead only to addresses that the page names.
        var returnURLs: [String] = []
        /// True if the page reloads every second.
        var refreshes = false

        init(title: String, text: String) {
            self.title = title
            self.text = text
        }

        func response(nonce: String) -> HTTPResponse {
            var content = "<h1>\(HTMLText.escape(title))</h1>\n"
            if let price { content += "<p class=\"price\">\(HTMLText.escape(price))</p>\n" }
            content += "<p>\(HTMLText.escape(text))</p>\n"
            if !facts.isEmpty {
                let rows = facts.map { "<dt>\(HTMLText.escape($0))</dt><dd>\(HTMLText.escape($1))</dd>\n" }
                content += "<dl class=\"card\">\n\(rows.joined())</dl>\n"
            }
            if !links.isEmpty {
                let items = links.map { path, label in
                    "<li><a href=\"\(HTMLText.escape(path))\">\(HTMLText.escape(label))</a></li>\n"
                }
                content += "<ul>\n\(items.joined())</ul>\n"
            }
            if !answers.isEmpty {
                content += "<form method=\"post\" class=\"choices\">\n"
                for (answer, label) in answers {
                    content +=
                        "<button class=\"\(answer.look)\" name=\"answer\" value=\"\(answer.rawValue)\">"
                        + "\(HTMLText.escape(label))</button>\n"
                }
                content += "</form>\n"
            }
            return HTMLPage(
                title: title, nonce: nonce, content: content, head: refreshes ? Self.refresh : "",
                formGoals: Set(returnURLs.compactMap(Self.source))
            ).response()
        }

        /// Returns the origin of a web address, or the scheme of another one.
        private static func source(_ url: String) -> String? {
            if let web = try? HTTPURL(url) { return web.origin }
            return (try? PaymentLink(url))?.scheme.map { "\($0):" }
        }

        private static let refresh = "\n<meta http-equiv=\"refresh\" content=\"1\">"
    }
}

extension PayrailsSandbox.PageAnswer {
    /// The look of its button, distinct for completing, cancelling and failing.
    fileprivate var look: String {
        switch self {
        case .complete: "primary"
        case .cancel: "plain"
        case .fail: "danger"
        }
    }
}
