/// Foreign text made safe to show: one line of bounded length. Control characters could control the terminal,
/// characters that change the direction of writing or are invisible could make a link or a name look like another, and
/// endless text could push everything else away.
package enum Printable {
    /// The default limit, in characters, of a foreign text: a few lines.
    package static let limit = 500
    /// The limit, in characters, of a name.
    package static let nameLimit = 80
    /// The limit, in characters, of a host, with scheme and port, that is shown whole: the longest that names resolve
    /// to.
    private static let hostLimit = 275

    /// Returns `text` on one line; unsafe characters are escaped, and those beyond `limit` are left out.
    ///
    /// Characters are counted one by one, as marks are: any number of them can be stacked on one letter.
    package static func text(_ text: String, limit: Int = limit) -> String {
        // The fast path for nearly all texts.
        if text.utf8.count <= limit, isPlain(text) { return text }
        var shown: [Unicode.Scalar] = []
        /// The part that is shown when the text does not fit.
        var end = 0
        for scalar in text.unicodeScalars {
            shown += isUnsafe(scalar) ? Array(escape(scalar).unicodeScalars) : [scalar]
            if shown.count < limit { end = shown.count }
            if shown.count > limit { return string(shown.prefix(end)) + "…" }
        }
        return string(shown[...])
    }

    /// Returns a name made safe.
    package static func name(_ text: String) -> String { Printable.text(text, limit: nameLimit) }

    /// Returns `text` made safe, in at most `limit` characters; the middle of a longer one is left out.
    package static func short(_ text: String, _ limit: Int) -> String {
        let safe = Array(Printable.text(text, limit: .max).unicodeScalars)
        guard safe.count > limit, limit > 8 else { return string(safe[...]) }
        let tail = limit / 3
        return "\(string(safe.prefix(limit - tail - 1)))…\(string(safe.suffix(tail)))"
    }

    /// Returns a link made safe, in about `limit` characters. Its host shows where it leads: it is shown whole, even
    /// when that takes more, and a slash marks its end. Of a host beyond the limit for hosts, the end is shown.
    package static func link(_ text: String, _ limit: Int) -> String {
        let safe = Array(Printable.text(text, limit: .max).unicodeScalars)
        guard safe.count > limit else { return string(safe[...]) }
        guard let origin = originLength(safe) else { return short(text, limit) }
        var shown = string(safe.prefix(origin))
        if origin > hostLimit {
            let scheme = safe.prefix { $0 != "/" }
            shown = "\(string(scheme))//…\(string(safe.prefix(origin).suffix(hostLimit - scheme.count - 3)))"
        }
        let rest = safe.dropFirst(origin)
        guard rest.count > 1 else { return shown + string(rest) }
        return "\(shown)/…\(string(rest.suffix(max(0, limit - shown.unicodeScalars.count - 2))))"
    }

    /// Returns the number of characters before the path of a text that begins like a web-style link, as browsers read
    /// it.
    private static func originLength(_ text: [Unicode.Scalar]) -> Int? {
        let scheme = text.prefix {
            $0.isASCII && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
        }
        guard !scheme.isEmpty, text.dropFirst(scheme.count).starts(with: "://".unicodeScalars) else { return nil }
        let start = scheme.count + 3
        return text[start...].firstIndex { "/\\?#".unicodeScalars.contains($0) } ?? text.count
    }

    /// Returns true if a text is printable ASCII.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    /// Returns true if a character could act on the terminal, move its neighbours, or be invisible.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        // Variation selectors, which emoji have, only select pictures.
        default: scalar.properties.isDefaultIgnorableCodePoint && !(0xFE00...0xFE0F ~= scalar.value)
        }
    }
}
