import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentSandbox
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import PayrouteCommands

/// The visible parts of links with secrets in a terminal, a log or a screenshot.
@Suite("Secrets in links")
struct PrivacyTests {
    private static let secret = "62d5c1e0242011eda300f59379b812ce"
    private static let order =
        "citcon:charge?token=\(secret)&method=wechatpay&reference=order-7&amount=1250&currency=USD&country=US&env=uat"
    private static let pairing =
        "wc:c4ef1cc5@2?relay-protocol=irn&symKey=\(secret)&pay=https%3A%2F%2Fpay.walletconnect.com%2F%3Fpid%3Dpay_1"
    private static let session = #"{"version":"1","data":"\#(secret)"}"#

    static let links: [(text: String, shown: String)] = [
        (order, "citcon:… (citcon/uat/order-7)"), (pairing, "wc:… (walletconnect-pay/pay_1)"),
        ("wc:c4ef1cc5@2?relay-protocol=irn&symKey=\(secret)", "wc:…"),
        ("payrails:session?version=1&data=\(secret)", "payrails:… (payrails)"),
        (session, "(text of 57 bytes) (payrails)"), ("citcon:charge?token=\(secret)", "citcon:… (citcon)"),
        ("unheard-of:\(secret)", "unheard-of:…"), ("citcon:charge?token=\(secret) ", "citcon:… (citcon)"),
        ("https://user:\(secret)@evil.example/", "https://…@evil.example/"),
        ("https://wallet.example/wc?uri=wc%3Aa%402%3FsymKey%3D\(secret)", "https://wallet.example/…"),
    ]

    @Test("route and inspect show scheme and payment, in tables, as JSON and from standard input", arguments: links)
    func hidden(text: String, shown: String) async throws {
        for command in ["route", "inspect"] {
            for words in [[command, text], [command, "--json", text], [command, "-"], [command, "--json", "-"]] {
                let result = await payroute(words, input: Array(text.utf8))
                #expect(!result.output.contains(Self.secret), "\(words)")
                #expect(!result.errors.contains(Self.secret), "\(words)")
                #expect(result.output.contains(shown), "\(words): \(result.output)")
                guard words.contains("--json") else { continue }
                #expect(try JSONValue(parsing: result.lines[0])["input"]?.string == shown)
            }
        }
    }

    @Test("With --reveal they show everything", arguments: links)
    func revealed(text: String, shown: String) async throws {
        for command in ["route", "inspect"] {
            let result = await payroute(command, "--json", "--reveal", text)
            #expect(try JSONValue(parsing: result.lines[0])["input"]?.string == text)
        }
        let fields = try JSONValue(parsing: await payroute("inspect", "--json", "--reveal", Self.order).lines[0])
        #expect(fields["fields"]?["query.token"]?.string == Self.secret)
    }

    @Test("inspect still names the parts of a link with a secret")
    func parts() async throws {
        let object = try JSONValue(parsing: await payroute("inspect", "--json", Self.order).lines[0])
        #expect(object["fields"]?["scheme"] == "citcon")
        #expect(object["fields"]?["payment"] == "uat/order-7")
        #expect(object["fields"]?["query.token"] == "…")
        #expect(object["fields"]?["text"] == "…")
        #expect(object["reference"] == "uat/order-7")
    }

    @Test("A QR code is the link itself: it is drawn on request only")
    func codes() async throws {
        for (words, isDrawn) in [(["inspect", Self.order], false), (["inspect", "--reveal", Self.order], true)] {
            let (code, shown) = try await payrouteOnTerminal(words, columns: 200)
            #expect(code == .done)
            #expect(shown.contains("▀") == isDrawn)
            #expect(shown.contains("--reveal") != isDrawn)
        }
    }

    @Test("Lines that cannot be read are not quoted whole either")
    func unreadable() async throws {
        let lines = [
            Array("citcon:charge?token=\(Self.secret)".utf8) + [0xFF],
            Array(#""citcon:charge?token=\#(Self.secret)"#.utf8),
            Array("citcon:\(Self.secret)".utf8) + [UInt8](repeating: 0x61, count: 100_000),
        ]
        for line in lines {
            let result = await payroute(["route", "--json", "-"], input: line)
            #expect(!result.output.contains(Self.secret))
            #expect(try JSONValue(parsing: result.lines[0])["decision"] == "rejected")
        }
    }

    @Test(
        "A command line that makes no sense is not quoted with its secrets",
        arguments: [
            [order], ["pay", "pay_1", order, "--sandbox", "http://127.0.0.1:1"],
            ["pay", "pay_1", "--sandbox", order],
            ["pay", "pay_1", "--sandbox", "http://127.0.0.1:1", "--wallet", order],
            ["pay", "pay_1", "--sandbox=\(order)"], ["help", order], ["journal", order],
            ["sandbox", "--port", "https://user:\(secret)@x.example"],
        ])
    func usage(words: [String]) async {
        let result = await payroute(words, input: [])
        #expect(result.code == 64)
        #expect(!result.errors.contains(Self.secret), "\(result.errors)")
    }

    @Test("pay says which payment it is, not with which token")
    func paying() async throws {
        let sandbox = CitconSandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let charge = await sandbox.createCharge(.wechatPay)
        let token = try #require(try PaymentLink(charge.link).queryItems.values("token").first)
        for flags in [[], ["--json"]] {
            let result = await payroute(["pay", charge.link, "--sandbox", server.baseURL.text] + flags, input: [])
            #expect(result.code == 0, "\(result.output)")
            #expect(!result.output.contains(token))
            #expect(!result.errors.contains(token))
        }
    }

    // MARK: pay -

    @Test("pay - reads its link from standard input", arguments: ["", "\n", "\r\n"])
    func fromStandardInput(end: String) async throws {
        let sandbox = WalletConnectPaySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let result = await payroute("pay", "-", "--sandbox", server.baseURL.text, "--json", input: payment.link + end)
        #expect(try result.ending["reference"]?.string == payment.id)
        #expect(result.code == 0)
    }

    @Test("A line in quotation marks is a JSON string")
    func quoted() async throws {
        let sandbox = WalletConnectPaySandbox()
        let server = try LoopbackServer(sandbox)
        defer { server.stop() }
        let payment = await sandbox.createPayment()
        let result = await payroute(
            "pay", "-", "--sandbox", server.baseURL.text, "--json",
            input: JSONValue.string(payment.link).text.replacing("https", with: #"\u0068ttps"#))
        #expect(try result.ending["reference"]?.string == payment.id)
    }

    @Test(
        "pay - takes exactly one line",
        arguments: [
            ("", "no link"), ("\n\n", "no link"), ("pay_1\npay_2\n", "more than one line"),
            ("\npay_1", "more than one line"), ("pay_1\n\npay_2", "more than one line"), (#""open"#, "JSON string"),
            (String(repeating: "x", count: 100_000), "100000 bytes"),
        ])
    func wrongInput(input: String, message: String) async {
        let result = await payroute("pay", "-", "--sandbox", "http://127.0.0.1:1", input: input)
        #expect(result.code == 64)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.output == "")
    }

    @Test("pay - refuses what is no text")
    func noText() async {
        let result = await payroute(["pay", "-", "--sandbox", "http://127.0.0.1:1"], input: [0x70, 0xFF])
        #expect(result.code == 64)
        #expect(result.errors.contains("UTF-8"))
    }
}
