import CitconSandbox
import Foundation
import PaymentCore
import PaymentLoopback
import PaymentTesting
import PayrailsSandbox
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@testable import SandboxHome

@Suite("The home of the sandbox") struct HomeTests {
    /// The addresses of the pages that need no prior payment.
    static let rooms = ["/", "/playground", "/scenarios", "/ledger"]

    @Test("Every page says that no money moves, runs nothing but its own, and weighs little", arguments: rooms)
    func pages(_ path: String) async throws {
        let world = HomeWorld()
        let page = try await world.send(.get, path)
        #expect(page.status == 200)
        #expect(page.text.contains(PageStyle.banner))
        let policy = try #require(page.headers["Content-Security-Policy"])
        let nonce = try #require(page.text.firstMatch(of: /<style nonce="([0-9a-f]{32})">/)).output.1
        #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)';"))
        #expect(policy.contains("frame-ancestors 'none'") && policy.contains("base-uri 'none'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("http"))
        #expect(page.headers["X-Content-Type-Options"] == "nosniff")
        // A nonce is valid for one answer.
        #expect(try await world.send(.get, path).headers["Content-Security-Policy"] != policy)
        let script = try await world.send(.get, "/_sandbox/home.js")
        #expect(page.body.count + script.body.count < 100_000)
        // Nothing is loaded from another site, and no markup has an inline style or script.
        #expect(try page.text.matches(of: Regex(##"(?:src|href)="[^/#"][^"]*""##)).isEmpty)
        #expect(!page.text.contains(" style="))
        #expect(try page.text.firstMatch(of: Regex(##" on[a-z]+=""##)) == nil)
    }

    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</textarea><script>alert(1)</script>",
        "' onfocus='alert(1)", "javascript:alert(1)", "a\u{0}b", "\u{1B}[31m", "&lt;b&gt;",
        "\u{202E}gnp.\u{2067}a",
        String(repeating: "<b>", count: 2731), String(repeating: "\u{1F4A3}", count: 40_000),
    ]

    @Test("Hostile texts appear as text", arguments: hostile)
    func hostileText(_ text: String) async throws {
        let world = HomeWorld()
        let clean = try await world.submit("/playground", ["text": "x"]).text
        let page = try await world.submit("/playground", ["text": text])
        #expect(page.status == 200)
        for tag in ["<script", "<img", "<b>", "</textarea>", " onfocus", " onerror"] {
            let count = page.text.components(separatedBy: tag).count
            // As text the input may appear; as markup only if it is on every page.
            if tag.hasPrefix("<") { #expect(count == clean.components(separatedBy: tag).count, "\(tag)") }
        }
        #expect(try page.text.firstMatch(of: Regex("<[a-z]+[^>]* on[a-z]+=")) == nil)
        #expect(!page.body.contains(0) && !page.body.contains(0x1B))
        #expect(page.body.count < 1 << 20)
        // A text of a service or another program is text, too.
        let found = try await world.send(.get, "/ledger?filter=" + PercentCoding.encode(text.prefix(100)))
        #expect(found.text.components(separatedBy: "<script").count == 2)
        #expect(!found.text.unicodeScalars.contains { ["\u{202E}", "\u{2067}"].contains($0) })
    }

    @Test("A payment is made, shown and paid without scripts")
    func made() async throws {
        let world = HomeWorld()
        let made = try await world.submit("/scenarios", ["make": "citcon/wechatpay", "amount": "", "currency": "USD"])
        #expect(made.status == 303)
        let path = try #require(made.headers["Location"])
        let page = try await world.send(.get, path)
        #expect(page.status == 200 && page.text.contains("citcon:charge?") && page.text.contains("<title>code</title>"))
        #expect(try await world.submit(path + "/pay", [:]).headers["Location"] == path)
        // The page appears after two seconds at most, and a busy machine may need longer to pay.
        var paid = try await world.send(.get, path).text
        while paid.contains("A simulated payer is paying.") {
            await Task.yield()
            paid = try await world.send(.get, path).text
        }
        #expect(paid.contains("succeeded") && paid.contains("one entry") && paid.contains("looks at"))
        #expect(paid.contains("&lt;i&gt;paid&lt;/i&gt;") && !paid.contains("<i>paid"))
        // With a chosen amount, if the service accepts one.
        let priced = try await world.submit(
            "/scenarios", ["make": "payrails/paid", "amount": "7.25", "currency": "EUR"])
        #expect(priced.status == 303)
        for (items, status) in [
            (["make": "payrails/nothing"], 404), (["make": "nobody/paid"], 404), (["make": ""], 404),
            (["make": "payrails/paid", "amount": "x", "currency": "EUR"], 400),
            (["make": "payrails/paid", "amount": "1", "currency": "?"], 400),
            (["make": "payrails/paid", "amount": "-1", "currency": "EUR"], 400),
        ] as [(KeyValuePairs<String, String>, Int)] {
            #expect(try await world.submit("/scenarios", items).status == status)
        }
        #expect(try await world.send(.get, "/ledger/none").status == 404)
        #expect(try await world.submit("/ledger/none/pay", [:]).status == 404)
    }

    @Test(
        "Opening a payment leads to the page that its payer sees, and that page pays",
        arguments: [
            ("citcon/toss", "act=pay"), ("walletconnect-pay/paid-at-once", ""), ("payrails/paid", ""),
        ])
    func opened(_ scenario: String, _ answer: String) async throws {
        let world = HomeWorld()
        let opened = try await world.submit("/scenarios", ["open": scenario, "amount": "", "currency": ""])
        let path = try #require(opened.headers["Location"])
        let page = try await world.send(.get, path)
        #expect(page.status == 200, "\(path)")
        guard !answer.isEmpty else { return }
        #expect(page.text.contains(PageStyle.banner))
        let paid = try await world.send(
            .post, path, ["Content-Type": "application/x-www-form-urlencoded"], body: answer)
        // A payer who came from here has no app to return to.
        #expect(paid.status == 200 && paid.text.contains("href=\"/ledger/"))
        #expect(await world.home.closing().first?.words.last == .settled)
    }

    @Test("Payments that other programs make over HTTP are in the ledger, on the page and in the closing table")
    func foreign() async throws {
        let world = HomeWorld()
        let made = try await world.send(
            .post, "/v1/payments",
            [
                "Api-Key": WalletConnectPaySandbox.testKey.reveal(), "Merchant-Id": WalletConnectPaySandbox.merchantID,
                "Content-Type": "application/json", "Idempotency-Key": "ORDER-1",
            ], body: #"{"referenceId":"ORDER-1","amount":{"unit":"iso4217/USD","value":"1250"}}"#)
        #expect(made.status == 201, "\(made.text)")
        let token = try JSONValue(
            parsing: try await world.send(
                .post, "/v1/access-tokens",
                [
                    "Authorization": "Bearer \(CitconSandbox.privateKey.reveal())", "Content-Type": "application/json",
                ], body: #"{"token_type":"server"}"#
            ).body)["data"]?["access_token"]?.string
        let charge = try await world.send(
            .post, "/v1/charges",
            ["Authorization": "Bearer \(try #require(token))", "Content-Type": "application/json"],
            body: """
                {"transaction":{"reference":"order-8","amount":1250,"currency":"USD","country":"US","auto_capture":true},\
                "payment":{"method":"alipay"},"urls":{}}
                """)
        #expect(charge.status == 200, "\(charge.text)")
        let closing = await world.home.closing()
        #expect(closing.map(\.service) == ["walletconnect-pay", "citcon"])
        #expect(closing.allSatisfy { $0.scenario == nil && $0.words.first == .created })
        let page = try await world.send(.get, "/ledger").text
        for entry in closing { #expect(page.contains(entry.payment)) }
        let listed = try await world.json("ledger")["ledger"]?.array
        #expect(listed?.count == 2)
        // The request that created it is shown with it.
        let shown = try await world.send(.get, "/ledger/\(closing[0].payment)").text
        #expect(shown.contains("POST /v1/payments → 201") && shown.contains("none: made by another program"))
        #expect(shown.contains("<h1>12.50 USD to <bdi>"))
        // Only its creator has its link.
        #expect(try await world.submit("/ledger/\(closing[1].payment)/pay", [:]).status == 409)
        #expect(try await world.call("payments/\(closing[1].payment)/pay", [:]).status == 409)
        // A buyer's page shows everybody the link, and its button leads here.
        #expect(shown.contains("Pay it") && shown.contains("12.50 USD"))
        let buyer = try await world.send(.get, "/buyer/\(closing[0].payment)").text
        let form = try #require(buyer.firstMatch(of: /action="([^"]+)"/)).output.1
        #expect(try await world.submit(String(form), [:]).status == 303)
        while try await world.send(.get, "/ledger/\(closing[0].payment)").text.contains("is paying.") {
            await Task.yield()
        }
        #expect(try await world.json("payments/\(closing[0].payment)")["outcome"] == "succeeded")
    }

    @Test("A filter finds payments by service, scenario, name and state")
    func filter() async throws {
        let world = HomeWorld()
        for scenario in ["citcon/wechatpay", "citcon/expired", "payrails/paid"] {
            _ = try await world.submit("/scenarios", ["make": scenario, "amount": "", "currency": ""])
        }
        for (filter, count) in [("citcon", 2), ("EXPIRED", 1), ("paid", 1), ("kaffeehaus", 3), ("nothing", 0), ("", 3)]
        {
            let page = try await world.send(.get, "/ledger?filter=\(filter)").text
            #expect(page.components(separatedBy: "<tr data-payment=").count - 1 == count, "\(filter)")
        }
    }

    @Test("Only whole pages, known methods and known forms are answered")
    func unknown() async throws {
        let world = HomeWorld()
        #expect(try await world.send(.get, "/playground/x").status == 404)
        #expect(try await world.send(.put, "/scenarios").status == 405)
        #expect(try await world.submit("/", [:]).status == 405)
        #expect(try await world.submit("/ledger", ["minutes": "-5"]).status == 400)
        #expect(try await world.submit("/ledger", ["minutes": "99999999999999999999"]).status == 400)
        let icon = try await world.send(.get, "/favicon.ico")
        #expect(icon.status == 200 && icon.headers["Content-Type"] == "image/svg+xml")
        #expect(try await world.send(.get, "/health").text == #"{"status":"ok"}"#)
        // None of this is a request to a service.
        #expect(try await world.json("log")["events"]?.array == [])
        let plain = try await world.send(
            .post, "/scenarios", ["Content-Type": "text/plain"], body: "make=citcon/wechatpay")
        #expect(plain.status == 415)
    }

    @Test(
        "Texts are made from fields",
        arguments: [
            (
                ["build": "bitcoin", "address": "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "amount": "0.5"],
                "bitcoin:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ?amount=0.5"
            ),
            (
                ["build": "epc", "name": "Red Cross", "iban": "DE89 3704 0044 0532 0130 00", "amount": "12.5"],
                "EUR12.50"
            ),
            (
                ["build": "payto", "iban": "DE89370400440532013000", "amount": "3", "currency": "EUR"],
                "payto://iban/DE89370400440532013000?amount=EUR:3"
            ),
            (
                ["build": "ethereum", "address": "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "amount": "2.014"],
                "value=2014000000000000000"
            ),
            (["build": "upi", "address": "shop@bank", "name": "Shop", "amount": "10"], "upi://pay?pa=shop@bank"),
        ] as [([String: String], String)])
    func builders(_ items: [String: String], _ part: String) async throws {
        let (text, problem) = TextBuilder.text(items["build"] ?? "", items)
        #expect(problem == nil)
        #expect(text?.lowercased().contains(part.lowercased()) == true, "\(text ?? "-")")
        let (_, wrong) = TextBuilder.text(items["build"] ?? "", items.merging(["amount": "1.2.3"]) { $1 })
        #expect(wrong != nil)
        #expect(TextBuilder.text(items["build"] ?? "", [:]).problem?.hasSuffix("is missing.") == true)
        let world = HomeWorld()
        let page = try await world.send(
            .post, "/playground", ["Content-Type": "application/x-www-form-urlencoded"],
            body: items.map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&"))
        #expect(page.status == 200 && page.text.contains("id=\"result\""))
    }
}
