import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

/// Real texts from public reports whose reading was once wrong or of no help. Each has the line and the notes that
/// `payroute inspect` prints, which a person has compared with what a payer has to see.
@Suite("Real texts")
struct RealReadingTests {
    private static let name = "readings-real-world"
    private static let file = Vectors.root.appending(path: "Tests/Vectors/\(name).json")

    @Test("Each is read as a payer has to see it")
    func lines() async throws {
        var vectors = try JSONValue(parsing: Array(Data(contentsOf: Self.file)))
        var cases = try #require(vectors["cases"]?.array)
        #expect(cases.count == 65)
        let input = try cases.map { try #require($0["input"]).text }.joined(separator: "\n")
        let lines = await ReadingTests.run(["inspect", "--json", "-"], input: input).lines
        #expect(lines.count == cases.count)
        for (index, line) in lines.enumerated() {
            let reading = try JSONValue(parsing: line)["reading"]
            let found: [String: JSONValue] = [
                "line": reading?["summary"] ?? .null, "notes": reading?["warnings"] ?? .null,
                "next": reading?["advice"] ?? .null,
            ]
            if ProcessInfo.processInfo.environment["UPDATE_REAL_READINGS"] == "1" {
                for (name, value) in found { cases[index][name] = value }
            }
            for (name, value) in found {
                #expect(cases[index][name] == value, "\(cases[index]["id"]?.string ?? ""): \(value.text)")
            }
        }
        if ProcessInfo.processInfo.environment["UPDATE_REAL_READINGS"] == "1" {
            vectors["cases"] = .array(cases)
            let data = try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: Data(vectors.text.utf8)),
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            try (data + Data("\n".utf8)).write(to: Self.file)
        }
    }
}
