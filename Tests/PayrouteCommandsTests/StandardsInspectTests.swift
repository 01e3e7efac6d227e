import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

/// Every payment text of the vectors through `payroute inspect --json -`.
@Suite("inspect and the payment standards")
struct StandardsInspectTests {
    private func inspect(_ texts: [String], _ flags: String...) async throws -> [JSONValue] {
        let input = texts.map { JSONValue.string($0).text }.joined(separator: "\n")
        let result = await payroute(["inspect", "--json"] + flags + ["-"], input: Array(input.utf8))
        return try result.lines.map { try JSONValue(parsing: $0) }
    }

    @Test("A sound text comes out with its standard and the fields that are expected", arguments: vectorFiles)
    func valid(file: VectorFile) async throws {
        let rows = try file.rows("valid")
        let objects = try await inspect(rows.map(\.input))
        #expect(objects.count == rows.count)
        for (row, object) in zip(rows, objects) {
            #expect(object["valid"] == true && object["error"] == .null, "\(row.input): \(object["error"]?.text ?? "")")
            // A provider pays the texts of this one, and its standard reads their content.
            let isPaid = file.name == "pubky" && object["provider"] == "paykit"
            #expect(object["decision"] == (isPaid ? "matched" : "recognized"), "\(row.input)")
            #expect(object["standard"]?.string == file.standard(of: row), "\(row.input)")
            // A card's data, a claim's code, an authorisation's secret and a session are hidden.
            for (name, expected) in row.fields where object["fields"]?[name] != "…" {
                #expect(
                    object["fields"]?[name] == expected,
                    "\(row.input): \(name) is \(object["fields"]?[name]?.text ?? "absent")")
            }
            let hidden = (object["fields"]?.object ?? [:]).filter { $0.value == "…" }.keys
            let secret: Set = [
                "unread", "tlv", "code", "secret", "signUpToken", "session", "sessionSecret", "encryptionKey",
            ]
            #expect(Set(hidden).isSubset(of: secret), "\(row.input): \(hidden)")
        }
    }

    @Test("An unsound text says which part is wrong, and where", arguments: vectorFiles)
    func invalid(file: VectorFile) async throws {
        let rows = try file.rows("invalid")
        let objects = try await inspect(rows.map(\.input))
        #expect(objects.count == rows.count)
        for (row, object) in zip(rows, objects) {
            #expect(object["valid"] == false, "\(row.input): \(row.why)")
            let error = object["error"]?.string ?? ""
            // An empty text has no places.
            #expect(error.contains(/byte [0-9]+/) || row.input.isEmpty, "\(row.input): \(error)")
        }
    }

    @Test("A customer's code, a payer's digits and keys are never shown, not even with --reveal")
    func never() async throws {
        let codes = try VectorFile("emv-cpm").rows("valid") + VectorFile("emv-cpm").rows("invalid")
        let keys = [
            "5JuW2AMDYu4xVwRG9DZW18VbzQrGcd5RCgb99sS6ehJsNQXu5b9", "134567890123456789",
            "SAAACAQDAQCQMBYIBEFAWDANBYHRAEISCMKBKFQXDAMRUGY4DUPB6NKI",
        ]
        let texts = codes.map(\.input).filter { $0.hasPrefix("hQVDUFYw") } + keys
        for flags in [[], ["--reveal"]] as [[String]] {
            for text in texts {
                let table = await payroute(["inspect"] + flags + ["-"], input: Array(text.utf8))
                let json = await payroute(["inspect", "--json"] + flags + ["-"], input: Array(text.utf8))
                for output in [table.output, table.errors, json.output, json.errors] {
                    #expect(!output.contains(text) && !output.contains(text.suffix(12)), "\(output)")
                }
                #expect(!json.output.contains("\"57\""), "track 2")
            }
        }
    }

    @Test("A token's amount and mint are shown, the token is not; --reveal shows it")
    func token() async throws {
        let row = try #require(try VectorFile("cashu").rows("valid").first { $0.input.hasPrefix("cashuA") })
        let object = try #require(try await inspect([row.input]).first)
        #expect(object["fields"]?["amount"] == row.expect["amount"] && object["fields"]?["mint"] == row.expect["mint"])
        #expect(object["input"]?.string == "(cashu-token, not shown)")
        #expect(try await inspect([row.input], "--reveal").first?["input"]?.string == row.input)
    }

    @Test(
        "A text without a provider is not valid, and the output names the nearest",
        arguments: [
            ("https://example.com/a", "host (byte 8): no registered provider claims links to example.com"),
            ("unheard-of:x", "scheme (byte 0): no registered provider claims unheard-of: links"),
            ("two for the price of one!", "text (byte 0): no registered provider claims this text"),
            ("1BoatSLRHtKNngkdXEeobR76b53LETtpyU", "as bitcoin-address: address (byte 0): the checksum does not match"),
        ])
    func unroutable(text: String, error: String) async throws {
        let result = await payroute("inspect", "--json", text)
        let object = try JSONValue(parsing: result.lines[0])
        #expect(object["decision"] == "unroutable" && object["valid"] == false && result.code == 1)
        #expect(object["error"]?.string?.contains(error) == true, "\(object["error"]?.text ?? "")")
        #expect(object["fields"]?["text"]?.string != nil)
    }
}
