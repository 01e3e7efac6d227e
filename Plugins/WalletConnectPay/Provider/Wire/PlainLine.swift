/// Foreign text made displayable: one line, no control characters, limited length.
package enum PlainLine {
    /// Returns `text` without control, format (direction-changing, invisible), private and unassigned characters, with
    /// runs of white space as one space, cut at `limit` Unicode scalars with an ellipsis. Reads at most eight times
    /// `limit` scalars, however long the text is.
    package static func make(_ text: String, limit: Int = 200) -> String {
        var line = String.UnicodeScalarView()
        var count = 0
        var owesSpace = false
        for scalar in text.unicodeScalars.prefix(8 * limit) {
            if scalar.properties.isWhitespace {
                owesSpace = count > 0
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: continue
            default: break
            }
            guard count + (owesSpace ? 2 : 1) <= limit else { return String(line) + "…" }
            if owesSpace { line.append(" ") }
            line.append(scalar)
            count += owesSpace ? 2 : 1
            owesSpace = false
        }
        return String(line)
    }
}
