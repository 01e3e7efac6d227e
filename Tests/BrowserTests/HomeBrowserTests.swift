import Foundation
import PaymentCore
import PaymentTransport
import TestSupport
import Testing
import WalletConnectPaySandbox

/// The sandbox's home in a real browser.
@Suite(.enabled(if: Browser.isWanted, "needs Chromium and its driver; run `make browser-test`"), .serialized)
struct HomeBrowserTests {
    /// Texts of every kind; the command line states what each is.
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
            try await browser.sees("Open", in: row)
            _ = try await browser.call("/_sandbox/payments/\(id)/pay", [:])
            try await browser.sees("Paid", in: row)
            try await browser.sees("12.50 USD", in: "tr[data-payment='\(id)']")
            try await browser.sees("Pays 12.5 USDC", in: "#log")
            #expect(try await driver.run("return window.marker") == 1, "the page was not loaded again")
            try await browser.shoot("home-ledger")
            // By the buttons, as users do.
            try await browser.open("/scenarios")
            try await browser.shoot("home-scenarios")
            try await browser.scenario("citcon/wechatpay", "pay")
            try await browser.sees("succeeded", in: "#outcome")
            try await browser.sees("Paid", in: ".words")
            try await browser.shoot("home-payment")
        }
    }

    @Test("A shop's checkout is opened from the scenarios, and pays")
    func checkout() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await browser.scenario("payrails/paid", "open")
            try await browser.sees("no money moves", in: "body")
            try await browser.shoot("home-checkout")
            // The payer's default card is chosen already.
            try await driver.click(try await driver.find(".row:has(input:checked) button.pay"))
            try await browser.sees("Receipt", in: "main")
            #expect(try await driver.count("a.back") == 1)
            try await browser.open("/ledger")
            try await browser.sees("Paid", in: "#payments .words")
            // The buttons of a wallet's page have distinct names.
            try await browser.scenario("citcon/toss", "open")
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

    @Test("Opening a WalletConnect payment shows a code and a simulated wallet, which pays; nothing leads elsewhere")
    func buyer() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await browser.scenario("walletconnect-pay/paid-at-once", "open")
            // The press returns when the form is sent. The page may come later.
            _ = try await driver.find("img.qr")
            #expect(try await driver.url.hasPrefix(browser.base + "/buyer/"))
            let drawn = try await driver.run(
                "const code = document.querySelector(\"img.qr\"); return code.complete && code.naturalWidth > 0")
            #expect(drawn == true)
            let goals = try await driver.run(
                "return [...document.querySelectorAll(\"a,form\")].every((one) => (one.href || one.action).startsWith(location.origin))"
            )
            #expect(goals == true)
            try await browser.shoot("home-buyer")
            try await browser.press("button.primary")
            try await browser.sees("succeeded", in: "#outcome")
        }
    }

    @Test("One button of the home page makes a payment and pays it; the page shows it by itself")
    func first() async throws {
        try await HomeBrowser.visit { browser in
            try await browser.open("/")
            try await browser.sees("None yet", in: "#payments")
            try await browser.press("button[name=pay]")
            try await browser.sees("succeeded", in: "#outcome")
            try await browser.open("/")
            try await browser.sees("live", in: "#live")
            try await browser.sees("Paid", in: "#payments")
            let id = try await browser.make("payrails", "paid")
            try await browser.sees("Open", in: "#payments tr[data-payment='\(id)']")
            try await browser.shoot("home")
            // An unknown address has one page, with a way back.
            try await browser.open("/nope")
            try await browser.sees("Not found", in: "h1")
            try await browser.shoot("home-missing")
            try await browser.press("main a[href='/']")
            try await browser.sees("Payments that move no money", in: "h1")
        }
    }

    @Test("An injected fault loses an answer, and the payment is paid once all the same")
    func fault() async throws {
        try await HomeBrowser.visit { browser in
            let id = try await browser.make("walletconnect-pay", "paid-after-polling")
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

    @Test("A payment that met a fault ends as its page says")
    func faults() async throws {
        try await HomeBrowser.visit { browser in
            let ends = [
                ("drop-before", "unknown", 0), ("status-500", "unknown", 0), ("garbage", "unknown", 0),
                ("slow", "succeeded", 1),
            ]
            try await withThrowingTaskGroup { group in
                for (kind, outcome, captures) in ends {
                    group.addTask {
                        let id = try await browser.make("walletconnect-pay", "paid-after-polling")
                        _ = try await browser.call(
                            "/_sandbox/faults", ["kind": .string(kind), "payment": .string(id), "path": "/confirm"])
                        let paid = try await browser.call("/_sandbox/payments/\(id)/pay", [:])
                        #expect(paid["outcome"]?.string == outcome, "\(kind): \(paid.text)")
                        #expect(paid["events"]?.array?.count { $0 == "captured" } == captures, "\(kind)")
                    }
                }
                try await group.waitForAll()
            }
            // The page of a payment states its outcome beforehand.
            try await browser.open("/ledger/\(try await browser.make("citcon", "wechatpay"))")
            try await browser.sees("unknown until the service says that nothing was taken", in: "details")
        }
    }

    @Test("A scenario's link and QR code stand in its row, by the keyboard, and without scripts")
    func row() async throws {
        for scripts in [true, false] {
            try await HomeBrowser.visit(scripts: scripts) { browser in
                let driver = browser.driver
                if scripts {
                    try await browser.open("/scenarios?search=walletconnect-pay/paid-at-once")
                    try await browser.tab(to: ".more summary")
                    try await driver.press(Key.enter)
                    try await browser.tab(to: "button[name=link]")
                    try await driver.press(Key.enter)
                } else {
                    try await browser.scenario("walletconnect-pay/paid-at-once", "link")
                }
                _ = try await driver.find("#shown .qr.small svg")
                let link = try await driver.text(of: try await driver.find("#shown pre"))
                #expect(link.hasPrefix("https://pay.walletconnect.com/"))
                let copy = try await driver.find("#shown [data-copy]")
                #expect(try await driver.isShown(copy) == scripts)
                if scripts { try await browser.shoot("home-scenario-link") }
                // Small here, large by a click.
                try await browser.press("#shown .qr.small")
                #expect(try await driver.url.contains("/_sandbox/qr.svg?payment="))
            }
        }
    }

    @Test("A picture of a code is read without the browser's help")
    func picture() async throws {
        let folder = ScratchFolder()
        let file = folder.path + "/code.png"
        let drawn = try Program(["qr", "pay_1", "-o", file])
        #expect(await drawn.end().code == 0)
        try await HomeBrowser.visit(scripts: false) { browser in
            try await browser.open("/playground")
            try await browser.driver.type(file, into: try await browser.driver.find("#image"))
            try await browser.press("form[enctype] button")
            let told = try await browser.driver.text(of: try await browser.driver.find("#result"))
            #expect(told.hasPrefix("WalletConnect Pay payment link") && told.contains("matched"))
            #expect(told.contains("pay_1"))
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
            try await browser.sees("Open", in: "tr[data-payment='\(id)'] .words")
        }
    }

    @Test("The keyboard alone is enough")
    func keyboard() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await browser.open("/")
            try await browser.tab(to: "nav a[href='/playground']")
            try await driver.press(Key.enter)
            try await browser.tab(to: "#text")
            try await driver.press("pay_1".map(String.init))
            try await browser.tab(to: "#read button.primary")
            try await driver.press(Key.enter)
            try await browser.sees("matched", in: "#decision")
            try await browser.open("/scenarios?search=citcon/wechatpay")
            try await browser.tab(to: ".more summary")
            try await driver.press(Key.enter)
            try await browser.tab(to: "button[name=make]")
            // The focused element shows its focus.
            #expect(
                try await driver.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid")
            try await driver.press(Key.enter)
            try await browser.tab(to: "form[action$='/pay'] button")
            try await driver.press(Key.enter)
            try await browser.sees("succeeded", in: "#outcome")
        }
    }
}
