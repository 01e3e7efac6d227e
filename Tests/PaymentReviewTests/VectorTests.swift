import PaymentCore
import PaymentReview
import PaymentWallet
import TestSupport
import Testing

/// The published cases: verdicts, codes, warnings, effects and digests as stated there.
struct VectorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let json: JSONValue
        var testDescription: String { json["name"]?.string ?? "" }

        static let all: [Case] = {
            let list = try? JSONValue(parsing: Vectors.data("signing-review"))
            return (list?.array ?? []).map(Case.init(json:))
        }()
    }

    @Test("No case is missing")
    func count() {
        #expect(Case.all.count == 127)
    }

    @Test("A published case", arguments: Case.all)
    func verdict(_ example: Case) throws {
        let expected = try #require(example.json["expect"])
        let found = try ReviewCase(example.json).verdict().json
        #expect(found["verdict"] == expected["verdict"])
        #expect(found["reason-code"] == expected["reason-code"], "\(found["text"]?.string ?? "")")
        #expect(found["effects"]?.text == expected["effects"]?.text)
        #expect(found["warnings"] == expected["warnings"] ?? [])
        if let digest = expected["digest"] { #expect(found["digest"] == digest) }
    }

    @Test("The digest is what a wallet signs", arguments: Case.all.filter { $0.json["expect"]?["digest"] != nil })
    func digest(_ example: Case) throws {
        let calls = try #require(example.json["calls"]?.array)
        let typedData = try #require(calls.last?["params"]?[1])
        let digest = try TypedData(parsing: typedData).digest
        #expect(try ReviewCase(example.json).verdict().json["digest"]?.string == "0x" + Hex.encode(digest))
    }
}
