import CitconSandbox
import PaymentCore
import PaymentTransport
import Testing
import WalletConnectPaySandbox

/// Every page of the sandbox, on any screen, with any input device, with unexpected texts and amounts.
@Suite(.enabled(if: Browser.isWanted, "needs Chromium and its driver; run `make browser-test`"), .serialized)
struct HomeAuditTests {
    /// The pages behind the buttons of a payment's page.
    private func pages(of id: String, _ browser: HomeBrowser) async throws -> [String] {
        try await browser.open("/ledger/\(id)")
        let links = try await browser.driver.run(
            "return [...document.querySelectorAll(\"a.button\")].map((one) => one.getAttribute(\"href\"))")
        return ["/ledger/\(id)"] + (links.array?.compactMap(\.string) ?? [])
    }

    /// Continues from a checkout to the bank's question, and returns its address.
    private func bank(of id: String, _ browser: HomeBrowser) async throws -> String {
        let driver = browser.driver
        try await browser.open("/checkout/\(id)")
        try await driver.click(try await driver.find(".row:has(#instrument-0) button.pay"))
        try await driver.click(try await driver.find("a.open"))
        _ = try await driver.find("button[value=complete]")
        return String(try await driver.url.dropFirst(browser.base.count))
    }

    @Test("Each page is accessible at any width, light and dark, and loads nothing from elsewhere")
    func audit() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await Axe.prepare(driver)
            var pages = [
                "/", "/ledger", "/ledger/none", "/nope", "/playground", "/playground?text=pay_1", "/checkout",
                "/scenarios", "/scenarios?search=citcon",
                "/sandbox/paykit/payees", "/sandbox/paykit/links",
            ]
            try await browser.open("/sandbox/paykit/links")
            try await browser.press("button.primary")
            try await browser.sees("No links yet.", in: "p.faint")
            pages.append(String(try await driver.url.dropFirst(browser.base.count)))
            for name in ["success", "cancel", "error", "pending"] { pages.append("/html/payrails-\(name).html") }
            for (service, scenario) in [
                ("walletconnect-pay", "paid-at-once"), ("walletconnect-pay", "data-collection"), ("citcon", "toss"),
                ("citcon", "paynow"), ("payrails", "paid"), ("payrails", "challenge"), ("paykit", "ready"),
            ] {
                let id = try await browser.make(service, scenario)
                let theirs = try await self.pages(of: id, browser)
                #expect(theirs.count > 1, "\(service) has pages")
                // The common pages of scenarios are checked once.
                pages += scenario == "data-collection" ? Array(theirs.suffix(1)) : theirs
                switch scenario {
                case "paid-at-once": _ = try await browser.call("/_sandbox/payments/\(id)/pay", [:])
                case "challenge": pages.append(try await bank(of: id, browser))
                case "ready":
                    // Each row's link is like this one.
                    pages.append("/scenarios?show=\(id)")
                    try await browser.open(theirs[1])
                    try await browser.press("button.primary")
                    try await browser.sees("Paid", in: "h1")
                    pages.append(String(try await driver.url.dropFirst(browser.base.count)))
                default: break
                }
            }
            for page in pages {
                for (width, isDark) in [
                    (320, false), (360, false), (360, true), (768, true), (1280, false), (1280, true),
                ] {
                    try await driver.look(width: width, isDark: isDark)
                    try await browser.open(page)
                    if width == 360 || width == 1280 {
                        let name = page.prefix(60).map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
                        try await browser.shoot("page\(name)-\(width)\(isDark ? "-dark" : "")")
                    }
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

    /// A session of Payrails as a merchant's server makes one.
    private func session(
        _ scenario: String, over amount: String, reference: String, _ browser: HomeBrowser
    ) async throws -> String {
        let access = try await browser.call(
            "/auth/token/sandbox-merchant", [:], headers: ["x-api-key": "sandbox-secret"])
        let made = try await browser.call(
            "/merchant/client/init",
            [
                "type": "dropIn", "holderReference": "holder-1", "merchantReference": .string(reference),
                "amount": ["value": .string(amount), "currency": "EUR"],
                "meta": ["sandboxScenario": .string(scenario)],
            ],
            headers: [
                "Authorization": "Bearer \(access["access_token"]?.string ?? "")",
                "x-idempotency-key": "key of \(amount)",
            ])
        let answer = try await StandardTransport().send(
            HTTPRequest(.get, try HTTPURL(browser.base + "/_sandbox/ledger?service=payrails")))
        let ledger = try JSONValue(parsing: answer.body)["ledger"]?.array ?? []
        return try #require(ledger.last?["payment"]?.string, "\(made.text.prefix(300))")
    }

    /// Returns a decimal number as a browser in English shows it.
    private static func grouped(_ decimal: String) -> String {
        let parts = decimal.split(separator: ".")
        let digits = Array(parts[0])
        let whole = digits.indices.map {
            (digits.count - $0).isMultiple(of: 3) && $0 > 0 ? ",\(digits[$0])" : "\(digits[$0])"
        }
        return whole.joined() + "." + parts[1]
    }

    @Test("Amounts of forty characters are shown in full or refused, and no page becomes wider than a phone")
    func amounts() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await Axe.prepare(driver)
            try await driver.look(width: 320)
            func fits(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
                let told = try await driver.run("return document.body.textContent.replace(/\\s/g, \"\")").string ?? ""
                #expect(told.contains(text), "\(text)", sourceLocation: sourceLocation)
                let problems = try await PageAudit.run(driver)
                #expect(problems.isEmpty, "\(problems)", sourceLocation: sourceLocation)
            }
            // The longest amount that Payrails accepts here has forty characters with its currency.
            let amount = String(repeating: "9", count: 33) + ".99"
            let id = try await session("challenge", over: amount, reference: "large-1", browser)
            for page in try await pages(of: id, browser) {
                try await browser.open(page)
                try await fits(Self.grouped(amount))
            }
            let bank = try await bank(of: id, browser)
            try await browser.open(bank)
            try await fits(Self.grouped(amount) + "EUR")
            try await browser.shoot("home-amount")
            try await browser.press("button[value=complete]")
            try await browser.sees("Payment completed.", in: "body")
            for page in ["/checkout/\(id)", "/ledger/\(id)"] {
                try await browser.open(page)
                try await fits(Self.grouped(amount))
            }
            // Another service counts to 19 digits.
            let made = try await browser.call(
                "/v1/payments",
                [
                    "referenceId": "ORDER-LARGE", "amount": ["unit": "iso4217/USD", "value": "18446744073709551615"],
                ],
                headers: [
                    "Api-Key": WalletConnectPaySandbox.testKey.reveal(), "Idempotency-Key": "ORDER-LARGE",
                    "Merchant-Id": WalletConnectPaySandbox.merchantID,
                ])
            let payment = try #require(made["paymentId"]?.string, "\(made.text)")
            try await browser.open("/buyer/\(payment)")
            try await fits("184,467,440,737,095,516.15USD")
            // A builder shows an invalid input; a form keeps a refused one for correction.
            let digits = String(repeating: "9", count: 40)
            try await browser.open(
                "/playground?text=solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN?amount=\(digits)")
            try await fits("amount" + digits)
            try await browser.open("/playground")
            try await driver.run("document.querySelectorAll(\"details\").forEach((one) => { one.open = true; })")
            try await driver.type("DE89370400440532013000", into: try await driver.find("#payto-iban"))
            try await driver.type(digits, into: try await driver.find("#payto-amount"))
            try await driver.press(Key.enter)
            try await browser.sees("digits before the", in: "[role=alert]")
            #expect(try await driver.property("value", of: try await driver.find("#payto-amount")).string == digits)
            try await fits("amount")
            try await browser.open("/scenarios")
            try await driver.type(digits, into: try await driver.find("#payrails-amount"))
            try await driver.press(Key.enter)
            try await browser.sees("The amount must be a number above zero", in: "[role=alert]")
            #expect(try await driver.property("value", of: try await driver.find("#payrails-amount")).string == digits)
            try await fits("atmost10000000000.00EUR")
        }
    }

