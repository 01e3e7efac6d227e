package import PaymentCore

/// One of the reference's tables of the Pubky network (`pubky-tables.json`), row by row. A row expects its `here`, if
/// it has one, and otherwise the value of the reference; `why` gives the reason for a difference.
package enum PubkyTable {
    /// Returns the rows of a table.
    ///
    /// - Throws: an error for a missing or empty table, which would pass.
    package static func rows(_ name: String) throws -> [JSONValue] {
        let rows = try JSONValue(parsing: [UInt8](Vectors.data("pubky-tables")))[name]?.array ?? []
        guard !rows.isEmpty else { throw Missing(description: "the table \(name) is missing") }
        return rows
    }

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }
}

extension JSONValue {
    /// Returns the text of a member that every row of its table has.
    package func word(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw PubkyTable.Missing(description: "\(text) has no \(name)") }
        return text
    }

    /// Returns the texts of a list.
    package func words(_ name: String) throws -> [String] {
        guard let list = self[name]?.array else { throw PubkyTable.Missing(description: "\(text) has no \(name)") }
        return list.compactMap(\.string)
    }
}
