import PaymentCore
import TestSupport
import Testing

/// A file of `Tests/Vectors`: rows that must work and rows that must not.
struct VectorFile {
    let valid: [Row]
    let invalid: [Row]

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let json: JSONValue

        var testDescription: String { name }
        var input: JSONValue { json["input"] ?? .null }

        /// A string of `expect`; the empty string, which matches nothing, when it is missing.
        func expected(_ key: String) -> String { json["expect"]?[key]?.string ?? "" }
        /// A string of `input`, likewise.
        func input(_ key: String) -> String { input[key]?.string ?? "" }
        /// The bytes that a string of `input` spells.
        func inputBytes(_ key: String) -> [UInt8] { Hex.decode(input(key)) ?? [] }
    }

    init(_ name: String) throws {
        let json = try JSONValue(parsing: Vectors.data(name))
        valid = Self.rows(json, "valid")
        invalid = Self.rows(json, "invalid")
        // A test over no rows would pass without testing anything.
        try #require(!valid.isEmpty)
    }

    private static func rows(_ json: JSONValue, _ key: String) -> [Row] {
        (json[key]?.array ?? []).enumerated().map { index, row in
            Row(name: "\(key) \(index) \(row["why"]?.string ?? row["class"]?.string ?? "")", json: row)
        }
    }
}
