import PaymentCore
import PayrailsSandbox
import TestSupport
import Testing

/// The pages of payers, and the payers that answer them.
@Suite struct PayrailsPageTests {
    enum Way: String, CaseIterable {
        case challenge, payPal, redirect

        func open(_ world: PayrailsWorld) async throws -> (PayrailsClient, JSONValue) {
            let client = try await world.open(self == .challenge ? .challenge : .paid)
            switch self {
            case .challenge: return (client, try client.stored())
            case .payPal: return (client, client.newPayPal)
            case .redirect: return (client, client.redirect)
            }
        }
    }

    @Test("Pages that payers complete", arguments: Wire.allCases, Way.allCases)
    func completing(_ wire: Wire, _ way: Way) async throws {
        let world = try PayrailsWorld().on(wire)
        let (client, body) = try await way.open(world)
        #expect(try await client.pay(body, world.payer(.completes)) == .paid)
        #expect(await client.captures() == 1)
        #expect(try await client.read()["actionRequired"] == nil)
    }

    @Test(
        "Pages that payers do not complete", arguments: Way.allCases,
        [PayrailsSandbox.PayerBehaviour.fails, .cancels, .leaves])
    func notCompleting(_ way: Way, _ behaviour: PayrailsSandbox.PayerBehaviour) async throws {
        let world = PayrailsWorld()
        let (client, body) = try await way.open(world)
        let isRefused = way != .payPal && behaviour != .leaves
        #expect(try await client.pay(body, world.payer(behaviour)) == (isRefused ? .declined : .unknown))
        world.clock.advance(by: .seconds(600))
        #expect(await client.captures() == 0)
        if isRefused {
            let reason = behaviour == .fails ? "PayerAuthenticationFailed" : "PayerCanceled"
            #expect(try await client.poll(terminalWins: true) == .failed(reason))
        }
        // The order is still there to be paid.
        #expect(try await client.pay(try client.stored("payPal"), world.payer(.completes)) == .paid)
        #expect(await client.captures() == 1)
    }

    @Test(
        "Pages lead back",
        arguments: [
            (PayrailsSandbox.PayerBehaviour.completes, "success"), (.fails, "error"), (.cancels, "cancel"),
        ])
    func pagesLeadBack(_ behaviour: PayrailsSandbox.PayerBehaviour, _ name: String) async throws {
        let (world, client) = try await PayrailsWorld.opened(.challenge)
        _ = try await client.authorize(try client.stored())
        let page = try #require(try await client.read()["links"]?["3ds"]?.string)
        let urls = ["success", "cancel", "error"].map { "https://assets.payrails.io/html/payrails-\($0).html" }
        let browser = try #require(world.payer(behaviour).browser)
        let request = PageRequest(url: try HTTPURL(page), returnURLs: urls)
        #expect(try await browser(request)?.text == "https://assets.payrails.io/html/payrails-\(name).html")
        // A late payer is redirected.
        #expect(try await browser(request)?.text == urls[0])
        #expect(try await browser(PageRequest(url: try HTTPURL(page))) == nil)
    }

    @Test("The waiting page sends payers on")
    func waitingPageSendsPayersOn() async throws {
        let (world, client) = try await PayrailsWorld.opened(.challenge)
        let wait = try #require(
            try await client.authorize(try client.stored()).json["links"]?["consumerWait"]?.string)
        let request = PageRequest(
            url: try HTTPURL(wait), returnURLs: ["https://assets.payrails.io/html/payrails-success.html"])
        #expect(try await world.payer(.completes).browser?(request) != nil)
        #expect(await client.captures() == 1)
        #expect(try await world.payer(.completes).browser?(request) != nil)
        let slow = try await world.open(.slowSettlement)
        let other = try #require(
            try await slow.authorize(try slow.stored()).json["links"]?["consumerWait"]?.string)
        let page = try await world.send(.get, other)
        #expect(page.status == 200 && page.text.contains("http-equiv=\"refresh\""))
    }

    @Test("Pages are for the payers who were sent there")
    func pagesAreForThoseWhoWereSent() async throws {
        let (world, client) = try await PayrailsWorld.opened(.challenge)
        _ = try await client.authorize(try client.stored())
        let page = try #require(try await client.read()["links"]?["3ds"]?.string)
        #expect(try await world.send(.get, String(page.dropLast()) + "x").status == 404)
        #expect(try await world.send(.get, world.origin + "/agreements/approve?ba_token=BA-1").status == 404)
        let empty = try await world.send(.post, page, headers: [])
        #expect(empty.failure == "400 request.param.missing")
        let shown = try await world.send(.get, page)
        let policy = try #require(shown.headers["Content-Security-Policy"])
        #expect(policy.contains("form-action 'self' https://assets.payrails.io;"))
        #expect(policy.hasPrefix("default-src 'none'"))
        #expect(!shown.text.contains("<script"))
    }

    @Test("Return URLs may have their own scheme")
    func returnURLsMayHaveTheirOwnScheme() async throws {
        let (world, client) = try await PayrailsWorld.opened(.challenge)
        var body = try client.stored()
        body["returnInfo"] = ["success": "myshop:paid?order=1"]
        _ = try await client.authorize(body)
        let page = try #require(try await client.read()["links"]?["3ds"]?.string)
        #expect(try await world.send(.get, page).headers["Content-Security-Policy"]?.contains(" myshop:;") == true)
        let request = PageRequest(url: try HTTPURL(page), returnURLs: ["myshop:paid"])
        #expect(try await world.payer(.cancels).browser?(request)?.text == "myshop:paid?order=1")
    }

    @Test("PayPal confirms only what was agreed")
    func payPalConfirmsOnlyWhatWasAgreed() async throws {
        let (world, client) = try await PayrailsWorld.opened()
        _ = try await client.authorize(client.newPayPal)
        let execution = try await client.read()
        #expect(execution["actionRequired"] == "redirect")
        let confirm = try #require(execution["links"]?["confirm"])
        let href = try #require(confirm["href"]?.string)
        let order = try #require(confirm["action"]?["parameters"]?["orderId"])
        let early = try await client.send(.post, href, ["data": ["orderId": order, "payerId": ""]])
        #expect(early.failure == "409 workflow.action.not-allowed")
        let page = try #require(confirm["action"]?["redirectUrl"]?.string)
        let request = PageRequest(
            url: try HTTPURL(page), returnURLs: ["https://assets.payrails.io/html/payrails-success.html"])
        let link = try #require(try await world.payer(.completes).browser?(request))
        #expect(Set(QueryItems(link.query ?? "").map(\.name)) == ["token", "ba_token", "PayerID"])
        let foreign = try await client.send(.post, href, ["data": ["orderId": "EC-OTHER", "payerId": ""]])
        #expect(foreign.failure == "422 request.param.invalid")
        #expect(await client.captures() == 0)
        let good = try await client.send(.post, href, ["data": ["orderId": order, "payerId": ""]])
        #expect(good.status == 202 && good.json["name"] == "confirm")
        #expect(await client.captures() == 1)
        let again = try await client.send(.post, href, ["data": ["orderId": order, "payerId": ""]])
        #expect(again.failure == "409 workflow.action.not-allowed")
    }

    @Test("Return pages", arguments: ["success", "cancel", "error", "pending"])
    func returnPages(_ name: String) async throws {
        let world = PayrailsWorld()
        #expect(try await world.send(.get, "/html/payrails-\(name).html").status == 200)
        #expect(try await world.send(.get, "/html/other.html").status == 404)
    }
}
