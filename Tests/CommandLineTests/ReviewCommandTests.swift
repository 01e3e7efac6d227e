import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("review")
struct ReviewCommandTests {
    static func vectors() throws -> [JSONValue] {
        try #require(try JSONValue(parsing: Vectors.data("signing-review")).array)
    }

    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Vectors/signing-review.json").path

    @Test("--json prints the verdict of every case, one object a line, from a file and from standard input")
    func json() async throws {
        let cases = try Self.vectors()
        let lines = cases.map(\.text).joined(separator: "\n")
        for result in [
            await payroute("review", "--json", Self.file), await payroute("review", "--json", "-", input: lines),
        ] {
            #expect(result.lines.count == cases.count)
            #expect(result.code == 1)
            for (example, line) in zip(cases, result.lines) {
                let found = try JSONValue(parsing: line)
                let expected = try #require(example["expect"])
                #expect(found["name"] == example["name"])
                #expect(found["verdict"] == expected["verdict"])
                #expect(found["reason-code"] == expected["reason-code"])
                #expect(found["effects"]?.text == expected["effects"]?.text)
                #expect(
                    found.object.map { Set($0.keys) } == [
                        "name", "verdict", "reason-code", "warnings", "effects", "digest", "member", "text",
                    ])
            }
        }
    }

    @Test("People get the sentences, or what is wrong and where")
    func text() async throws {
        let cases = try Self.vectors()
        let good = await payroute("review", "-", input: cases[0].text)
        #expect(good.code == 0)
        #expect(good.lines.first == "permit2 usdt ethereum, recorded spender  approve")
        #expect(good.output.contains("take up to 12.34 USDT on Ethereum (eip155:1), once, until 13:49:00 UTC"))
        let bad = await payroute("review", "-", input: try #require(cases.last).text)
        #expect(bad.code == 1)
        #expect(bad.lines.first == "tron transfer without an opt-in  refuse: method-not-allowed")
    }

    @Test("A token in no table is refused unless the line or the case allows it by name")
    func allowedTokens() async throws {
        let token = "eip155:8453/erc20:0x3E8FAd5f27e6039b8FF9Ce425cA910DBA06AcaBc"
        let name = "permit2 for a token no table knows"
        let example = try #require(try Self.vectors().first { $0["name"]?.string == name })
        let refused = await payroute("review", "-", input: example.text)
        #expect(refused.code == 1 && refused.lines.first == "\(name)  refuse: token-unlisted", "\(refused)")
        let allowed = await payroute("review", "--allow-token", "eip155:1/slip44:60,\(token)", "-", input: example.text)
        #expect(allowed.code == 0 && allowed.lines.first?.contains("display-unverified") == true, "\(allowed)")
        #expect(allowed.output.contains("5 ZZTOP (5000000000000000000 units)"))
        for wrong in ["ZZTOP", "\(token),", ""] {
            #expect(await payroute("review", "--allow-token", wrong, "-", input: "").code == 64, "\(wrong)")
            let pay = await payroute(
                "pay", "--sandbox", "http://127.0.0.1:1", "--allow-token", wrong, "pay_1", input: "")
            #expect(pay.code == 64 && pay.errors.contains("--allow-token"), "\(pay)")
        }
    }

    @Test("A recipient that the payer knows is named as seen before")
    func known() async throws {
        let example = try #require(try Self.vectors().first { $0["name"]?.string == "plain native transfer polygon" })
        let known = "eip155:137:0x1c6BBdCf304b1e15C1aa9DE302141Ba638477A74"
        #expect(await payroute("review", "-", input: example.text).output.contains("(not seen before)"))
        let result = await payroute("review", "--known", known, "-", input: example.text)
        #expect(result.lines.first?.hasSuffix("  approve") == true)
        #expect(await payroute("review", "--known", "nobody", "-", input: "").code == 64)
    }

    @Test(
        "What is no case is said, and counts as refused",
        arguments: ["nonsense", "{}", #"{"option":{},"calls":[]}"#, #"{"option":{},"calls":[],"payer":"x","now":1}"#])
    func malformed(_ line: String) async throws {
        let result = await payroute("review", "--json", "-", input: line)
        #expect(try JSONValue(parsing: try #require(result.lines.first))["verdict"] == "unreadable")
        #expect(result.code == 1)
    }

    @Test("What cannot be read is named by file and line, or by its place in a list")
    func places() async throws {
        let folder = ScratchFolder()
        let good = try Self.vectors()[0].text
        func review(_ name: String, _ text: String) async throws -> [String] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            return await payroute("review", folder.file(name)).lines.map { String($0) }
        }
        let lines = try await review("lines", "\(good)\n\n{oops\n{}")
        #expect(lines.contains { $0.hasPrefix("  \(folder.file("lines")), line 3: not valid JSON: ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  \(folder.file("lines")), line 4: ") })
        let list = try await review("list", "[\(good),{}]")
        #expect(list.contains { $0.hasPrefix("  \(folder.file("list")), case 2: ") }, "\(list)")
        let input = await payroute("review", "-", input: "\(good)\nnonsense\n")
        #expect(input.output.contains("  standard input, line 2: not valid JSON: "))
    }

    @Test("A hostile case cannot drive the terminal")
    func hostile() async throws {
        var example = try Self.vectors()[0]
        example["name"] = "\u{1B}[31mred\u{202E}"
        let result = await payroute("review", "-", input: example.text)
        #expect(!result.output.contains("\u{1B}") && !result.output.contains("\u{202E}"))
    }
}
