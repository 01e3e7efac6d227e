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

    private static let gap = 2
    /// Wider than any line.
    private static let unbounded = 1 << 20
    /// Below this a column is not made narrower: its words would fall apart.
    private static let narrowest = 9
    /// On terminals narrower than this, rows that do not fit are lists: columns of a few letters are hard to read.
    static let narrow = 120

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

    /// The least widths: no word of a cell is broken, since ids, dates and amounts are copied.
    private func least() -> [Int] {
        header.indices.map { column in
            let words = rows.flatMap { $0[column].text.split(separator: " ") }
            return words.reduce(max(header[column].count, Self.narrowest)) { max($0, $1.count) }
        }
    }

    /// The header line, underlined by tone only.
    func headerLine(_ widths: [Int], _ style: Style) -> String {
        Self.line(header.map { Cell($0, .strong) }, widths, style)
    }

    /// Returns all lines, the header first, at most `limit` columns wide where there is a limit: wide cells continue in
    /// further lines, and where even that does not fit every row is a separate list.
    ///
    /// - Parameter asLists: True if every row is a list in any case, each cell one line.
    func lines(_ style: Style, within limit: Int? = nil, asLists: Bool = false) -> [String] {
        if asLists { return Array(rows.map { list($0, style, Self.unbounded) }.joined(separator: [""])) }
        let widths = widths
        guard let limit, Self.total(widths) > limit else {
            return [headerLine(widths, style)] + rows.map { Self.line($0, widths, style) }
        }
        guard limit >= Self.narrow, let fitted = Self.fit(widths, least(), within: limit) else {
            return Array(rows.map { list($0, style, limit) }.joined(separator: [""]))
        }
        return [headerLine(fitted, style)] + rows.flatMap { Self.wrapped($0, fitted, style) }
    }

    /// One line. The last column is not padded; a cell wider than its column pushes the others.
    static func line(_ cells: [Cell], _ widths: [Int], _ style: Style) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            line += style(cell.tone, cell.text)
            guard index < cells.count - 1 else { break }
            line += String(repeating: " ", count: max(0, widths[index] - cell.text.count) + gap)
        }
        return line
    }

    /// The layout of rows that are shown one by one, before all of them are known.
    struct Layout {
        fileprivate let header: [String]
        fileprivate let widths: [Int]
        fileprivate let limit: Int?
        fileprivate let style: Style

        /// - Parameters:
        ///   - widths: The widths of the columns, where there is room.
        ///   - limit: The columns of the terminal, or nil for lines of any length.
        ///   - asLists: True if every row is a list in any case, each cell one line.
        init(_ header: [String], _ widths: [Int], within limit: Int?, asLists: Bool = false, _ style: Style) {
            self.header = header
            self.style = style
            self.limit = asLists ? Table.unbounded : limit
            if asLists {
                self.widths = []
                return
            }
            guard let limit else {
                self.widths = widths
                return
            }
            // The last column gets the rest of the width, but not too little.
            let others = Table.total(widths) - (widths.last ?? 0)
            let wanted = Array(widths.dropLast() + [max(limit - others, 24)])
            // The rows are not known: a column may only be made as narrow as its longest word, which is taken to be
            // the width that was asked for.
            let isWide = limit >= Table.narrow || Table.total(wanted) <= limit
            let least = widths.map { min($0, 24) }
            self.widths = isWide ? Table.fit(wanted, least, within: limit) ?? [] : []
        }

        /// The line of titles; nothing where every row has its own.
        var headerLines: [String] { widths.isEmpty ? [] : [Table(header).headerLine(widths, style)] }

        /// One row's lines.
        func lines(_ cells: [Cell]) -> [String] {
            guard let limit else { return [Table.line(cells, widths, style)] }
            return widths.isEmpty ? Table(header).list(cells, style, limit) + [""] : Table.wrapped(cells, widths, style)
        }
    }

    // MARK: Narrow terminals

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * (widths.count - 1) }

    /// The widths with the widest made narrower, none below its `least`, or nil when that is not enough.
    private static func fit(_ widths: [Int], _ least: [Int], within limit: Int) -> [Int]? {
        var widths = widths
        while total(widths) > limit {
            let shrinkable = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { return nil }
            widths[widest] -= 1
        }
        return widths
    }

    /// Returns a row whose cells continue on further lines.
    private static func wrapped(_ cells: [Cell], _ widths: [Int], _ style: Style) -> [String] {
        let columns = zip(cells, widths).map { pieces($0.text, $1) }
        let height = columns.reduce(1) { max($0, $1.count) }
        return (0..<height).map { index in
            let last = columns.lastIndex { $0.indices.contains(index) } ?? 0
            let row = columns[...last].enumerated().map { column, pieces in
                Cell(pieces.indices.contains(index) ? pieces[index] : "", cells[column].tone)
            }
            return line(row, widths, style)
        }
    }

    /// Returns a row as a list, with titles before cells.
    private func list(_ cells: [Cell], _ style: Style, _ limit: Int) -> [String] {
        let label = header.reduce(0) { max($0, $1.count) }
        let room = max(limit - label - Self.gap, Self.narrowest)
        return zip(header, cells).flatMap { title, cell in
            Self.pieces(cell.text, room).enumerated().map { index, piece in
                Self.line([Cell(index == 0 ? title : "", .faint), Cell(piece, cell.tone)], [label, 0], style)
            }
        }
    }

    /// A text in pieces of at most `width` characters, cut at blanks. A longer word is not cut: a terminal that wraps
    /// it itself still copies it whole.
    static func pieces(_ text: String, _ width: Int) -> [String] {
        var pieces: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard !line.isEmpty else {
                line = String(word)
                continue
            }
            if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                pieces.append(line)
                line = String(word)
            }
        }
        return pieces + [line]
    }
}

extension Console {
    /// Prints `table`, no wider than the terminal. Without a terminal, every row is one whole line.
    func show(_ table: Table) {
        for line in table.lines(style, within: tableWidth, asLists: showsLists) { output.write(line + "\n") }
        output.flush()
    }

    /// Returns a layout for rows that are shown one by one; `widths` are those of the columns where there is room.
    func layout(_ header: [String], _ widths: [Int]) -> Table.Layout {
        Table.Layout(header, widths, within: tableWidth, asLists: showsLists, style)
    }

    private var showsLists: Bool { isLinear && output.isTerminal }

    /// The columns that a table may take; nil without a terminal.
    private var tableWidth: Int? { output.isTerminal ? output.columns : nil }
}
