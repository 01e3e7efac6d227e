/// A table on a page. Each row becomes a list on a narrow screen, with every value behind the title of its column.
package enum PageTable {
    /// Returns the table.
    ///
    /// - Parameters:
    ///   - titles: the titles of the columns, as HTML.
    ///   - rows: the cells of each row, as HTML; the first one names the row.
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
