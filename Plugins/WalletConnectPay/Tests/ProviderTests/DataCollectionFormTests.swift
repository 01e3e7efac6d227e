import PaymentCore
import TestSupport
import Testing

@testable import WalletConnectPayProvider

/// The questions of a form, from fields and from a schema, and the values that it accepts (Protocol 5.4).
@Suite struct DataCollectionFormTests {
    /// The service's schema, as recorded.
    static let schema = """
        {"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","additionalProperties":false,
         "required":["fullName","dob","tosConfirmed"],
         "anyOf":[{"required":["pobCountry","pobAddress"]},{"required":["porCountry","porAddress"]}],
         "properties":{
          "fullName":{"type":"string","minLength":1,"title":"Full name"},
          "dob":{"type":"string","format":"date"},
          "pobCountry":{"type":"string","pattern":"^[A-Z]{2}$"},
          "pobAddress":{"type":"string","maxLength":200},
          "porCountry":{"type":"string","pattern":"^[A-Z]{2}$"},
          "porAddress":{"type":"string","maxLength":200},
          "tosConfirmed":{"type":"boolean","const":true}}}
        """

    static func form() throws -> DataForm { try DataForm(schema: .string(schema)) }

    static let fields = DataForm(fields: [
        .init(id: "fullName", name: "Full name", kind: .text, isRequired: true),
        .init(id: "dob", name: "Date of birth", kind: .date, isRequired: true),
        .init(id: "email", name: "E-mail", kind: .text, isRequired: false),
        .init(id: "news", name: "News", kind: .checkbox, isRequired: false),
        .init(id: "termsAccepted", name: "Terms", kind: .checkbox, isRequired: true),
        .init(id: "email", name: "Again", kind: .date, isRequired: true),
    ])

    static let fieldValues: [(String, String, DataFieldError.Reason?)] = [
        ("fullName", "John Smith", nil),
        ("fullName", "名前 ﷽", nil),
        ("fullName", String(repeating: "x", count: 4097), .tooLong(maximum: 4096)),
        ("dob", "1990-01-15", nil),
        ("dob", "2000-02-29", nil),
        ("dob", "2024-02-29", nil),
        ("dob", "1900-02-29", .notADate),
        ("dob", "2023-02-29", .notADate),
        ("dob", "2023-04-31", .notADate),
        ("dob", "2023-13-01", .notADate),
        ("dob", "2023-00-01", .notADate),
        ("dob", "2023-01-00", .notADate),
        ("dob", "2023-01-32", .notADate),
        ("dob", "0000-01-01", .notADate),
        ("dob", "1990-1-15", .notADate),
        ("dob", "15.01.1990", .notADate),
        ("dob", "1990-01-15T00:00:00Z", .notADate),
        ("dob", " 1990-01-15", .notADate),
        ("dob", "+990-01-15", .notADate),
        ("dob", "１９９０-01-15", .notADate),
        ("news", "true", nil),
        ("news", "false", nil),
        ("news", "TRUE", .notTrueOrFalse),
        ("news", "1", .notTrueOrFalse),
        ("termsAccepted", "true", nil),
        ("termsAccepted", "false", .notConfirmed),
        ("email", "not checked here", nil),
        ("other", "x", .unknownField),
    ]

    @Test("Values of plain fields are checked", arguments: fieldValues)
    func checksFields(_ id: String, _ value: String, _ reason: DataFieldError.Reason?) {
        expect(Self.fields, id, value, reason)
    }

    static let schemaValues: [(String, String, DataFieldError.Reason?)] = [
        ("fullName", "J", nil),
        ("fullName", "", .tooShort(minimum: 1)),
        ("dob", "1990-01-15", nil),
        ("dob", "1990-02-30", .notADate),
        ("pobCountry", "US", nil),
        ("pobCountry", "us", .wrongForm),
        ("pobCountry", "USA", .wrongForm),
        ("pobCountry", "ÜS", .wrongForm),
        ("pobAddress", String(repeating: "é", count: 200), nil),
        ("pobAddress", String(repeating: "é", count: 201), .tooLong(maximum: 200)),
        ("tosConfirmed", "true", nil),
        ("tosConfirmed", "false", .notConfirmed),
        ("tosConfirmed", "yes", .notTrueOrFalse),
        ("$schema", "x", .unknownField),
    ]

