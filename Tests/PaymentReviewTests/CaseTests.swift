import PaymentCore
import PaymentReview
import Testing

/// Cases and verdicts as JSON.
struct CaseTests {
    @Test(
        "A case that lacks something is none",
        arguments: [
            ("option", nil), ("option", "x"), ("calls", nil), ("calls", [:]), ("payer", nil), ("payer", "0x8f08"),
            ("now", nil), ("now", "1793021400"), ("now", -1), ("now", .number(JSONNumber(UInt64.max))),
        ] as [(String, JSONValue?)])
    func defects(member: String, value: JSONValue?) throws {
        var json = try Sample(Sample.permit).json
        json[member] = value
        let defect = #expect(throws: ReviewCase.Defect.self) { try ReviewCase(json) }
        #expect(defect?.description.contains("needs \(member), ") == true)
        #expect(throws: ReviewCase.Defect.self) { try ReviewCase([json]) }
    }

    @Test("Verdicts come back from their JSON, and their text is plain", arguments: VectorTests.Case.all)
    func verdicts(_ example: VectorTests.Case) throws {
        let json = try ReviewCase(example.json).verdict().json
        #expect(try JSONValue(parsing: json.serialized()) == json)
        let text = try #require(json["text"]?.string)
        #expect(text.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) || $0 == "\n" })
        #expect(text.utf8.count < 1000)
    }
}
