import PaymentCore
import TestSupport
import Testing

/// One of the reference's tables (`pubky-tables.json`), row by row. A row expects its `here`, if it has one, and
/// otherwise the value of the reference; `why` gives the reason for a difference.
enum Table {
    /// The rows of a table, which must not be empty: a missing table would pass.
    static func rows(_ name: String) throws -> [JSONValue] {
        let json = try JSONValue(parsing: [UInt8](try Vectors.data("pubky-tables")))
        let rows = try #require(json[name]?.array)
        try #require(!rows.isEmpty)
        return rows
    }
}

extension JSONValue {
    /// The text of a member that every row of its table has.
    func word(_ name: String) throws -> String { try #require(self[name]?.string, "\(text) has no \(name)") }

    /// The texts of a list.
    func words(_ name: String) throws -> [String] { try #require(self[name]?.array).compactMap(\.string) }
}
