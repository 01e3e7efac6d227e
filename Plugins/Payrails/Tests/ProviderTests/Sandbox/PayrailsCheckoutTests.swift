import PaymentCore
import PaymentTesting
import PayrailsSandbox
import TestSupport
import Testing

/// The shop in front of the sandbox, for a browser without scripts.
@Suite struct PayrailsCheckoutTests {
    private static let origin = "http://127.0.0.1:8080"

    /// A shop and a browser's state of its page.
    private struct Shopper {
        let sandbox = PayrailsSandbox()
        let shop: PayrailsCheckout
        let session: PayrailsSandbox.Session

        init(_ scenario: PayrailsScenario = .paid) async throws {
            shop = PayrailsCheckout(sandbox)
            session = await sandbox.createSession(scenario, base: try HTTPURL(origin))
        }

        var path: String { "/checkout/\(session.id)" }

        func send(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") async throws -> PayAnswer {
            let request = HTTPRequest(
                method, try HTTPURL(path.hasPrefix("/") ? origin + path : path),
                headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(body.utf8))
            return PayAnswer(await shop.respond(to: request))
        }

        func page() async throws -> PayAnswer { try await send(.get, path) }

        /// The value of the page's hidden field called `name`.
        func field(_ name: String) async throws -> String {
            let html = try await page().text
            return try String(
                #require(html.firstMatch(of: try Regex("name=\"\(name)\" value=\"([^\"]*)\"")))[1].substring ?? "")
        }

        func act(_ fields: String) async throws -> PayAnswer {
            let attempt = try? await field("attempt")
            let body = "token=\(try await field("token"))&\(fields)" + (attempt.map { "&attempt=\($0)" } ?? "")
            return try await send(.post, path, body)
        }

        func payStored() async throws -> PayAnswer {
            let id = try await field("instrument")
            return try await act("action=pay&instrument=\(id)&pay=\(id)")
        }

        func captures() async -> Int { await sandbox.ledger.captures(of: session.id) }
    }

    @Test("Pays and says so")
    func paysAndSaysSo() async throws {
        let shopper = try await Shopper()
        let page = try await shopper.page()
        #expect(page.status == 200 && page.text.contains("99.00 EUR"))
        #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let answer = try await shopper.payStored()
        #expect(answer.status == 303 && answer.headers["Location"] == shopper.path)
        #expect(try await shopper.page().text.contains("Payment completed."))
        #expect(await shopper.captures() == 1)
    }

    @Test("The same form twice pays once")
    func sameFormTwicePaysOnce() async throws {
        let shopper = try await Shopper()
        let (id, token) = (try await shopper.field("instrument"), try await shopper.field("token"))
        let body = "token=\(token)&action=pay&instrument=\(id)&pay=\(id)&attempt=1"
        for _ in 0..<3 { #expect(try await shopper.send(.post, shopper.path, body).status == 303) }
        #expect(await shopper.captures() == 1)
        #expect(await shopper.sandbox.ledger.confirmRequests(of: shopper.session.id) == 1)
    }

    @Test("Only the page's own forms count")
    func onlyThePagesOwnFormsCount() async throws {
        let shopper = try await Shopper()
        let id = try await shopper.field("instrument")
        let foreign = "token=\(String(repeating: "0", count: 32))&action=pay&instrument=\(id)&pay=\(id)&attempt=1"
        #expect(try await shopper.send(.post, shopper.path, foreign).status == 403)
        #expect(try await shopper.send(.post, shopper.path, "nonsense").status == 400)
        #expect(try await shopper.send(.get, "/checkout/nothing").status == 404)
        #expect(try await shopper.send(.put, shopper.path).status == 405)
        #expect(try await shopper.send(.get, shopper.path + "/other/success").status == 404)
        #expect(await shopper.captures() == 0)
    }

    @Test(
        "Challenges",
        arguments: [
            (PayrailsSandbox.PayerBehaviour.completes, "Payment completed."), (.fails, "class=\"problem\""),
            (.cancels, "class=\"problem\""),
        ])
    func challenges(_ behaviour: PayrailsSandbox.PayerBehaviour, _ told: String) async throws {
        let shopper = try await Shopper(.challenge)
        _ = try await shopper.payStored()
        let page = try await shopper.page().text
        let link = try #require(page.firstMatch(of: /class="open" href="([^"]*)"/)?.output.1)
        let urls = ["success", "cancel", "error"].map { Self.origin + shopper.path + "/return/\($0)" }
        let request = PageRequest(url: try HTTPURL(String(link)), returnURLs: urls)
        let back = try #require(try await shopper.sandbox.payer(behaviour).browser?(request))
        let answer = try await shopper.send(.get, back.text)
        #expect(answer.status == 303 && answer.headers["Location"] == shopper.path)
        let result = try await shopper.page().text
        #expect(result.contains(told) && !result.contains("class=\"open\""))
        #expect(await shopper.captures() == (behaviour == .completes ? 1 : 0))
    }

    @Test("Deletes after asking")
    func deletesAfterAsking() async throws {
        let shopper = try await Shopper()
        let id = try await shopper.field("instrument")
        let count = { await shopper.sandbox.storedInstruments(of: shopper.session.holder).count }
        _ = try await shopper.act("action=delete-confirm&instrument=\(id)")
        #expect(await count() == 3)
        _ = try await shopper.act("action=delete&instrument=\(id)")
        #expect(await count() == 3)
        _ = try await shopper.act("action=delete-confirm&instrument=\(id)")
        #expect(await count() == 2)
    }

    @Test("Sessions are made by scenario")
    func sessionsAreMadeByScenario() async throws {
        let shopper = try await Shopper()
        let list = try await shopper.send(.get, "/checkout").text
        for scenario in PayrailsScenario.allCases {
            #expect(list.contains("href=\"/checkout?scenario=\(scenario.rawValue)\""))
        }
        let made = try await shopper.send(.get, "/checkout?scenario=declined&holder=ada%20l")
        let location = try #require(made.headers["Location"])
        #expect(made.status == 303 && location.hasPrefix("/checkout/") && location != shopper.path)
        #expect(try await shopper.send(.get, location).status == 200)
        #expect(await shopper.sandbox.storedInstruments(of: "ada l").count == 3)
        #expect(try await shopper.send(.get, "/checkout?scenario=nonsense").status == 404)
        // Everything else is the sandbox's.
        #expect(try await shopper.send(.get, "/html/payrails-success.html").status == 200)
    }
}
