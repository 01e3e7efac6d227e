import CitconSandbox
import Foundation
import PaymentCore
import TestSupport
import Testing

/// The payment pages.
@Suite struct CitconPageTests {
    private func page(_ world: CitconWorld, _ order: JSONValue) async throws -> (url: HTTPURL, id: String) {
        let answer = try await world.call("charges", order)
        let id = try #require(answer.json["data"]?["id"]?.string)
        return (try HTTPURL(try #require(answer.content)), id)
    }

    private func open(_ world: CitconWorld, _ url: HTTPURL) async throws -> SeenPage {
        SeenPage(answer: try await world.send(HTTPRequest(.get, url)))
    }

    private func press(
        _ world: CitconWorld, _ url: HTTPURL, _ body: String, type: String = "application/x-www-form-urlencoded"
    ) async throws -> PayAnswer {
        try await world.send(HTTPRequest(.post, url, headers: ["Content-Type": type], body: Array(body.utf8)))
    }

    @Test("Asks with buttons and nothing else", arguments: Wire.allCases)
    func asksWithButtonsAndNothingElse(_ wire: Wire) async throws {
        let world = try CitconWorld().on(wire)
        let (url, _) = try await page(world, CitconWorld.order("r", clients: ["mobile_browser"]))
        let page = try await open(world, url)
        #expect(page.answer.status == 200)
        #expect(page.html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
        #expect(page.structure.count { $0 == "<h1>" } == 1)
        #expect(page.structure.count { $0.hasPrefix("<button ") } == 3)
        // One of them is the usual choice; all are distinct.
        #expect(page.html.firstMatch(of: /<button class="primary"[^>]* value="pay">/) != nil)
        #expect(page.html.firstMatch(of: /<button class="danger"[^>]* value="fail">/) != nil)
        #expect(page.html.contains(">Pay 1.00 USD</button>"))
        #expect(!page.html.contains("<script"))
        let policy = try #require(page.answer.headers["Content-Security-Policy"])
        #expect(policy.hasPrefix("default-src 'none';") && policy.contains("form-action 'self' https:;"))
        #expect(page.answer.headers["X-Frame-Options"] == "DENY")
    }

    @Test("Leads back to the shop", arguments: Wire.allCases, ["pay", "cancel", "fail"])
    func leadsBackToTheShop(_ wire: Wire, _ act: String) async throws {
        let world = try CitconWorld().on(wire)
        let (url, id) = try await page(world, CitconWorld.order("r", clients: ["mobile_browser"]))
        let answer = try await press(world, url, "act=\(act)")
        let ends = ["pay": ("paid", "succeeded"), "cancel": ("cancelled", "canceled"), "fail": ("failed", "failed")]
        let (place, state) = try #require(ends[act])
        #expect(answer.status == 303)
        #expect(answer.headers["Location"] == "https://shop.example/\(place)")
        #expect(try await world.state(id) == state)
        // Pressed once more, in an old tab: nothing happens, and the way back is that of the first outcome.
        for other in ["pay", "cancel", "fail"] {
            #expect(try await press(world, url, "act=\(other)").headers["Location"] == answer.headers["Location"])
        }
        #expect(try await world.state(id) == state)
        #expect(await world.captures(id) == (act == "pay" ? 1 : 0))
        let ending = try await open(world, url)
        #expect(ending.html.contains("<a href=\"https://shop.example/\(place)\""))
        #expect(!ending.html.contains("<button"))
    }

    @Test("Buttons of old pages do nothing")
    func buttonsOfOldPagesDoNothing() async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r", clients: ["mobile_browser"])
        order["transaction"]?["auto_capture"] = false
        let (url, id) = try await page(world, order)
        for act in ["pay", "cancel", "fail"] {
            let answer = try await press(world, url, "act=\(act)")
            #expect(answer.headers["Location"] == "https://shop.example/paid")
            #expect(try await world.state(id) == "authorized")
        }
    }

    @Test("Apps are reached by their scheme")
    func appsAreReachedByTheirScheme() async throws {
        let (world, charge) = await CitconWorld.charged(.toss)
        let body: JSONValue = ["payment": ["method": "toss", "client": ["mobile_native"]]]
        let url = try HTTPURL(try #require(try await world.call("charges/\(charge.token)", body).content))
        let policy = try await open(world, url).answer.headers["Content-Security-Policy"]
        #expect(policy?.contains("form-action 'self' com.citcon.citconpay:;") == true)
        #expect(try await press(world, url, "act=pay").headers["Location"] == "com.citcon.citconpay://")
    }

    @Test("Without a way back, the page says how it ended")
    func withoutAWayBackThePageSaysHowItEnded() async throws {
        let world = CitconWorld()
        var order = CitconWorld.order("r", clients: ["mobile_browser"])
        order["urls"] = [:]
        let (url, _) = try await page(world, order)
        let answer = try await press(world, url, "act=pay")
        #expect(answer.status == 200 && answer.headers["Location"] == nil)
        #expect(answer.text.contains(">Paid</h1>") && answer.text.contains("You can close this page."))
    }

    /// A merchant's texts appear in the page as text.
    @Test("Shows untrusted text as text")
    func showsUntrustedTextAsText() async throws {
        let evil = #""><script>alert(1)</script>&'\#u{0}\#u{7F}"#
        let world = CitconWorld { $0.merchant = evil }
        let (url, _) = try await page(world, CitconWorld.order(evil, clients: ["mobile_browser"]))
        let seen = try await open(world, url)
        #expect(!seen.html.contains("<script"))
        #expect(seen.html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"))
        #expect(seen.structure.count { $0 == "<dd>" } == 6)
        var order = CitconWorld.order("r2", clients: ["mobile_browser"])
        order["urls"]?["success"] = #"https://shop.example/?a='b&c=%22%3E"#
        let second = try await page(world, order).url
        _ = try await press(world, second, "act=pay")
        #expect(try await open(world, second).html.contains(#"href="https://shop.example/?a=&#39;b&amp;c=%22%3E""#))
    }

    @Test("Refuses broken forms")
    func refusesBrokenForms() async throws {
        let world = CitconWorld()
        let (url, id) = try await page(world, CitconWorld.order("r", clients: ["mobile_browser"]))
        for body in ["", "act=steal", "act=pay&act=cancel", "act=%", "act"] {
            #expect(try await press(world, url, body).status == 400)
        }
        #expect(try await press(world, url, "act=pay", type: "application/json").status == 400)
        #expect(try await world.state(id) == "initiated")
        let unknown = try HTTPURL("https://landing.uat01.citconpay.com/v1/landing/\(id)")
        #expect(try await open(world, unknown).answer.status == 404)
        #expect(try await press(world, unknown, "act=pay").status == 404)
    }

    @Test("Codes lead to pages for another device")
    func codesLeadToPagesForAnotherDevice() async throws {
        let (world, charge) = await CitconWorld.charged(.payNow)
        let body: JSONValue = ["payment": ["method": "paynow", "client": ["mobile_native"]]]
        let answer = try await world.call("charges/\(charge.token)", body)
        #expect(answer.entries == ["mobile_native/redirect", "mobile_native/qr"])
        let text = try #require(answer.json["data"]?["payment"]?["client"]?[1]?["content"]?.string)
        #expect(text.contains("/v1/qr/"))
        #expect(try await open(world, try HTTPURL(text)).html.contains("<h1>Pay with another device</h1>"))
        let show = try #require(world.payer().codeDisplay)
        try await show(CodeRequest(text: Redacted(text)))
        #expect(try await world.state(charge.id) == "succeeded")
        await #expect(throws: PaymentError.self) { try await show(CodeRequest(text: Redacted("000201"))) }
    }
}
