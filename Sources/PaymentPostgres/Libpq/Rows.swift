import CPostgreSQL
package import PaymentStore

/// The rows that a statement returned.
package struct Rows: Sendable {
    package let cells: [BinaryCells]

    /// Copies what libpq read.
    init(_ result: OpaquePointer) {
        let columns = cPQnfields(result)
        cells = (0..<cPQntuples(result)).map { row in
            BinaryCells(
                values: (0..<columns).map { column in
                    guard cPQgetisnull(result, row, column) == 0, let start = cPQgetvalue(result, row, column) else {
                        return nil
                    }
                    let count = Int(cPQgetlength(result, row, column))
                    return Array(UnsafeRawBufferPointer(start: start, count: count))
                })
        }
    }

    package var isEmpty: Bool { cells.isEmpty }

    /// Returns the rows as those of a table whose columns the statement selects in their order.
    package func of<Column: StoredColumn>(_: Column.Type, _ path: String) -> [Row<Column>] {
        let columns = Column.allCases
        return cells.map { Row($0, of: path, columns: columns) }
    }
}

/// One row in the server's binary format.
package struct BinaryCells: RowCells, Sendable {
    let values: [[UInt8]?]

    func bytes(_ place: Int32) -> [UInt8] {
        values.indices.contains(Int(place)) ? values[Int(place)] ?? [] : []
    }

    /// A number or a truth value of any width.
    package func integer(_ place: Int32) -> Int64 {
        let bytes = bytes(place)
        guard let first = bytes.first else { return 0 }
        return bytes.reduce(first > 0x7F ? -1 : 0) { $0 << 8 | Int64($1) }
    }

    package func real(_ place: Int32) -> Double {
        Double(bitPattern: bytes(place).reduce(0) { $0 << 8 | UInt64($1) })
    }

    package func isNull(_ place: Int32) -> Bool { !values.indices.contains(Int(place)) || values[Int(place)] == nil }

    package func text(_ place: Int32) -> String { String(decoding: bytes(place), as: UTF8.self) }
}