    @Test("Values of a schema are checked", arguments: schemaValues)
    func checksSchemaValues(_ id: String, _ value: String, _ reason: DataFieldError.Reason?) throws {
        expect(try Self.form(), id, value, reason)
    }

    private func expect(_ form: DataForm, _ id: String, _ value: String, _ reason: DataFieldError.Reason?) {
        do throws(DataFieldError) {
            try form.check(value, for: id)
            #expect(reason == nil)
        } catch {
            #expect(error.field == id)
            #expect(error.reason == reason)
        }
    }

    @Test("The schema is read")
    func readsTheSchema() throws {
        let form = try Self.form()
        #expect(
            form.fields.map(\.id) == [
                "fullName", "dob", "tosConfirmed", "pobCountry", "pobAddress", "porCountry", "porAddress",
            ])
        #expect(form.fields.map(\.kind) == [.text, .date, .checkbox, .text, .text, .text, .text])
        #expect(form.fields.map(\.isRequired) == [true, true, true, false, false, false, false])
        #expect(form.fields.map(\.name).prefix(2) == ["Full name", "dob"])
        #expect(form.alternatives == [["pobCountry", "pobAddress"], ["porCountry", "porAddress"]])
        #expect(form.askedIDs == Set(form.fields.map(\.id)))
        #expect(try DataForm(schema: JSONValue(parsing: Self.schema)) == form)
    }

    static let problems: [([String: String], [String])] = [
        ([:], ["fullName", "dob", "tosConfirmed", "pobCountry", "pobAddress"]),
        (
            ["fullName": "  \n", "dob": "1990-01-01", "tosConfirmed": "true", "pobCountry": "US", "pobAddress": "x"],
            ["fullName"]
        ),
        (["fullName": "A", "dob": "1990-01-01", "tosConfirmed": "true", "porCountry": "US"], ["porAddress"]),
        (
            ["fullName": "A", "dob": "1990-01-01", "tosConfirmed": "true", "porCountry": "US", "pobAddress": "x"],
            ["pobCountry"]
        ),
        (
            ["fullName": "A", "dob": "1", "tosConfirmed": "no", "porCountry": "us", "porAddress": "x"],
            ["dob", "tosConfirmed", "porCountry"]
        ),
        (["fullName": "A", "dob": "1990-01-01", "tosConfirmed": "true", "porCountry": "US", "porAddress": "x"], []),
    ]

    @Test("Every problem is found, in the order of the fields", arguments: problems)
    func findsProblems(_ values: [String: String], _ ids: [String]) throws {
        let form = try Self.form()
        let values = values.mapValues { Redacted($0) }
        #expect(form.errors(in: values).map(\.field) == ids)
        #expect((try? form.accepted(values)) == nil || ids.isEmpty)
    }

    @Test("Only what is asked for is accepted")
    func acceptsOnlyWhatIsAskedFor() throws {
        let values = ["termsAccepted": "true", "dob": "1990-01-01", "email": " ", "fullName": " Ada ", "secret": "x"]
        let accepted = try Self.fields.accepted(values.mapValues { Redacted($0) })
        #expect(accepted.map(\.id) == ["fullName", "dob", "termsAccepted"])
        #expect(accepted.map { $0.value.reveal() } == [" Ada ", "1990-01-01", "true"])
    }

    @Test("Errors name the field, never the value")
    func errorsNameTheFieldOnly() {
        let values = ["fullName": "Ada Lovelace", "dob": "secret-day", "termsAccepted": "true"]
        for problem in Self.fields.errors(in: values.mapValues { Redacted($0) }) {
            #expect(problem.description.contains("'dob'"))
            #expect(!shown(problem).contains("secret-day"))
        }
        #expect(Self.fields.errors(in: values.mapValues { Redacted($0) }).count == 1)
        let hostile = DataFieldError("a\u{1B}[2J\u{202E}" + String(repeating: "x", count: 900), .missing)
        #expect(hostile.description.utf8.count < 200)
        #expect(!hostile.description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }

    // MARK: Schemas

    @Test("What is not known is ignored")
    func ignoresWhatItDoesNotKnow() throws {
        let form = try DataForm(
            schema: [
                "required": ["a", 7, "a", "b"], "anyOf": [["required": "x"], ["allOf": []], 3],
                "properties": [
                    "a": ["type": "integer", "minLength": "many", "pattern": "^(a+)+$", "maximum": 3],
                    "b": ["type": ["string", "null"], "const": "yes"], "c": 5,
                ], "oneOf": 1,
            ])
        #expect(form.fields.map(\.id) == ["a", "b", "c"])
        #expect(form.fields.allSatisfy { $0.kind == .text })
        #expect(form.askedIDs == ["a", "b"])
        #expect(
            form.errors(in: ["a": Redacted("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"), "b": Redacted("yes")]).isEmpty)
        #expect(form.errors(in: ["a": Redacted("1"), "b": Redacted("no")]).map(\.reason) == [.wrongForm])
    }

    static let refused: [(JSONValue, String)] = [
        ("{", "cannot be read"), ("[]", "not a JSON object"), (nil, "not a JSON object"), (7, "not a JSON object"),
        (.string("\"{}\""), "not a JSON object"),
        (.string(String(repeating: " ", count: 65_537)), "larger"),
        (.string(String(repeating: "[", count: 5000)), "cannot be read"),
        (["required": .array((0..<201).map { .string("f\($0)") })], "larger"),
        (["required": [.string(String(repeating: "x", count: 129))]], "larger"),
        (["anyOf": .array(Array(repeating: [:], count: 201))], "larger"),
        (["properties": .object(Dictionary(uniqueKeysWithValues: (0..<201).map { ("p\($0)", nil) }))], "larger"),
    ]

    @Test("Schemas that are none are refused", arguments: refused)
    func refusesSchemas(_ schema: JSONValue, _ words: String) {
        do throws(DataFormSchemaError) {
            _ = try DataForm(schema: schema)
            Issue.record("accepted")
        } catch {
            #expect(error.description.contains(words))
        }
    }

    static let patterns: [(String, [String], [String])] = [
        ("^[A-Z]{2}$", ["US"], ["", "U", "USA", "us", "U\n"]),
        ("^[0-9]+$", ["1", "123"], ["", "1a"]),
        ("^[a-z]*$", ["", "abc"], ["A"]),
        ("^[ab-]{1,3}$", ["a-b"], ["", "abab", "c"]),
        ("^[x]{2,}$", ["xx", "xxxx"], ["x"]),
        ("^[A-Za-z0-9]$", ["a", "Z", "5"], ["aa"]),
    ]

    @Test("Simple patterns match", arguments: patterns)
    func matches(_ pattern: String, _ accepted: [String], _ refused: [String]) throws {
        let pattern = try #require(TextPattern(pattern))
        for text in accepted { #expect(pattern.matches(text), "\(text)") }
        for text in refused { #expect(!pattern.matches(text), "\(text)") }
    }

    @Test(
        "Other patterns are left alone",
        arguments: [
            "", "^", "$", "^$", "^[]$", "^[^a]$", "[a]", "^[a]", "[a]$", "^[a]{}$", "^[a]{2", "^[a]{3,2}$", "^[a]{-1}$",
            "^[z-a]$", "^[\\d]$", "^[a]+?$", "^(a|b)$", "^[a]$|^[b]$", "^[a]{99999999999999999999}$", "^[ä]$",
            "^[[a]]$",
        ])
    func leavesOtherPatterns(_ pattern: String) {
        #expect(TextPattern(pattern) == nil)
    }
}
