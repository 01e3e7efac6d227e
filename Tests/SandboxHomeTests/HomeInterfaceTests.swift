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

/// The interface for programs, in any language.
@Suite("The sandbox's interface for programs") struct HomeInterfaceTests {
    @Test("A payment is made, found and paid, and its events are listed")
    func payments() async throws {
        let world = HomeWorld()
        let scenarios = try await world.json("scenarios")["services"]?.array ?? []
        #expect(scenarios.map { $0["service"] } == ["walletconnect-pay", "citcon", "payrails"])
        let made = try await world.call("payments", ["service": "walletconnect-pay", "scenario": "paid-at-once"])
        #expect(made.status == 201 && made.json["link"]?.string?.hasPrefix("https://pay.walletconnect.com/") == true)
        let id = try #require(made.json["id"]?.string)
        #expect(made.json["events"] == ["created"] && made.json["trusted"] == true)
        #expect(try await world.json("payments/\(id)") == made.json)
        let paid = try await world.call("payments/\(id)/pay", [:])
        #expect(paid.status == 200 && paid.json["outcome"] == "succeeded" && paid.json["journal"] == ["one entry"])
        #expect(try await world.json("payments")["payments"]?.array?.count == 1)
        let log = try await world.json("log")["events"]?.array ?? []
        #expect(log.map { $0["kind"] } == ["ledger", "step", "step"])
        #expect(log.map { $0["n"] } == [1, 2, 3])
        #expect(try await world.send(.get, "/_sandbox/qr.svg?payment=\(id)").headers["Content-Type"] == "image/svg+xml")
    }

    @Test(
        "Errors say what is wrong with a call",
        arguments: [
            ("payments", ["service": "citcon"], 400), ("payments", ["scenario": "x"], 400),
            ("payments", ["service": "citcon", "scenario": "x"], 404),
            ("payments", ["service": 1, "scenario": 2], 400),
            ("payments", ["service": "citcon", "scenario": "wechatpay", "amount": "1", "currency": "EURO"], 400),
            ("payments/none/pay", [:], 404), ("faults", ["kind": "fire"], 400), ("faults", [:], 400),
            ("clock", ["advance": 0], 400), ("clock", ["advance": -1], 400),
            ("clock", ["advance": 9_000_000_000_000_000_000], 400),
            ("read", [:], 400), ("nothing", [:], 404), ("payments", [], 400),
        ] as [(String, JSONValue, Int)])
    func wrong(_ path: String, _ body: JSONValue, _ status: Int) async throws {
        let answer = try await HomeWorld().call(path, body)
        #expect(answer.status == status && answer.json["error"]?.string?.hasSuffix(".") == true)
    }

