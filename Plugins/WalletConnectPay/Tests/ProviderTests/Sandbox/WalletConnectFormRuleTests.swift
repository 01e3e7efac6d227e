import TestSupport
import Testing

@testable import WalletConnectPaySandbox

/// The schema's rules, one by one.
@Suite struct WalletConnectFormRuleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let changes: [String: String?]
        let problems: [String]
        var testDescription: String {
            changes.map { "\($0.key)=\($0.value?.prefix(20) ?? "nil")" }.joined(separator: " ")
        }

        init(_ changes: [String: String?], _ problems: String...) {
            self.changes = changes
            self.problems = problems
        }
    }

    static let date = "dob must be a date (YYYY-MM-DD)"
    static let country = "pobCountry must be a country code of two capital letters"
    static let place = "place of birth or of residence must be complete"
    static let rows = [
        Row([:]),
        Row(["fullName": nil], "fullName is required"), Row(["fullName": ""], "fullName is required"),
        Row(["fullName": String(repeating: "x", count: 5000)]),
        Row(["dob": nil], "dob is required"), Row(["dob": ""], date), Row(["dob": "1990-1-1"], date),
        Row(["dob": "1990-02-29"], date), Row(["dob": "1992-02-29"]), Row(["dob": "1900-02-29"], date),
        Row(["dob": "2000-02-29"]), Row(["dob": "1990-04-31"], date), Row(["dob": "1990-00-10"], date),
        Row(["dob": "1990-10-00"], date), Row(["dob": "1990-13-01"], date), Row(["dob": "01/01/1990"], date),
        Row(["dob": "1990-01-01T00:00"], date), Row(["dob": "１９９０-01-01"], date),
        Row(["dob": "1990-01-0\u{301}"], date),
        Row(["pobCountry": "us"], country), Row(["pobCountry": "USA"], country), Row(["pobCountry": "U"], country),
        Row(["pobCountry": ""], country), Row(["pobCountry": "ÄÖ"], country), Row(["pobCountry": "U1"], country),
        Row(["pobAddress": ""]), Row(["pobAddress": String(repeating: "é", count: 200)]),
        Row(["pobAddress": String(repeating: "é", count: 201)], "pobAddress must have at most 200 characters"),
        Row(["pobAddress": String(repeating: "👨‍👩‍👧", count: 40)]),
        Row(["pobAddress": String(repeating: "👨‍👩‍👧", count: 41)], "pobAddress must have at most 200 characters"),
        Row(["pobAddress": nil], place), Row(["pobCountry": nil], place),
        Row(["pobAddress": nil, "pobCountry": nil], place),
        Row(["pobAddress": nil, "porAddress": "x"], place),
        Row(["pobAddress": nil, "pobCountry": nil, "porAddress": "x", "porCountry": "FR"]),
        Row(["porCountry": "fr"], "porCountry must be a country code of two capital letters"),
        Row(["tosConfirmed": nil], "tosConfirmed is required"),
        Row(["tosConfirmed": "false"], "tosConfirmed must be accepted"),
        Row(["tosConfirmed": "TRUE"], "tosConfirmed must be accepted"), Row(["ssn": "1"], "another field is not known"),
        Row(["fullName": nil, "dob": "x"], "fullName is required", date),
    ]

    @Test("What may be entered", arguments: rows)
    func rules(_ row: Row) {
        var values = goodDetails
        for (name, value) in row.changes { values[name] = value }
        #expect(IdentityForm.problems(with: values).map { "\($0.field) \($0.text)" } == row.problems)
    }

    @Test("Problems do not repeat what was entered")
    func problemsDoNotRepeatWhatWasEntered() {
        let values = goodDetails.mapValues { _ in "canary" }.merging(["canary": "canary"]) { $1 }
        let problems = IdentityForm.problems(with: values)
        #expect(problems.count == 4)
        #expect(!problems.contains { "\($0)".contains("canary") })
    }
}
