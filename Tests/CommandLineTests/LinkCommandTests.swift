import Foundation
import PaymentCore
import PaymentSandbox
import TestSupport
import Testing

@testable import PayrouteCommands

@Suite("route, inspect and providers")
struct LinkCommandTests {
    private static let verified = "https://pay.walletconnect.com/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV"

    @Test(
        "route --json prints the contract's keys, sorted, for every decision",
        arguments: [
            (
                verified, 0,
                #"{"candidates":[],"decision":"matched","input":"\#(verified)","provider":"walletconnect-pay","reason":"claimed by walletconnect-pay (https://(*.)pay.walletconnect.com/)","reference":"pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV","role":"payment","standard":null,"trust":"verified"}"#
            ),
            (
                "pay_456", 0,
                #"{"candidates":[],"decision":"matched","input":"pay_456","provider":"walletconnect-pay","reason":"claimed by walletconnect-pay (pay_…), but unverified: a bare id does not say which service it belongs to","reference":"pay_456","role":"payment","standard":null,"trust":"unverified"}"#
            ),
            (
                "https://example.com/a", 1,
                #"{"candidates":[],"decision":"unroutable","input":"https://example.com/a","provider":null,"reason":"no registered provider claims links to example.com","reference":null,"role":null,"standard":null,"trust":null}"#
            ),
            (
                "https://pay.wa1letconnect.com/a", 1,
                #"{"candidates":[],"decision":"unroutable","input":"https://pay.wa1letconnect.com/a","provider":null,"reason":"this looks like pay.walletconnect.com but is not: the address belongs to wa1letconnect.com; it has characters that only look the same","reference":null,"resembles":{"difference":"confusable","host":"pay.walletconnect.com","provider":"walletconnect-pay"},"role":null,"standard":null,"trust":null}"#
            ),
            (
                "https://pay.walletconnect.com@evil.com/?pid=pay_1", 1,
                #"{"candidates":[],"decision":"rejected","input":"https://…@evil.com/?pid=pay_1","provider":null,"reason":"a user name before the host (@ at byte 29) hides which host is called; it is not allowed","reference":null,"role":null,"standard":null,"trust":null}"#
            ),
        ] as [(String, Int32, String)])
    func routeJSON(input: String, code: Int32, line: String) async throws {
        let result = await payroute("route", "--json", input)
        // The common reading is the one of inspect, and everything beside it is this.
        let reading = try #require(JSONValue(parsing: result.output.utf8.dropLast())["reading"])
        #expect(try await reading == payroute("inspect", "--json", input).ending["reading"])
        #expect(result.output.replacing(#""reading":\#(reading.text),"#, with: "") == line + "\n")
        #expect(result.errors == "")
        #expect(result.code == code)
    }

    @Test("Several inputs give one line each, in order, and one bad one decides the exit code")
    func several() async {
        let result = await payroute("route", "--json", Self.verified, "nonsense", "pay_1")
        #expect(result.lines.count == 3)
        #expect(result.code == 1)
        #expect(await payroute("route", Self.verified, "pay_1").code == 0)
    }

