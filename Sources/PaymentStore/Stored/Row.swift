package import PaymentRouting

/// The cells of one row that a storage returns, by their places. A cell without a value reads as zero or empty.
package protocol RowCells {
    func integer(_ place: Int32) -> Int64
    func real(_ place: Int32) -> Double
    func isNull(_ place: Int32) -> Bool
    func text(_ place: Int32) -> String
}

/// One row of a table, while it is read: the same forms are read of an SQLite file and of a PostgreSQL server.
package struct Row<Column: StoredColumn> {
    private let cells: any RowCells
    private let path: String
    /// The columns in the order in which the statement has them.
    private let columns: [Column]
    /// The place of the first of them.
    private let first: Int32

    package init(_ cells: any RowCells, of path: String, columns: [Column], first: Int32 = 0) {
        self.cells = cells
        self.path = path
        self.columns = columns
        self.first = first
    }

    package func integer(_ column: Column) -> Int64 { cells.integer(place(column)) }

    package func real(_ column: Column) -> Double { cells.real(place(column)) }

    package func isNull(_ column: Column) -> Bool { cells.isNull(place(column)) }

    /// A text, empty where there is none.
    package func text(_ column: Column) -> String { cells.text(place(column)) }

    /// A text, nil where there is none.
    package func optionalText(_ column: Column) -> String? { isNull(column) ? nil : text(column) }

    /// Returns an error about the content of the row.
    package func damage(_ detail: String) -> JournalError { .damaged(path: path, detail: detail) }

    /// True if an outer join found the row. Its first column is never null then.
    package var isThere: Bool { columns.first.map { !isNull($0) } ?? false }

    /// Storages read null from places beyond the last.
    private func place(_ column: Column) -> Int32 { first + Int32(columns.firstIndex(of: column) ?? columns.count) }
}
