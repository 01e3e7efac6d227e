package import PaymentCore

/// A page for a browser: it states that it is a simulation, loads nothing from elsewhere, and shows and runs only its
/// own content.
package struct HTMLPage {
    package let title: String
    /// Allows this page's own style and script, and nothing else.
    package let nonce: String
    /// The styles that the page needs beyond ``PageStyle``.
    package var style = ""
    /// The content between `<main>` and `</main>`.
    package let content: String
    /// More elements for the page's head.
    package var head = ""
    /// The content between the banner and `<main>`: a menu. Without one the banner leads to the sandbox's home.
    package var header = ""
    /// The attributes of `<html>`, with the space before them.
    package var rootAttributes = ""
    /// The attributes of `<main>`, with the space before them.
    package var attributes = ""
    package var script: String?
    /// The path of a script at this address.
    package var scriptPath: String?
    /// True if pictures of this address are shown and the page's script calls it.
    package var usesOwnAddress = false
    /// The origins besides this address that forms may lead to; browsers hold the answers' redirects to them as well.
    package var formGoals: Set<String> = []

    package init(
        title: String, nonce: String, style: String = "", content: String, head: String = "", header: String = "",
        rootAttributes: String = "", attributes: String = "", script: String? = nil, scriptPath: String? = nil,
        usesOwnAddress: Bool = false, formGoals: Set<String> = []
    ) {
        self.title = title
        self.nonce = nonce
        self.style = style
        self.content = content
        self.head = head
        self.header = header
        self.rootAttributes = rootAttributes
        self.attributes = attributes
        self.script = script
        self.scriptPath = scriptPath
        self.usesOwnAddress = usesOwnAddress
        self.formGoals = formGoals
    }

    /// The way back.
    private static let home = " \u{B7} <a href=\"/\">Home</a>"

    package func response(status: Int = 200) -> HTTPResponse {
        let scripts =
            (script.map { "<script nonce=\"\(nonce)\">\($0)</script>\n" } ?? "")
            + (scriptPath.map { "<script nonce=\"\(nonce)\" src=\"\($0)\" defer></script>\n" } ?? "")
        let html = """
            <!DOCTYPE html>
            <html lang="en"\(rootAttributes)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">\(head)
            <title>\(HTMLText.escape(title))</title>
            <style nonce="\(nonce)">\(PageStyle.text)\(style)</style>
            </head>
            <body>
            <aside class="sandbox" aria-label="Simulation">\(PageStyle.banner)\(header.isEmpty ? Self.home : "")</aside>
            \(header)<main\(attributes)>
            \(content)</main>
            \(scripts)</body>
            </html>

            """
        var policy = ["default-src 'none'", "style-src 'nonce-\(nonce)'"]
        if !scripts.isEmpty { policy.append("script-src 'nonce-\(nonce)'") }
        if usesOwnAddress { policy.append("connect-src 'self'; img-src 'self'") }
        policy.append("form-action " + (["'self'"] + formGoals.sorted()).joined(separator: " "))
        policy += ["base-uri 'none'", "frame-ancestors 'none'"]
        return HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy.joined(separator: "; "),
                "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff",
                // A page elsewhere receives no referrer; the home's own forms state where they come from.
                "Referrer-Policy": usesOwnAddress ? "same-origin" : "no-referrer",
                "Cache-Control": "no-store",
            ], body: Array(html.utf8))
    }
}