    @Test("inspect --json adds what can be read")
    func inspectJSON() async throws {
        let text = "HTTPS://Pay.WalletConnect.com:443/a/b?pid=pay_1&x=a%20b&x=2&y#f"
        let result = await payroute("inspect", "--json", text)
        let object = try JSONValue(parsing: result.output.utf8.dropLast())
        #expect(
            Set(object.object?.keys ?? [:].keys)
                == [
                    "candidates", "decision", "error", "fields", "input", "provider", "reading", "reason", "reference",
                    "role", "standard", "trust", "valid",
                ])
        #expect(object["valid"] == true)
        #expect(object["error"] == .null)
        #expect(
            object["fields"] == [
                "form": "web", "fragment": "f", "host": "pay.walletconnect.com", "path": "/a/b", "payment": "pay_1",
                "query.pid": "pay_1", "query.x": "a b", "query.x[2]": "2", "query.y": "", "scheme": "https",
                "text": "https://pay.walletconnect.com/a/b?pid=pay_1&x=a%20b&x=2&y#f",
            ])
        #expect(result.code == 0)
    }

    @Test("inspect fails for texts that nothing can be done with")
    func inspectCodes() async throws {
        #expect(await payroute("inspect", "--json", "https://example.com/").code == 1)
        #expect(await payroute("inspect", "--json", "DE75512108001245126199", "pay_1").code == 0)
        let result = await payroute("inspect", "--json", "https://a b/")
        #expect(result.code == 1)
        let object = try JSONValue(parsing: result.output.utf8.dropLast())
        #expect(object["valid"] == false)
        #expect(object["error"] == object["reason"])
        #expect(object["fields"] == .object([:]))
    }

    @Test("Standard input gives one object per line, JSON strings unwrapped, and totals on standard error")
    func standardInput() async throws {
        let lines = [
            Self.verified, #""line one\nline two""#, #""open"#, "", "pay_1\r", "https://example.com/",
            String(repeating: "x", count: 100_000),
        ]
        let result = await payroute("route", "--json", "-", input: lines.joined(separator: "\n"))
        let objects = try result.lines.map { try JSONValue(parsing: $0) }
        #expect(
            objects.map { $0["input"] }.dropLast() == [
                .string(Self.verified), "line one\nline two", #""open"#, "", "pay_1", "https://example.com/",
            ])
        #expect(
            objects.map { $0["decision"]?.string }
                == ["matched", "unroutable", "rejected", "rejected", "matched", "unroutable", "rejected"])
        #expect(objects[6]["reason"]?.string?.contains("100000 bytes") == true)
        #expect(objects[6]["input"]?.string?.utf8.count ?? 0 < 100)
        #expect(result.errors.hasPrefix("7 links in "))
        #expect(result.errors.hasSuffix(" s: 2 matched, 3 rejected, 2 unroutable\n"))
        #expect(result.code == 1)
    }

    @Test("Bytes that are no UTF-8 are rejected, not repaired")
    func invalidUTF8() async throws {
        let result = await payroute(["route", "--json", "-"], input: Array("pay_1".utf8) + [0xFF])
        let object = try JSONValue(parsing: result.output.utf8.dropLast())
        #expect(object["decision"] == "rejected")
        #expect(object["reason"] == "the line is not valid UTF-8 text")
    }

    @Test("A hundred thousand lines come out complete")
    func many() async throws {
        let count = 100_000
        var input: [UInt8] = []
        for number in 0..<count { input += "https://pay.walletconnect.com/pay_\(number)\n".utf8 }
        let result = await payroute(["route", "--json", "-"], input: input)
        let lines = result.output.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == count)
        for number in stride(from: 0, to: min(count, lines.count), by: 9_973) {
            #expect(try JSONValue(parsing: lines[number])["reference"] == .string("pay_\(number)"))
        }
        #expect(result.errors.contains(": 100000 matched\n"))
        #expect(result.code == 0)
    }

    @Test("The table shows decision, provider, payment and reason, and nothing that drives the terminal")
    func table() async {
        let result = await payroute("route", Self.verified, "\u{1B}[31mred", "pay_1")
        #expect(
            result.output == """
                WHAT IT IS                                                                                                                                  DECISION  PROVIDER           PAYMENT                                 LINK                                          WHY
                WalletConnect Pay payment link · WalletConnect Pay names payee and amount                                                                   matched   walletconnect-pay  pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV  https://pay.walletconnect.com/…4RRFFQ69G5FAV  claimed by walletconnect-pay (https://(*.)pay.walletconnect.com/)
                Not acceptable as a link: the control character 0x1b at byte 0 is not allowed in a link                                                     rejected  -                  -                                       \\u{1B}[31mred                                 the control character 0x1b at byte 0 is not allowed in a link
                WalletConnect Pay payment link · WalletConnect Pay names payee and amount · unverified: a bare id does not say which service it belongs to  matched   walletconnect-pay  pay_1                                   pay_1                                         claimed by walletconnect-pay (pay_…), but unverified: a bare id does not say which service it belongs to

                """)
    }

    @Test(
        "A terminal sees colours and the QR code, of recognised texts too",
        arguments: [
            ("pay_1", "\u{1B}[33mmatched"), ("bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "recognized"),
            ("https://example.com/a", "unroutable"),
        ])
    func terminal(text: String, decision: String) async throws {
        let (ending, shown) = try await payrouteOnTerminal(["inspect", text])
        #expect(ending == (decision == "unroutable" ? .failed : .done))
        #expect(shown.contains(decision))
        let code = try #require(QRCode(text))
        for line in code.lines(Style(isColored: true)) { #expect(shown.contains(line)) }
    }

    @Test("Of a text that is worth money itself no code is drawn, unless asked for")
    func secretCode() async throws {
        let link = "wc:abc@2?relay-protocol=irn&symKey=0123456789abcdef"
        let code = try #require(QRCode(link))
        for (words, isDrawn) in [(["inspect", link], false), (["inspect", "--reveal", link], true)] {
            let shown = try await payrouteOnTerminal(words).shown
            #expect(code.lines(Style(isColored: true)).allSatisfy { shown.contains($0) } == isDrawn)
        }
    }

    @Test("Progress is drawn on a terminal while a file is read, and wiped at the end")
    func progress() async throws {
        let terminal = try PseudoTerminal()
        var progress = try #require(Progress(on: OutputStream(descriptor: terminal.terminal), totalBytes: 100))
        let start = ContinuousClock.now
        progress.update(bytes: 10, links: 1, now: start)
        progress.update(bytes: 50, links: 5, now: start + .seconds(1))
        progress.erase()
        let shown = terminal.close()
        #expect(!shown.contains("10%"))
        #expect(shown.contains("] 50%  5 links"))
        #expect(shown.hasSuffix("\r\u{1B}[K"))
        let file = ScratchFile()
        defer { close(file.descriptor) }
        #expect(Progress(on: OutputStream(descriptor: file.descriptor), totalBytes: 100) == nil)
    }

    @Test("providers lists ids, patterns and capabilities")
    func providers() async throws {
        let json = await payroute("providers", "--json")
        let object = try JSONValue(parsing: json.lines[0])
        #expect(object["id"] == "walletconnect-pay")
        #expect(object["patterns"]?.array?.contains("wc:") == true)
        #expect(object["capabilities"]?.array?.contains("pays") == true)
        let table = await payroute("providers")
        #expect(table.lines[0] == "walletconnect-pay  WalletConnect Pay")
        // One pattern a line, and the provider that needs a wallet of the application.
        #expect(table.lines.contains("  claims  https://(*.)pay.walletconnect.com/"))
        #expect(table.lines.contains("          wc:") && table.lines.contains("bitcoin  Bitcoin"))
    }

    @Test("inspect explains a look-alike")
    func lookAlike() async throws {
        let object = try await payroute("inspect", "--json", "https://pay.wa1letconnect.com/a").ending
        #expect(object["error"]?.string?.contains("this looks like pay.walletconnect.com but is not") == true)
        #expect(object["decision"] == "unroutable" && object["valid"] == false)
    }
}