    @Test("A payment whose texts are hostile is shown and paid, and its texts stay texts")
    func hostile() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            let name = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u{202E}\u{0} x"
            let id = try await session("challenge", over: "12.00", reference: name, browser)
            var seen = try await pages(of: id, browser)
            seen.append(try await bank(of: id, browser))
            for page in seen + ["/ledger", "/ledger?filter=" + PercentCoding.encode(name)] {
                try await browser.open(page)
                let found = try await driver.run(
                    "return [window.hacked ?? 0, document.querySelectorAll(\"img\").length, document.body.textContent.includes(\"\\u202E\")]"
                )
                #expect(found == [0, 0, false], "\(page)")
            }
            try await browser.open(seen.last ?? "")
            try await browser.sees("<script>window.hacked=1</script>", in: "dl")
            try await browser.press("button[value=complete]")
            try await browser.sees("Payment completed.", in: "body")
            try await browser.open("/ledger/\(id)")
            try await browser.sees("Paid", in: ".words")
        }
    }

    @Test("A hostile text that any service stores is text on each page, which stays as wide as a phone")
    func stored() async throws {
        try await HomeBrowser.visit { browser in
            let driver = browser.driver
            try await Axe.prepare(driver)
            try await driver.look(width: 320)
            let text =
                "</title></dd><script>window.hacked=1</script><img src=x onerror=window.hacked=1>'\"&"
                + String(repeating: "W", count: 60)
            let payrails = try await session("challenge", over: "12.00", reference: text, browser)
            let order = try await browser.call(
                "/v1/payments",
                [
                    // This service takes 35 plain characters.
                    "referenceId": .string(String(repeating: "W", count: 35)),
                    "amount": ["unit": "iso4217/USD", "value": "1250"],
                ],
                headers: [
                    "Api-Key": WalletConnectPaySandbox.testKey.reveal(), "Idempotency-Key": "STORED",
                    "Merchant-Id": WalletConnectPaySandbox.merchantID,
                ])
            let access = try await browser.call(
                "/v1/access-tokens", ["token_type": "server"],
                headers: ["Authorization": "Bearer \(CitconSandbox.privateKey.reveal())"])
            let charge = try await browser.call(
                "/v1/charges",
                [
                    "transaction": [
                        "reference": .string(text), "amount": 1250, "currency": "USD", "country": "US",
                        "auto_capture": true,
                    ], "payment": ["method": "alipay", "client": ["mobile_browser"]],
                    "urls": [:],
                ],
                headers: ["Authorization": "Bearer \(access["data"]?["access_token"]?.string ?? "")"])
            let ids = [
                payrails, try #require(order["paymentId"]?.string, "\(order.text)"),
                try #require(charge["data"]?["id"]?.string, "\(charge.text)"),
            ]
            var paths = [
                "/", "/ledger", "/ledger/" + PercentCoding.encode(text), "/nope/" + PercentCoding.encode(text),
            ]
            let query = PercentCoding.encode(text)
            paths += ["/ledger?filter=\(query)", "/scenarios?search=\(query)", "/playground?text=\(query)"]
            for id in ids { paths += try await pages(of: id, browser) }
            paths.append(try await bank(of: payrails, browser))
            var seen = 0
            for path in paths {
                try await browser.open(path)
                let found = try await driver.run(
                    "return [window.hacked ?? 0, document.querySelectorAll(\"main img:not(.qr)\").length, document.body.textContent.includes(\"window.hacked\")]"
                )
                #expect(found[0] == 0 && found[1] == 0, "\(path)")
                if found[2] == true { seen += 1 }
                let problems = try await PageAudit.run(driver)
                #expect(problems.isEmpty, "\(path): \(problems)")
            }
            #expect(seen >= 3, "the playground, the bank's page and the wallet's show it")
        }
    }
}
