import Foundation
import PaymentCore
import PaymentSandbox
import PaymentTransport
import TestSupport
import Testing

/// The sandbox as `payroute sandbox` serves it, and a browser at its home.
private struct HomeBrowser: Sendable {
    let driver: WebDriver
    let base: String

    static func visit(_ work: (HomeBrowser) async throws -> Void) async throws {
        let folder = ScratchFolder()
        let file = folder.path + "/ready.json"
        let program = try Program(["sandbox", "--port", "0", "--ready-file", file])
        for await line in program.lines where line == "Ctrl-C stops it." { break }
        let driver = try await WebDriver()
        do {
            while !FileManager.default.fileExists(atPath: file) { await Task.yield() }
            let ready = try JSONValue(parsing: Array(try Data(contentsOf: URL(filePath: file))))
            let browser = HomeBrowser(driver: driver, base: try #require(ready["url"]?.string))
            try await work(browser)
        } catch {
            await driver.quit()
            program.signal(SIGTERM)
            _ = await program.end()
            throw error
        }
        await driver.quit()
        program.signal(SIGTERM)
        #expect(await program.end().code == 0)
    }

    func open(_ path: String) async throws { try await driver.open(base + path) }

    /// Waits until the element that `selector` selects tells `text`.
    func sees(_ text: String, in selector: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var told = ""
        for _ in 0..<2000 {
            told =
                try await driver.run(
                    "return document.querySelector(arguments[0])?.textContent ?? \"\"", .string(selector)
                ).string ?? ""
            if told.contains(text) { return }
        }
        Issue.record("the page tells '\(told)' and not '\(text)'", sourceLocation: sourceLocation)
    }

    func press(_ selector: String) async throws { try await driver.click(try await driver.find(selector)) }

    /// What a program asks the interface.
    func call(_ path: String, _ body: JSONValue, headers: HTTPHeaders = [:]) async throws -> JSONValue {
        var headers = headers
        headers["Content-Type"] = "application/json"
        let answer = try await StandardTransport().send(
            HTTPRequest(.post, try HTTPURL(base + path), headers: headers, body: body.serialized()))
        return try JSONValue(parsing: answer.body)
    }

    func shoot(_ name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["PAYROUTE_SCREENSHOTS"] else { return }
        let url = URL(filePath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try await driver.screenshot().write(to: url.appending(path: name + ".png"))
    }
}

/// The sandbox's home in a real browser.
@Suite(.enabled(if: Browser.isWanted, "needs Chromium and its driver; run `make browser-test`"), .serialized)
struct HomeBrowserTests {
    /// Texts of every kind; what each is, the command line says.
    static let texts = [
        "https://pay.walletconnect.com/?pid=pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV", "https://pay.wct.me/7fA2ec",
        "pay_7fa2ecc101ARZ3NDEKTSV4RRFFQ69G5FAV", "http://pay.walletconnect.com/?pid=pay_1",
        "https://pay.walletconnect.com.evil.example/?pid=pay_1", "https://p\u{430}y.walletconnect.com/?pid=pay_1",
        "https://pay.walletconnect.com@evil.example/?pid=pay_1", "https://pay-walletconnect.com/?pid=pay_1",
        "wc:c4ef1cc5@2?relay-protocol=irn&symKey=b0487747", "https://example.com/checkout?order=42",
        "citcon:charge?token=62d5c1e0242011eda300f59379b812ce&method=wechatpay&reference=order-7&amount=1250&currency=USD&country=US&env=uat",
        "com.citcon.citconpay://safepay/?%7B%7D", "other.app://safepay/?%7B%7D",
        "https://assets.payrails.io/html/payrails-success.html", "payrails:session?version=1&data=e30",
        "bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.5", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdx", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
        "ethereum:0xfb6916095ca1df60bb79Ce92cE3Ea74c37c5d359?value=2.014e18",
        "0xfb6916095ca1df60bb79Ce92cE3Ea74c37c5d359", "solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=1",
        "payto://iban/DE89370400440532013000?amount=EUR:3", "DE89370400440532013000", "DE89370400440532013001",
        "upi://pay?pa=shop@bank&pn=Shop&am=10.00&cu=INR", "lightning:lnbc1", "litecoin:ltc1", "monero:4",
        "https://www.paypal.me/somebody/25EUR", "https://cash.app/$somebody", "https://revolut.me/somebody",
        "https://wise.com/pay/me/somebody", "https://buy.stripe.com/test_1", "tel:+4312345", "mailto:a@example.com",
        "00020101021226180014com.example.qr5204581253038405802US5911Coffee Cart6008New York6304947F",
        "two for the price of one!", "<script>alert(1)</script>", "javascript:alert(1)",
        "\u{202E}moc.elpmaxe//:sptth", "   ",
    ]

    @Test("Each of forty texts is what the command line says it is")
    func playground() async throws {
        try #require(Self.texts.count >= 40)
        let lines = Self.texts.map { JSONValue.string($0).text }.joined(separator: "\n") + "\n"
        let told = try Program(["inspect", "--json", "-"], input: Array(lines.utf8))
        var expected: [JSONValue] = []
        for await line in told.lines { expected.append(try JSONValue(parsing: Array(line.utf8))) }
        try #require(expected.count == Self.texts.count)
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            for (text, expected) in zip(Self.texts, expected) {
                try await browser.open("/playground")
                try await driver.run("document.getElementById(\"text\").value = arguments[0]", .string(text))
                try await browser.press("#read button.primary")
                try await browser.sees(try #require(expected["decision"]?.string), in: "#decision")
                let page = try await driver.text(of: try await driver.find("#result"))
                if let name = expected["provider"]?.string ?? expected["standard"]?.string {
                    #expect(page.contains(name), "\(text)")
                }
                if let trust = expected["trust"]?.string { #expect(page.contains(trust), "\(text)") }
                if text.hasPrefix("https://pay.walletconnect.com/") {
                    #expect(try await driver.count("#result .qr svg") == 1)
                    try await browser.shoot("home-playground")
                }
            }
            // A text of 8 KiB and control characters, by the form as a browser sends it.
            try await browser.open("/playground")
            try await driver.run(
                "document.getElementById(\"text\").value = \"<b>\".repeat(2730) + \"\\u0000\\u202E\"")
            try await browser.press("#read button.primary")
            try await browser.sees("rejected", in: "#decision")
            #expect(try await driver.count("#result b") == 0)
        }
    }

    @Test("A new payment is paid on its page, and the ledger changes without a reload")
    func pays() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await browser.open("/ledger")
            try await browser.sees("live", in: "#live")
            try await driver.run("window.marker = 1")
            let made = try await browser.call(
                "/_sandbox/payments", ["service": "walletconnect-pay", "scenario": "paid-at-once"])
            let id = try #require(made["id"]?.string)
            let row = "tr[data-payment='\(id)'] .words"
            try await browser.sees("created", in: row)
            _ = try await browser.call("/_sandbox/payments/\(id)/pay", [:])
            try await browser.sees("created, confirm requested, captured, settled", in: row)
            try await browser.sees("Pays 12.5 USDC", in: "#log")
            #expect(try await driver.run("return window.marker") == 1, "the page was not loaded again")
            try await browser.shoot("home-ledger")
            // By the buttons, as people do.
            try await browser.open("/scenarios")
            try await browser.shoot("home-scenarios")
            try await browser.press("button[name=pay][value='citcon/wechatpay']")
            try await browser.sees("succeeded", in: "#outcome")
            try await browser.sees("captured", in: ".words")
            try await browser.shoot("home-payment")
        }
    }

    @Test("A shop's checkout is opened from the scenarios, and pays")
    func checkout() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await browser.open("/scenarios")
            try await browser.press("button[name=open][value='payrails/paid']")
            try await browser.sees("no money moves", in: "body")
            try await driver.click(try await driver.find("label[for=instrument-0]"))
            try await driver.click(try await driver.find(".row:has(#instrument-0) button.pay"))
            try await browser.sees("Receipt", in: "main")
            #expect(try await driver.count("a.back") == 1)
            try await browser.open("/ledger")
            try await browser.sees("captured", in: "#payments .words")
            // The buttons of a wallet's page are told apart.
            try await browser.open("/scenarios")
            try await browser.press("button[name=open][value='citcon/toss']")
            _ = try await driver.find("button[value=fail]")
            let colours = try await driver.run(
                "return [...document.querySelectorAll(\"form button\")].map((one) => getComputedStyle(one).color + getComputedStyle(one).backgroundColor)"
            )
            #expect(Set(colours.array ?? []).count == 3)
            try await browser.shoot("home-wallet")
            try await browser.press("button[value=pay]")
            try await browser.sees("Paid", in: "h1")
        }
    }

    @Test("An injected fault loses an answer, and the payment is paid once all the same")
    func fault() async throws {
        try await HomeBrowser.visit { browser in
            let made = try await browser.call(
                "/_sandbox/payments", ["service": "walletconnect-pay", "scenario": "paid-after-polling"])
            let id = try #require(made["id"]?.string)
            _ = try await browser.call(
                "/_sandbox/faults", ["kind": "drop-after", "payment": .string(id), "path": "/confirm"])
            try await browser.open("/ledger/\(id)")
            try await browser.press("form[action$='/pay'] button")
            try await browser.sees("succeeded", in: "#outcome")
            try await browser.sees("fault: drop-after", in: "#log")
            let entry = try await StandardTransport().send(
                HTTPRequest(.get, try HTTPURL(browser.base + "/_sandbox/payments/\(id)")))
            let events = try JSONValue(parsing: entry.body)["events"]?.array ?? []
            #expect(events.count { $0 == "captured" } == 1)
        }
    }

    @Test("A payment that another program makes over HTTP appears by itself")
    func foreign() async throws {
        try await HomeBrowser.visit { browser in
            try await browser.open("/ledger")
            try await browser.sees("live", in: "#live")
            let made = try await browser.call(
                "/v1/payments", ["referenceId": "ORDER-77", "amount": ["unit": "iso4217/USD", "value": "1250"]],
                headers: [
                    "Api-Key": WalletConnectPaySandbox.testKey.reveal(), "Idempotency-Key": "ORDER-77",
                    "Merchant-Id": WalletConnectPaySandbox.merchantID,
                ])
            let id = try #require(made["paymentId"]?.string)
            try await browser.sees("created", in: "tr[data-payment='\(id)'] .words")
        }
    }

    @Test("The keyboard alone is enough")
    func keyboard() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            func tab(to selector: String) async throws {
                for _ in 0..<60 {
                    try await driver.press(Key.tab)
                    if try await driver.run("return document.activeElement.matches(arguments[0])", .string(selector))
                        == true
                    {
                        return
                    }
                }
                Issue.record("the keyboard does not reach \(selector)")
            }
            try await browser.open("/")
            try await tab(to: "nav a[href='/playground']")
            try await driver.press(Key.enter)
            try await tab(to: "#text")
            try await driver.press("pay_1".map(String.init))
            try await tab(to: "#read button.primary")
            try await driver.press(Key.enter)
            try await browser.sees("matched", in: "#decision")
            try await browser.open("/scenarios")
            try await tab(to: "button[name=make]")
            // What has the focus shows it.
            #expect(
                try await driver.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid")
            try await driver.press(Key.enter)
            try await tab(to: "form[action$='/pay'] button")
            try await driver.press(Key.enter)
            try await browser.sees("succeeded", in: "#outcome")
        }
    }

    @Test("Every page is for everybody, at any width, light and dark, and asks nobody else for anything")
    func audit() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await Axe.prepare(driver)
            var pages = ["/", "/scenarios", "/ledger", "/playground", "/playground?text=pay_1", "/checkout"]
            for name in ["success", "cancel", "error", "pending"] { pages.append("/html/payrails-\(name).html") }
            for (service, scenario) in [
                ("walletconnect-pay", "paid-at-once"), ("citcon", "toss"), ("citcon", "paynow"), ("payrails", "paid"),
            ] {
                let made = try await browser.call(
                    "/_sandbox/payments", ["service": .string(service), "scenario": .string(scenario)])
                let id = try #require(made["id"]?.string)
                pages.append("/ledger/\(id)")
                try await browser.open("/ledger/\(id)")
                let links = try await driver.run(
                    "return [...document.querySelectorAll(\"a.button\")].map((one) => one.getAttribute(\"href\"))")
                pages += links.array?.compactMap(\.string) ?? []
                if scenario == "paid-at-once" {
                    _ = try await browser.call("/_sandbox/payments/\(id)/pay", [:])
                }
            }
            for page in pages {
                for (width, isDark) in [(320, false), (768, true), (1280, false), (320, true)] {
                    try await driver.look(width: width, isDark: isDark)
                    try await browser.open(page)
                    let problems = try await PageAudit.run(driver)
                    #expect(problems.isEmpty, "\(page) at \(width) px\(isDark ? ", dark" : ""): \(problems)")
                }
                let loaded = try await driver.run(
                    """
                    const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
                    return [all.reduce((sum, one) => sum + (one.encodedBodySize || 0), 0),
                        all.every((one) => new URL(one.name).origin === location.origin)];
                    """)
                #expect((loaded[0]?.int64 ?? .max) < 100_000, "\(page)")
                #expect(loaded[1] == true, "\(page)")
            }
            try await driver.look(width: 320)
            try await browser.open("/")
            try await browser.shoot("home-phone")
            try await driver.look(width: 1280, isDark: true)
            try await browser.open("/")
            try await browser.shoot("home-dark")
        }
    }
}
