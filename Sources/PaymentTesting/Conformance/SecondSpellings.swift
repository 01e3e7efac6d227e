import PaymentCore

/// Other texts that ask for exactly what a link asks for: by RFC 3986, by the order of a query's items, and by what
/// scanners and copying add.
package enum SecondSpellings {
    /// Returns other spellings of `link`, each with a few words on the difference.
    package static func all(of link: String) -> [(difference: String, text: String)] {
        guard let scanned = try? PaymentLink(link) else { return [] }
        guard scanned.form != .text else {
            return [("a line end", link + "\n"), ("a space and a line end", link + " \r\n")]
        }
        let start = Int(scanned.layout.pathStart)
        let text = scanned.text
        let (head, tail) = (String(text.utf8.prefix(start)) ?? "", String(text.utf8.dropFirst(start)) ?? "")
        var spellings = [
            ("the scheme in capitals", capitalized(text, upTo: Int(scanned.layout.schemeEnd))),
            ("every letter and digit escaped", head + escaped(tail, each: 1)),
            ("every second letter and digit escaped", head + escaped(tail, each: 2)),
            ("escapes in small digits", head + escaped(tail, each: 3).lowercasedEscapes),
            ("the whole link escaped", PercentCoding.encode(text)),
        ]
        if scanned.form == .web { spellings += inAuthority(scanned, head, tail) }
        return (spellings + inQuery(scanned)).filter { $0.1 != link }
    }

    private static func inAuthority(
        _ link: PaymentLink, _ head: String, _ tail: String
    ) -> [(String, String)] {
        guard link.isHTTP else { return [] }
        let path = tail.hasPrefix("/") ? tail : "/" + tail
        var spellings = [
            ("the host in capitals", head.uppercased() + tail), ("a step into the same folder", head + "/." + path),
            ("a step into a folder and back", head + "/x/.." + path),
        ]
        if link.port == nil { spellings.append(("the scheme's own port", "\(head):\(link.isHTTPS ? 443 : 80)\(tail)")) }
        return spellings
    }

    private static func inQuery(_ link: PaymentLink) -> [(String, String)] {
        guard let query = link.query else { return [] }
        let items = query.split(separator: "&").map(String.init)
        let names = items.map { $0.prefix { $0 != "=" } }
        guard Set(names).count == items.count, !items.isEmpty,
            let start = String(link.text.utf8.prefix(Int(link.layout.pathEnd)))
        else { return [] }
        let end = link.fragment.map { "#\($0)" } ?? ""
        func spelling(_ difference: String, _ items: [String], _ separator: String = "&") -> (String, String) {
            (difference, "\(start)?\(items.joined(separator: separator))\(end)")
        }
        return [
            spelling("the query's items in reverse order", items.reversed()),
            spelling("the query's first item at its end", Array(items.dropFirst() + items.prefix(1))),
            spelling("every item twice", items + items), spelling("an empty item", items + [""]),
            spelling("empty items", items, "&&"),
        ]
    }

    private static func capitalized(_ text: String, upTo end: Int) -> String {
        (String(text.utf8.prefix(end)) ?? "").uppercased() + (String(text.utf8.dropFirst(end)) ?? "")
    }

    /// Escapes each letter and digit whose place is a multiple of `step`. Escapes that are there stay.
    private static func escaped(_ text: String, each step: Int) -> String {
        var (escaped, rest, index) = ("", text[...], 0)
        while let character = rest.first {
            if character == "%" {
                escaped += rest.prefix(3)
                rest = rest.dropFirst(3)
                continue
            }
            let isWord = character.isASCII && (character.isLetter || character.isNumber)
            let isEscaped = isWord && index % step == 0
            escaped += PercentCoding.encode(String(character)) { _ in !isEscaped }
            rest = rest.dropFirst()
            index += 1
        }
        return escaped
    }
}

extension String {
    /// The text with the digits of its escapes in small letters.
    fileprivate var lowercasedEscapes: String {
        var (text, rest) = ("", self[...])
        while let percent = rest.firstIndex(of: "%") {
            text += rest[..<percent] + rest[percent...].prefix(3).lowercased()
            rest = rest[percent...].dropFirst(3)
        }
        return text + rest
    }
}
