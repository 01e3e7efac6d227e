import PaymentCore
import TestSupport
import Testing

/// One of the reference's tables (`pubky-tables.json`), row by row. Where a row has `here`, or no `reference` of its
/// own, that is what is expected; `why` says why it is something else than the reference does.
enum Table {
    /// The rows of a table, which must not be empty: a table that nobody finds would pass.
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
