/// Rows of text in columns, for people.
struct Table {
    /// One cell.
    struct Cell: ExpressibleByStringInterpolation {
        let text: String
        var tone: Style.Tone?

        init(stringLiteral text: String) { self.text = text }

        init(_ text: String, _ tone: Style.Tone? = nil) {
            self.text = text
            self.tone = tone
        }
    }

    private let header: [String]
    private(set) var rows: [[Cell]] = []

    /// A table under these titles.
    init(_ header: [String]) {
        self.header = header
    }

    /// Adds a row with as many cells as there are titles.
    mutating func add(_ cells: [Cell]) { rows.append(cells) }

    /// The widths that the columns need.
    var widths: [Int] {
        header.indices.map { column in
            rows.reduce(header[column].count) { max($0, $1[column].text.count) }
        }
    }

    /// The header line, underlined by tone only.
    func headerLine(_ widths: [Int], _ style: Style) -> String {
        Self.line(header.map { Cell($0, .strong) }, widths, style)
    }

    /// All lines, the header first.
    func lines(_ style: Style) -> [String] {
        let widths = widths
        return [headerLine(widths, style)] + rows.map { Self.line($0, widths, style) }
    }

    /// One line. The last column is not padded; a cell wider than its column pushes the others.
    static func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            line += style(cell.tone, cell.text)
            guard index < cells.count - 1 else { break }
            line += String(repeating: " ", count: max(0, widths[index] - cell.text.count) + 2)
        }
        return line
    }
}