    @Test("What it describes is what it has")
    func openAPI() async throws {
        let world = HomeWorld()
        let document = try await world.json("openapi.json")
        #expect(document["openapi"] == "3.1.0" && document["servers"] == [["url": .string(world.base)]])
        let made = try await world.call("payments", ["service": "citcon", "scenario": "wechatpay"])
        let id = try #require(made.json["id"]?.string)
        for (path, operations) in try #require(document["paths"]?.object) {
            for method in try #require(operations.object).keys where method != "delete" {
                let path = path.replacing("{id}", with: id)
                let answer = await world.home.answer(
                    to: HTTPRequest(
                        HTTPRequest.Method(rawValue: method.uppercased()),
                        try HTTPURL(world.base + path + (path.hasSuffix("qr.svg") ? "?text=x" : "")),
                        headers: ["Content-Type": "application/json"], body: Array("{}".utf8)))
                // An incomplete call is refused for that, and not as an unknown call.
                switch answer {
                case .response(let response): #expect(![404, 405].contains(response.status), "\(method) \(path)")
                case .stream(let response, _): #expect(response.status == 200 && path == "/_sandbox/events")
                default: Issue.record("\(method) \(path) has no answer")
                }
            }
        }
        // Every reference leads somewhere.
        let text = document.text
        for match in text.matches(of: /"#\/components\/schemas\/(\w+)"/) {
            #expect(document["components"]?["schemas"]?[String(match.output.1)] != nil, "\(match.output.1)")
        }
    }

    @Test("A planned fault is met by the next fitting request, once")
    func faults() async throws {
        let world = HomeWorld()
        let made = try await world.call("payments", ["service": "citcon", "scenario": "toss"])
        let id = try #require(made.json["id"]?.string)
        let page = try #require(await world.citcon.pages(of: id).first).path
        func pay() async throws -> Int {
            try await world.send(
                .post, page, ["Content-Type": "application/x-www-form-urlencoded"], body: "act=pay"
            ).status
        }
        for kind in ["drop-before", "status-500", "garbage"] {
            #expect(
                try await world.call("faults", ["kind": .string(kind), "payment": .string(id), "method": "POST"]).status
                    == 201)
        }
        #expect(try await world.json("faults")["faults"]?.array?.count == 3)
        // Of another kind, or about another payment: it waits.
        #expect(try await world.send(.get, page).status == 200)
        #expect(try await world.send(.post, "/v1/access-tokens").status != 500)
        #expect(try await pay() == 0)
        #expect(try await pay() == 500)
        #expect(try await pay() == 200)
        #expect(await world.home.closing().first?.words == [.created], "the service saw none of them")
        _ = try await world.call("faults", ["kind": "drop-after", "path": "/landing/"])
        #expect(try await pay() == 0)
        #expect(await world.home.closing().first?.words == [.created, .captured, .settled])
        let met = try await world.json("log")["events"]?.array?.compactMap { $0["fault"]?.string }
        #expect(met == ["drop-before", "status-500", "garbage", "drop-after"])
        _ = try await world.call("faults", ["kind": "slow"])
        #expect(try await world.send(.delete, "/_sandbox/faults").status == 200)
        #expect(try await world.json("faults")["faults"] == [])
        for _ in 0..<SandboxHome.mostFaults { _ = try await world.call("faults", ["kind": "slow", "path": "/none"]) }
        #expect(try await world.call("faults", ["kind": "slow", "path": "/none"]).status == 409)
    }

    @Test("The clock goes forward: what runs out meanwhile is over, and said so")
    func clock() async throws {
        let world = HomeWorld()
        for service in [("citcon", "wechatpay"), ("walletconnect-pay", "paid-at-once")] {
            _ = try await world.call("payments", ["service": .string(service.0), "scenario": .string(service.1)])
        }
        let moved = try await world.call("clock", ["advance": 86_400])
        #expect(moved.status == 200 && moved.json["advanced"] == 86_400)
        #expect(await world.home.closing().map { $0.words.last } == [.expired, .expired])
        #expect(try await world.json("clock")["advanced"] == 86_400)
    }

    /// A merchant's server that accepts nothing until it is opened.
    private actor Inbox: SandboxService {
        var count = 0
        var isOpen = false
        func open() { isOpen = true }
        func respond(to request: HTTPRequest) -> HTTPResponse {
            count += 1
            return HTTPResponse(status: isOpen ? 200 : 500)
        }
    }

    @Test("A notification is sent again on request, with what became of it")
    func notify() async throws {
        let inbox = Inbox()
        let world = HomeWorld(notifications: SandboxTransport(inbox))
        let charge = await world.citcon.createCharge(.wechatPay, ipn: "http://127.0.0.1:9/ipn")
        await world.home.refresh()
        #expect(try await world.call("payments/\(charge.id)/notify", [:]).status == 409, "nothing to tell yet")
        await world.citcon.pay(charge)
        await world.home.refresh()
        let refused = try await world.call("payments/\(charge.id)/notify", [:])
        #expect(refused.status == 200 && refused.json["delivered"] == false)
        await inbox.open()
        let taken = try await world.call("payments/\(charge.id)/notify", [:])
        #expect(taken.json["delivered"] == true && taken.json["kind"] == "success")
        #expect(try await world.send(.get, "/ledger/\(charge.id)").text.contains("sent again: delivered"))
    }

    @Test("Events come as they happen, from where a reader left off, over a real connection")
    func events() async throws {
        let world = HomeWorld()
        let server = try LoopbackServer(world.home)
        defer { server.stop() }
        _ = try await world.call("payments", ["service": "citcon", "scenario": "wechatpay"])
        let client = RawClient(server.baseURL)
        let request = "GET /_sandbox/events?after=0 HTTP/1.1\r\nHost: self\r\n\r\n"
        try await client.withConnections(1, request) { connections in
            #expect(await connections.waitFor(#""kind":"ledger""#) == 1)
            _ = try await world.call("faults", ["kind": "slow"])
            #expect(await connections.waitFor(#""title":"slow""#) == 1)
        }
        // Again, from after the first.
        let later = "GET /_sandbox/events HTTP/1.1\r\nHost: self\r\nLast-Event-ID: 1\r\n\r\n"
        try await client.withConnections(1, later) { connections in
            #expect(await connections.waitFor("id: 2") == 1)
        }
        await world.home.close()
    }

    @Test("A text is read as the desk reads it")
    func read() async throws {
        let answer = try await HomeWorld().call("read", ["text": "hello"])
        #expect(answer.status == 200 && answer.json["decision"] == "unroutable" && answer.json["input"] == "hello")
    }

    @Test("Thousands of payments are remembered, and no more of their events than are read")
    func many() async throws {
        let world = HomeWorld()
        for _ in 0..<3000 { _ = await world.pay.createPayment() }
        await world.home.refresh()
        let homeLedger = await world.home.homeLedger
        #expect(homeLedger.entries.count == 3000 && homeLedger.events.count < 2 * HomeLedger.kept)
        #expect(homeLedger.lastNumber == 3000)
        let page = try await world.send(.get, "/ledger")
        #expect(page.body.count < 100_000)
    }
}
