import Foundation

/// The table of the targets' sizes in `CONTRIBUTING.md`.
struct CostTable {
    /// The sizes by the targets' names.
    var rows: [String: TargetSize]

    private static let head =
        "| a change in | its lines | public types | targets downstream | their lines | of these outside its house |"

    init(_ rows: [String: TargetSize]) { self.rows = rows }

    /// Reads the table in the text of a page; nil if it has none.
    init?(writtenIn page: String) {
        guard let lines = Self.lines(of: page) else { return nil }
        rows = [:]
        for line in page.split(separator: "\n", omittingEmptySubsequences: false)[lines].dropFirst(2) {
            let cells = line.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" && $0 != "," } }
            let counts = cells.dropFirst().compactMap { Int($0) }
            guard cells.count == 6, counts.count == 5 else { return nil }
            rows[cells[0]] = TargetSize(
                lines: counts[0], publicTypes: counts[1], dependents: counts[2], downstream: counts[3],
                outside: counts[4])
        }
    }

    /// The table's lines, without the end of the last one.
    var text: String {
        let lines = rows.sorted { $0.key < $1.key }.map { name, size in
            let counts = [size.lines, size.publicTypes, size.dependents, size.downstream, size.outside]
            return "| `\(name)` | " + counts.map(Self.number).joined(separator: " | ") + " |"
        }
        return ([Self.head, "| --- | ---: | ---: | ---: | ---: | ---: |"] + lines).joined(separator: "\n")
    }

    /// Returns `page` with this table in place of the table in it.
    func replaced(in page: String) -> String {
        guard let lines = Self.lines(of: page) else { return page }
        var all = page.split(separator: "\n", omittingEmptySubsequences: false)
        all.replaceSubrange(lines, with: text.split(separator: "\n"))
        return all.joined(separator: "\n")
    }

    /// The numbers of the table's lines.
    private static func lines(of page: String) -> Range<Int>? {
        let all = page.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = all.firstIndex(where: { $0 == head }) else { return nil }
        return start..<(all[start...].firstIndex { !$0.hasPrefix("|") } ?? all.endIndex)
    }

    /// A number with a comma before each three digits.
    private static func number(_ count: Int) -> String {
        count < 1000 ? "\(count)" : "\(count / 1000),\(String(1000 + count % 1000).dropFirst())"
    }
}
