package import PaymentCore

/// A page as a browser gets it: it says that it is a simulation, loads nothing from elsewhere, and shows and runs only
/// what it brings along.
package struct HTMLPage {
    package let title: String
    /// Allows this page's own style and script, and nothing else.
    package let nonce: String
    /// What the page needs beyond ``PageStyle``.
    package var style = ""
    /// What stands between `<main>` and `</main>`.
    package let content: String
    /// More for the page's head.
    package var head = ""
    /// What stands between the banner and `<main>`.
    package var header = ""
    /// What `<html>` has, with the space before it.
    package var rootAttributes = ""
    /// What `<main>` has, with the space before it.
    package var attributes = ""
    package var script: String?
    /// The address of a script at this address.
    package var scriptPath: String?
    /// Whether pictures of this address are shown and its script asks it for more.
    package var usesOwnAddress = false
    /// Where forms may lead besides this address; browsers hold the answers' redirects to it as well.
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
            <aside class="sandbox" aria-label="Simulation">\(PageStyle.banner)</aside>
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
                // A page elsewhere learns nothing; the home's own forms say where they come from.
                "Referrer-Policy": usesOwnAddress ? "same-origin" : "no-referrer",
                "Cache-Control": "no-store",
            ], body: Array(html.utf8))
    }
}
