import CitconSandbox
import Foundation
import PaymentCore
import PaymentTesting
import SandboxSupport
import TestSupport
import Testing

@testable import SandboxHome

@Suite("Visits to the sandbox") struct HomeVisitTests {
    @Test(
        "An unknown address has one page for people, with a way home, and stays an answer for programs",
        arguments: ["/nope", "/checkout/none", "/buyer/none", "/ledger/none", "/v1/landing/none", "/scenarios/x/y"])
    func missing(_ path: String) async throws {
        let world = HomeWorld()
        let page = try await world.send(.get, path, ["Accept": "text/html,*/*;q=0.8"])
        #expect(page.status == 404 && page.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("href=\"/\"") && page.text.contains(PageStyle.banner))
        let answer = try await world.send(.get, path, ["Accept": "application/json"])
        #expect(answer.status >= 400)
        if !path.hasPrefix("/ledger"), !path.hasPrefix("/scenarios"), !path.hasPrefix("/v1/landing") {
            #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") != true)
        }
    }

    @Test("Each page that a person may open leads home, and none leads off the machine")
    func ways() async throws {
        let world = HomeWorld()
        var paths = HomeTests.rooms
        for service in world.home.services {
            paths += service.pages.map(\.path)
            for scenario in service.scenarios {
                guard let payment = await world.home.make(scenario.name, of: service.id, at: try HTTPURL(world.base))
                else { continue }
                paths += await service.pages(of: payment.id).map(\.path) + ["/ledger/\(payment.id)"]
            }
        }
        #expect(paths.count > 100)
        for path in paths {
            let page = try await world.send(.get, path, ["Accept": "text/html"])
            guard page.status == 200 else { continue }
            let goals = page.text.matches(of: /(?:href|action|src)="([^"]*)"/).map { String($0.output.1) }
            #expect(goals.contains("/") || goals.contains { $0.hasSuffix("/checkout") }, "\(path)")
            for goal in goals where !goal.hasPrefix("/") && !goal.hasPrefix("#") && !goal.hasPrefix(world.base) {
                // The form for a payer's data has the links of the one that it imitates.
                #expect(path.hasPrefix("/collect/") && goal.hasPrefix("https://reown.com/"), "\(path): \(goal)")
            }
        }
    }

    @Test("Page views are no requests of the program under test, and its requests are")
    func views() async throws {
        let world = HomeWorld()
        let payment = try #require(
            await world.home.make("toss", of: "citcon", at: try HTTPURL(world.base)))
        let page = try #require(await world.citcon.pages(of: payment.id).first).path
        _ = try await world.send(.get, page, ["Accept": "text/html"])
        #expect(try await world.json("log")["events"]?.array?.contains { $0["kind"] == "request" } == false)
        _ = try await world.send(.get, page)
        #expect(try await world.json("log")["events"]?.array?.contains { $0["kind"] == "request" } == true)
        // A view that meets a fault is a request like any other.
        _ = try await world.call("faults", ["kind": "status-500"])
        _ = try await world.send(.get, page, ["Accept": "text/html"])
        #expect(try await world.json("log")["events"]?.array?.contains { $0["fault"] == "status-500" } == true)
    }

    @Test(
        "Amounts are grouped as the visitor's language writes them",
        arguments: [
            ("en-US,en;q=0.9", "1,234,567.50 EUR"), ("", "1,234,567.50 EUR"), ("de-AT", "1.234.567,50 EUR"),
            ("de-CH,de;q=0.9", "1\u{2019}234\u{2019}567.50 EUR"), ("fr", "1\u{202F}234\u{202F}567,50 EUR"),
            ("en-IN", "12,34,567.50 EUR"), ("pt-BR", "1.234.567,50 EUR"), ("<script>", "1,234,567.50 EUR"),
        ])
    func amounts(_ language: String, _ text: String) async throws {
        let world = HomeWorld()
        let order = ["make": "payrails/paid", "amount": "1234567.50", "currency": "EUR"] as KeyValuePairs
        let path = try #require(try await world.submit("/scenarios", order).headers["Location"])
        let id = path.dropFirst("/ledger/".count)
        for page in ["/", "/ledger", path, "/checkout/\(id)"] {
            let page = try await world.send(.get, page, ["Accept-Language": language, "Accept": "text/html"])
            #expect(page.text.contains(text))
        }
    }

    @Test("Scenarios are found by words, in open groups; without words all are there, closed")
    func search() async throws {
        let world = HomeWorld()
        let all = try await world.send(.get, "/scenarios").text
        #expect(!all.contains("<details open>") && all.contains("value=\"citcon/toss\""))
        let found = try await world.send(.get, "/scenarios?search=CITCON/toss+all").text
        #expect(found.contains("<details open>") && found.contains("value=\"citcon/toss\""))
        #expect(!found.contains("value=\"payrails/paid\"") && !found.contains("value=\"citcon/wechatpay\""))
        // One main action a row.
        let count = found.components(separatedBy: "class=\"primary\" name=\"pay\"").count
        #expect(count == found.components(separatedBy: "<span class=\"what\">").count)
        #expect(try await world.send(.get, "/scenarios?search=nothing+of+it").text.contains("No scenario"))
    }

    @Test("The home page makes a payment and pays it, and shows it among the last ones")
    func recent() async throws {
        let world = HomeWorld()
        let home = try await world.send(.get, "/").text
        let name = try #require(home.firstMatch(of: /name="pay" value="([^"]+)"/)).output.1
        let path = try #require(
            try await world.submit("/scenarios", ["pay": String(name)]).headers["Location"])
        #expect(try await world.send(.get, "/").text.contains("href=\"\(path)\""))
        // Examples replace a text that is not there yet, and are read.
        let empty = try await world.send(.get, "/playground").text
        let examples = empty.matches(of: /href="(\/playground\?text=[^"]+)"/).map { String($0.output.1) }
        #expect(examples.count == 6)
        for example in examples {
            let page = try await world.send(.get, example.replacing("&amp;", with: "&")).text
            #expect(page.contains("id=\"result\"") && !page.contains("id=\"examples\""))
        }
    }
}
