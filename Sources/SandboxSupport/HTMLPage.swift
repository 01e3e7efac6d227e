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
    /// The origins besides this address that forms may lead to. Browsers hold the answers' redirects to them as well.
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
                // A page elsewhere receives no referrer. The home's own forms state their origin.
                "Referrer-Policy": usesOwnAddress ? "same-origin" : "no-referrer",
                "Cache-Control": "no-store",
            ], body: Array(html.utf8))
    }
}

// MARK: - Parts of pages

/// Text on its way into a page.
package enum HTMLText {
    /// Returns `text` as it may stand between tags and inside quoted attributes. Control characters, which HTML does
    /// not have, are replaced, and so are those that turn the direction of the text behind them (Unicode, UAX 9).
    ///
    /// - Parameter keepingLines: True if the text can be edited in its own field: line breaks, tabs and directions
    ///   stay.
    package static func escape(_ text: String, keepingLines: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\r", "\t": escaped.unicodeScalars.append(keepingLines ? scalar : "\u{FFFD}")
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                escaped.unicodeScalars.append(keepingLines ? scalar : "\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A table on a page. Each row becomes a list on a narrow screen, with every value behind the title of its column.
package enum PageTable {
    /// Returns the table.
    ///
    /// - Parameters:
    ///   - titles: the titles of the columns, as HTML.
    ///   - rows: the cells of each row, as HTML. The first one names the row.
    ///   - nothing: the words instead of a table without rows, as HTML.
    package static func html(_ titles: [String], _ rows: [[String]], or nothing: String) -> String {
        guard !rows.isEmpty else { return "<p class=\"faint\">\(nothing)</p>" }
        let head = titles.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { cells in
            let rest = zip(titles, cells).dropFirst().map { "<td data-title=\"\($0)\">\($1)</td>" }.joined()
            return "<tr><th scope=\"row\">\(cells.first ?? "")</th>\(rest)</tr>\n"
        }
        return "<table class=\"stack\"><thead><tr>\(head)</tr></thead><tbody>\n\(body.joined())</tbody></table>"
    }
}

/// The form of times on pages.
package enum PageTime {
    /// Returns Unix seconds as day and time, in UTC because the sandbox knows no other zone of its visitor.
    package static func text(_ seconds: Int64) -> String {
        let text = RFC3339(seconds: seconds).text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
}

/// The number format of a page's visitor: the marks between groups of digits and before the fraction (CLDR, number
/// symbols). Amounts keep their currency's code behind them, in every language.
package struct NumberStyle: Sendable, Hashable {
    let group: String
    let point: String
    /// True if groups above a thousand have two digits, as in India.
    var pairs = false

    /// The style of the visitor whose request is answered.
    @TaskLocal package static var visitor = NumberStyle(acceptLanguage: nil)

    /// Creates the style of the first language that a request prefers, or of English if it names none.
    ///
    /// - Parameter acceptLanguage: The header field (RFC 9110, section 12.5.4), such as `de-AT,de;q=0.9`. Browsers name
    ///   their languages in the user's order.
    package init(acceptLanguage: String?) {
        let first = acceptLanguage?.prefix { $0 != "," && $0 != ";" } ?? ""
        let parts = first.filter { $0 != " " }.lowercased().split(separator: "-")
        switch (parts.first ?? "", parts.last ?? "") {
        case ("de", "ch"), ("de", "li"), ("it", "ch"): self.init(group: "\u{2019}", point: ".")
        case ("en", "in"), ("hi", _): self.init(group: ",", point: ".", pairs: true)
        case ("de", _), ("it", _), ("nl", _), ("es", _), ("pt", "br"), ("da", _), ("tr", _), ("id", _), ("el", _),
            ("hr", _), ("ro", _), ("sl", _):
            self.init(group: ".", point: ",")
        case ("fr", _), ("pt", _), ("pl", _), ("cs", _), ("sk", _), ("hu", _), ("ru", _), ("uk", _), ("bg", _),
            ("sv", _), ("nb", _), ("no", _), ("fi", _), ("et", _), ("lt", _), ("lv", _):
            self.init(group: "\u{202F}", point: ",")
        default: self.init(group: ",", point: ".")
        }
    }

    private init(group: String, point: String, pairs: Bool = false) {
        self.group = group
        self.point = point
        self.pairs = pairs
    }

    /// Returns a decimal number, such as `12345.60`, with its digits in groups. A text that is not a number stays as it
    /// is.
    package func text(_ decimal: String) -> String {
        let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isASCIIDigit) }) else {
            return decimal
        }
        var groups: [Substring] = []
        var rest = parts[0]
        while !rest.isEmpty {
            groups.append(rest.suffix(pairs && !groups.isEmpty ? 2 : 3))
            rest = rest.dropLast(groups.last?.count ?? 0)
        }
        return groups.reversed().joined(separator: group) + (parts.count == 2 ? point + parts[1] : "")
    }

    /// Returns an amount as the visitor writes it, such as `12,345.60 EUR`.
    package static func text(_ amount: Money) -> String {
        "\(visitor.text(amount.decimalText)) \(amount.currency)"
    }
}

// MARK: - Requests and responses

/// The decoded items of a query or a form.
package struct FormItems {
    package private(set) var values: [String: String] = [:]
    /// True if a name came twice or could not be decoded. The first value counts.
    package private(set) var isAmbiguous = false

    package init(_ text: Substring) {
        for item in QueryItems(text) {
            let name = PercentCoding.decode(item.name, plusIsSpace: true)
            guard let name, let value = item.decodedValue, values[name] == nil else {
                isAmbiguous = true
                continue
            }
            values[name] = value
        }
    }

    package subscript(_ name: String) -> String? { values[name] }
}

extension HTTPResponse {
    /// A body of JSON.
    package static func json(_ body: JSONValue, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body.serialized())
    }
}

extension HTTPRequest {
    /// The media type in lower case, without its parameters.
    package var mediaType: String {
        let type = headers["Content-Type"]?.split(separator: ";").first ?? ""
        return String(decoding: type.utf8.filter { $0 != 0x20 }.map(\.lowercasedASCII), as: UTF8.self)
    }
}
