package import PaymentCore
package import PaymentRouting

#if canImport(SQLite3)
    import SQLite3
#elseif canImport(CSQLite)
    import CSQLite
#endif

/// The columns of a table that are written and read together. Statements are made from this list, and rows are read by
/// it, so code never depends on a column's position. A raw value is the column's name in the file.
package protocol StoredColumn: RawRepresentable, CaseIterable, Hashable, Sendable
where RawValue == String, AllCases == [Self] {
    /// The table's name.
    static var table: String { get }
}

extension StoredColumn {
    /// The columns' names, as a statement about one table has them.
    package static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

    /// The columns' names, each with its table's.
    package static var qualifiedList: String { allCases.map { "\(table).\($0.rawValue)" }.joined(separator: ", ") }
}

/// The columns of a table whose rows are about a payment or a refund.
package protocol ReferenceColumn: StoredColumn {
    static var provider: Self { get }
    static var subject: Self { get }
    static var reference: Self { get }
}

extension ReferenceColumn {
    private static var parts: [Self] { [.provider, .subject, .reference] }

    /// The condition on the rows about a reference. Its values are ``StoredReference/key(_:)``, the first three of the
    /// statement.
    package static var isAbout: String {
        parts.enumerated().map { "\(table).\($0.element.rawValue) = ?\($0.offset + 1)" }.joined(separator: " AND ")
    }

    /// Returns the value of this column in a row about `reference`.
    package func part(of reference: PaymentReference) -> Database.Value {
        for (column, part) in zip(Self.parts, reference.parts) where column == self { return .text(part) }
        return .null
    }
}

// MARK: - Rows

/// One row of a table, while it is read. The same forms are read from an SQLite file and from a PostgreSQL server.
package struct Row<Column: StoredColumn> {
    private let cells: any RowCells
    private let path: String
    /// The columns, in the order of the statement.
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

    /// Returns a text, empty if there is none.
    package func text(_ column: Column) -> String { cells.text(place(column)) }

    /// Returns a text; nil if there is none.
    package func optionalText(_ column: Column) -> String? { isNull(column) ? nil : text(column) }

    /// Returns an error about the content of the row.
    package func damage(_ detail: String) -> JournalError { .damaged(path: path, detail: detail) }

    /// True if an outer join found the row. Its first column is never null then.
    package var isThere: Bool { columns.first.map { !isNull($0) } ?? false }

    /// Storages read null from places beyond the last.
    private func place(_ column: Column) -> Int32 { first + Int32(columns.firstIndex(of: column) ?? columns.count) }
}

/// The cells of one row that a storage returns, by their places. A cell without a value reads as zero or empty.
package protocol RowCells {
    func integer(_ place: Int32) -> Int64
    func real(_ place: Int32) -> Double
    func isNull(_ place: Int32) -> Bool
    func text(_ place: Int32) -> String
    func bytes(_ place: Int32) -> [UInt8]
}

extension Row where Column: ReferenceColumn {
    /// Returns the reference that the row is about.
    ///
    /// - Throws: ``JournalError/damaged(path:detail:)`` when it is about nothing that is known.
    package func reference() throws(JournalError) -> PaymentReference {
        guard let reference = PaymentReference(parts: [text(.provider), text(.subject), text(.reference)]) else {
            throw damage("a row of '\(Column.table)' is about '\(text(.subject).prefix(64))', which is not known")
        }
        return reference
    }
}

extension Database {
    /// Reads rows of a table and passes them to `body` one by one.
    ///
    /// - Parameter rest: the part behind the table's name: conditions, order.
    package func rows<Column: StoredColumn>(
        _: Column.Type, _ rest: String = "", _ values: [Value] = [], _ body: (Row<Column>) throws(JournalError) -> Void
    ) throws(JournalError) {
        let columns = Column.allCases
        try forEach("SELECT \(Column.list) FROM \(Column.table) \(rest)", values) { (statement) throws(JournalError) in
            try body(Row(StatementCells(statement: statement), of: path, columns: columns))
        }
    }

    /// Reads rows of a table, each with a row of a second one that belongs to it, or with none.
    ///
    /// - Parameter rest: the part behind the tables' names: the join, conditions, order.
    package func rows<First: StoredColumn, Second: StoredColumn>(
        _: First.Type, with _: Second.Type, _ rest: String, _ values: [Value],
        _ body: (Row<First>, Row<Second>?) throws(JournalError) -> Void
    ) throws(JournalError) {
        let (columns, others) = (First.allCases, Second.allCases)
        try forEach(
            """
            SELECT \(First.qualifiedList), \(Second.qualifiedList)
            FROM \(First.table) LEFT JOIN \(Second.table) \(rest)
            """, values
        ) { (statement) throws(JournalError) in
            let cells = StatementCells(statement: statement)
            let other = Row(cells, of: path, columns: others, first: Int32(columns.count))
            try body(Row(cells, of: path, columns: columns), other.isThere ? other : nil)
        }
    }

    /// Reads rows of a table.
    package func all<Column: StoredColumn, Result>(
        _ columns: Column.Type, _ rest: String = "", _ values: [Value] = [],
        _ read: (Row<Column>) throws(JournalError) -> Result
    ) throws(JournalError) -> [Result] {
        var results: [Result] = []
        try rows(columns, rest, values) { (row) throws(JournalError) in results.append(try read(row)) }
        return results
    }

    /// Adds a row to a table.
    ///
    /// - Parameters:
    ///   - values: one for each column, in their order.
    ///   - isReplacing: true if it replaces the row that has the same key.
    package func insert<Column: StoredColumn>(
        _: Column.Type, _ values: [Value], isReplacing: Bool = false
    ) throws(JournalError) {
        let places = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let verb = isReplacing ? "INSERT OR REPLACE" : "INSERT"
        try run("\(verb) INTO \(Column.table) (\(Column.list)) VALUES (\(places))", values)
    }
}

/// The cells of an SQLite statement's current row.
struct StatementCells: RowCells {
    let statement: OpaquePointer

    func integer(_ place: Int32) -> Int64 { sqlite3_column_int64(statement, place) }
    func real(_ place: Int32) -> Double { sqlite3_column_double(statement, place) }
    func isNull(_ place: Int32) -> Bool { sqlite3_column_type(statement, place) == SQLITE_NULL }
    func text(_ place: Int32) -> String { Database.text(statement, place) }
    func bytes(_ place: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, place) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, place))))
    }
}
