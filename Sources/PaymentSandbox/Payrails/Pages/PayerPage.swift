import PaymentCore

extension PayrailsSandbox {
    /// A page with a sentence and at most a few buttons. It loads nothing and works without scripts.
    struct PayerPage {
        let title: String
        let text: String
        var answers: [(answer: PageAnswer, label: String)] = []
        /// Paths to go on to, and what they are called.
        var links: [(path: String, label: String)] = []
        /// Where an answer can lead: browsers let forms go only where the page says.
        var returnURLs: [String] = []
        /// Whether it loads itself again every second.
        var refreshes = false

        init(title: String, text: String) {
            self.title = title
            self.text = text
        }

        func response(nonce: String) -> HTTPResponse {
            var content = "<h1>\(HTMLText.escape(title))</h1>\n<p>\(HTMLText.escape(text))</p>\n"
            if !links.isEmpty {
                let items = links.map { path, label in
                    "<li><a href=\"\(HTMLText.escape(path))\">\(HTMLText.escape(label))</a></li>\n"
                }
                content += "<ul>\n\(items.joined())</ul>\n"
            }
            if !answers.isEmpty {
                content += "<form method=\"post\">\n"
                for (answer, label) in answers {
                    content +=
                        "<button name=\"answer\" value=\"\(answer.rawValue)\">\(HTMLText.escape(label))</button>\n"
                }
                content += "</form>\n"
            }
            let html = """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">\(refreshes ? Self.refresh : "")
                <title>\(HTMLText.escape(title))</title>
                <style nonce="\(nonce)">\(Self.style)</style>
                </head>
                <body>
                <main>
                \(content)</main>
                </body>
                </html>

                """
            let goals = (["'self'"] + Set(returnURLs.compactMap(Self.source)).sorted()).joined(separator: " ")
            return HTTPResponse(
                status: 200,
                headers: [
                    "Content-Type": "text/html; charset=utf-8",
                    "Content-Security-Policy":
                        "default-src 'none'; style-src 'nonce-\(nonce)'; form-action \(goals); base-uri 'none'; "
                        + "frame-ancestors 'none'",
                    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                    "Cache-Control": "no-store",
                ], body: Array(html.utf8))
        }

        /// The origin of a web address, or the scheme of another one.
        private static func source(_ url: String) -> String? {
            if let web = try? HTTPURL(url) { return web.origin }
            return (try? PaymentLink(url))?.scheme.map { "\($0):" }
        }

        private static let refresh = "\n<meta http-equiv=\"refresh\" content=\"1\">"

        private static let style = """

            :root{color-scheme:light dark}
            body{font:1rem/1.5 system-ui,sans-serif;max-width:28rem;margin:0 auto;padding:1rem}
            button{display:block;width:100%;margin:.5rem 0;padding:.75rem;font:inherit}

            """
    }
}
