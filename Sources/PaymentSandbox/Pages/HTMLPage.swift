import PaymentCore

/// A page as a browser gets it: it loads nothing, and shows and runs only what it brings along.
struct HTMLPage {
    let title: String
    /// Allows this page's own style and script, and nothing else.
    let nonce: String
    let style: String
    /// What stands between `<main>` and `</main>`.
    let content: String
    /// More for the page's head.
    var head = ""
    /// What `<main>` has, with the space before it.
    var attributes = ""
    var script: String?
    /// Where forms may lead besides this address; browsers hold the answers' redirects to it as well.
    var formGoals: Set<String> = []

    func response(status: Int = 200) -> HTTPResponse {
        let html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">\(head)
            <title>\(HTMLText.escape(title))</title>
            <style nonce="\(nonce)">\(style)</style>
            </head>
            <body>
            <main\(attributes)>
            \(content)</main>
            \(script.map { "<script nonce=\"\(nonce)\">\($0)</script>\n" } ?? "")</body>
            </html>

            """
        var policy = ["default-src 'none'", "style-src 'nonce-\(nonce)'"]
        if script != nil { policy.append("script-src 'nonce-\(nonce)'") }
        policy.append("form-action " + (["'self'"] + formGoals.sorted()).joined(separator: " "))
        policy += ["base-uri 'none'", "frame-ancestors 'none'"]
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy.joined(separator: "; "),
                "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                "Cache-Control": "no-store",
            ], body: Array(html.utf8))
    }
}
