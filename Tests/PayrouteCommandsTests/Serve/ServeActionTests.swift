import Foundation
import PaymentCore
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Questions of payments to the callers of `payroute serve`.
@Suite("serve: actions")
struct ServeActionTests {
    private static let link: JSONValue = "https://shop.example/order/7"

    @Test("Without an option the caller chooses, and what is none is no choice")
    func choosing() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(["link": Self.link])
        #expect(asked["state"] == "waiting" && asked["action"]?["kind"] == "choose", "\(asked.text)")
        #expect(asked["action"]?["options"]?.array?.count == 6 && asked["action"]?["amount"] == "4.80")
        let path = "/v1/payments/\(asked["id"]?.string ?? "")/actions/\(asked["action"]?["id"]?.string ?? "")"
        let wrong: [JSONValue] = [["option": "none"], [:], ["option": 1], ["result": "0x"], []]
        for answer in wrong { #expect(try await served.call(.post, path, answer).status == 422, "\(answer.text)") }
        #expect(await served.shop.charges == 0)
        #expect(try await served.answer(asked, ["option": "tab"])["outcome"]?["outcome"] == "succeeded")
        // Its payment has ended by now.
        #expect(try await served.call(.post, path, ["option": "tab"]).status == 404)
    }

    @Test("An option that asks for what the server's wallet cannot sign is no choice")
    func unusable() async throws {
        let served = try await ServedShop()
        let asked = try await served.pay(["link": Self.link])
        let path = "/v1/payments/\(asked["id"]?.string ?? "")/actions/\(asked["action"]?["id"]?.string ?? "")"
        let refused = try await served.call(.post, path, ["option": "foreign"])
        #expect(refused.status == 422 && refused.json["error"]?["code"] == "unusable-option", "\(refused.json.text)")
        #expect(try await served.answer(asked, ["option": "signed"])["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
    }

    @Test("A declined choice pays nothing")
    func declining() async throws {
        let served = try await ServedShop([])
        let ended = try await served.answer(try await served.pay(["link": Self.link]), ["decline": true])
        #expect(ended["state"] == "ended" && ended["outcome"]?["outcome"] == "cancelled", "\(ended.text)")
        #expect(await served.shop.charges == 0)
    }

    @Test("A signature is asked for with its review, and taken once")
    func signing() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(["link": Self.link, "option": "signed"])
        let action = try #require(asked["action"])
        #expect(action["kind"] == "sign" && action["method"] == "personal_sign" && action["number"] == 1)
        #expect(action["review"]?["lines"]?[0] == "Pays 4.80 EUR to the shop.")
        let id = try #require(asked["id"]?.string)
        let path = "/v1/payments/\(id)/actions/\(action["id"]?.string ?? "")"
        let gate = Gate()
        let taken = await served.shop.holdNext(until: gate)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await served.call(.post, path, ["result": "0x01"]).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [202, 409, 409, 409])
        await taken.pass()
        // Another payment's action is none of this one's.
        #expect(try await served.call(.post, "/v1/payments/\(id)/actions/act_1", ["result": "0x01"]).status == 404)
        await gate.open()
        #expect(try await served.settled(id)["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
    }

    @Test("Data and pages are asked for, and what the payer answers leads on")
    func forms() async throws {
        let served = try await ServedShop([])
        let form = try await served.pay(["link": Self.link, "option": "form"])
        #expect(form["action"]?["fields"]?[0]?["id"] == "name" && form["action"]?["form"] == .null)
        let path = "/v1/payments/\(form["id"]?.string ?? "")/actions/\(form["action"]?["id"]?.string ?? "")"
        for values: JSONValue in [[:], ["name": 1], "Ann"] {
            #expect(try await served.call(.post, path, ["values": values]).status == 422)
        }
        let paid = try await served.answer(form, ["values": ["name": "Ann"]])
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        let page = try await served.pay(["link": "https://shop.example/order/8", "option": "page"])
        #expect(page["action"]?["kind"] == "page" && page["action"]?["returns"]?[0] == "https://shop.example/back/8")
        let back = try await served.answer(page, ["url": "https://shop.example/back/8?ok=1"])
        #expect(back["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 2)
    }

    @Test("A wallet of the server's signs by itself")
    func wallet() async throws {
        let served = try await ServedShop(["--wallet", "1"])
        let paid = try await served.pay(["link": Self.link, "option": "signed"])
        #expect(paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        let accounts: JSONValue = ["eip155:1:0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"]
        for path in ["/v1/payments", "/v1/quotes"] {
            let body: JSONValue = ["link": Self.link, "accounts": accounts]
            #expect(try await served.call(.post, path, body, ["Idempotency-Key": "k"]).status == 422)
        }
    }

    @Test("The accounts of the caller's wallet are asked to sign")
    func accounts() async throws {
        let served = try await ServedShop([])
        let account: JSONValue = "eip155:1:0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"
        let asked = try await served.pay(["link": Self.link, "option": "signed", "accounts": [account]])
        #expect(asked["action"]?["account"] == account, "\(asked.text)")
    }

    @Test("Cancelling a payment that asks ends it, and nothing is paid")
    func cancelling() async throws {
        let served = try await ServedShop([])
        for option: JSONValue? in [nil, "signed"] {
            var body: JSONValue = ["link": Self.link]
            body["option"] = option
            let asked = try await served.pay(body)
            let id = try #require(asked["id"]?.string)
            #expect(asked["state"] == "waiting")
            let cancelling = Task { try await served.call(.post, "/v1/payments/\(id)/cancel") }
            try await eventually("it still asks") {
                try await served.call(.get, "/v1/payments/\(id)").json["state"] != "waiting"
            }
            let cancelled = try await cancelling.value
            #expect(cancelled.status == 200)
            #expect(cancelled.json["state"] == "ended", "\(cancelled.json.text)")
            #expect(cancelled.json["outcome"]?["outcome"] == "cancelled", "\(cancelled.json.text)")
            #expect(try await served.call(.post, "/v1/payments/\(id)/cancel").status == 409)
        }
        // No attempt is left that a recovery would pay.
        #expect(try await SQLiteJournal(path: served.folder.file("journal")).unfinished().isEmpty)
        #expect(await served.shop.charges == 0)
        #expect(try await served.pay(["link": Self.link, "option": "tab"])["outcome"]?["outcome"] == "succeeded")
    }

    @Test(
        "A payment that waits for its payer at the end of the server is asked again by the next one",
        arguments: [("choose", ["option": "tab"]), ("sign", ["result": "0x01"])] as [(JSONValue, JSONValue)])
    func stopped(kind: JSONValue, answer: JSONValue) async throws {
        var body: JSONValue = ["link": Self.link]
        if kind == "sign" { body["option"] = "signed" }
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop([], in: folder, shop: shop)
        let asked = try #require(try await first?.pay(body))
        #expect(asked["state"] == "waiting")
        await first?.api.payments.drain(within: .seconds(60))
        first = nil
        let served = try await ServedShop.reopened([], in: folder, shop: shop)
        let id = try #require(asked["id"]?.string)
        let left = try await served.call(.get, "/v1/payments/\(id)").json
        #expect(left["state"] == "interrupted" && left["outcome"]?["askAgain"] == true, "\(left.text)")
        let old = "/v1/payments/\(id)/actions/\(asked["action"]?["id"]?.string ?? "")"
        #expect(try await served.call(.post, old, answer).status == 404)
        try await served.call(.post, "/v1/payments/\(id)/resume")
        let again = try await served.settled(id)
        #expect(again["action"]?["kind"] == kind, "\(again.text)")
        #expect(try await served.answer(again, answer)["outcome"]?["outcome"] == "succeeded")
        #expect(await shop.charges == 1)
    }

    @Test("A payment that is resumed while its last run ends is left to that one, and its later answers are remembered")
    func resumedAtEnd() async throws {
        let served = try await ServedShop([])
        let (payments, actions) = (served.api.payments, served.api.payments.actions)
        let (isHeld, release) = (Gate(), DispatchSemaphore(value: 0))
        // While another payment's answer is checked, no answers are forgotten.
        let asking = Task {
            try await actions.ask(.code, [:], of: "other", answer: []) { _ in
                Task { await isHeld.open() }
                release.wait()
            }
        }
        try await eventually("it asks nothing") { await actions.isAsking("other") }
        let question = try #require(await actions.action(of: "other")?["id"]?.string)
        let answering = Task(executorPreference: ThreadExecutor()) {
            try await actions.answer(question, of: "other", with: [])
        }
        defer { release.signal() }
        await isHeld.pass()
        let file = served.folder.file("journal")
        try FileManager.default.moveItem(atPath: file, toPath: file + "-away")
        let order = try ServeOrder(stored: ["link": Self.link, "option": "signed"])
        let id = try await payments.begin(order, key: "k", digest: "d", of: "local", quote: nil).id
        try await eventually("it does not end") { served.api.metrics.text.contains("_seconds_count 1\n") }
        try FileManager.default.moveItem(atPath: file + "-away", toPath: file)
        try await payments.resume(id, of: "local")
        release.signal()
        try await answering.value
        _ = try await asking.value
        #expect(try await served.settled(id)["state"] == "interrupted")
        try await served.call(.post, "/v1/payments/\(id)/resume")
        let asked = try await served.settled(id)
        let path = "/v1/payments/\(id)/actions/\(asked["action"]?["id"]?.string ?? "")"
        let gate = Gate()
        let taken = await served.shop.holdNext(until: gate)
        for status in [202, 409] { #expect(try await served.call(.post, path, ["result": "0x01"]).status == status) }
        await taken.pass()
        await gate.open()
        #expect(try await served.settled(id)["outcome"]?["outcome"] == "succeeded")
        let counts = served.api.metrics.text
        #expect(counts.contains("_running 0\n") && counts.contains("_seconds_count 2\n"), "\(counts)")
    }

    @Test("Nothing is asked about a payment that runs")
    func running() async throws {
        let served = try await ServedShop([])
        #expect(try await served.pay(["link": Self.link, "option": "signed"])["state"] == "waiting")
        let before = await served.shop.requests
        await served.api.payments.look()
        #expect(await served.shop.requests == before)
    }

    @Test("A payment that was sent is not called cancelled")
    func cancellingLate() async throws {
        let (served, gate) = (try await ServedShop([]), Gate())
        let taken = await served.shop.holdNext(until: gate)
        let begun = try await served.begin(["link": Self.link, "option": "tab"]).json
        let id = try #require(begun["id"]?.string)
        await taken.pass()
        async let cancelled = served.call(.post, "/v1/payments/\(id)/cancel")
        await gate.open()
        #expect(try await cancelled.json["outcome"]?["outcome"] != "cancelled")
        if try await served.call(.get, "/v1/payments/\(id)").json["state"] != "ended" {
            try await served.call(.post, "/v1/payments/\(id)/resume")
        }
        #expect(try await served.settled(id)["outcome"]?["outcome"] == "succeeded")
        #expect(await served.shop.charges == 1)
    }

    @Test("The events of a payment show each change, and end with it")
    func events() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(["link": Self.link])
        let id = try #require(asked["id"]?.string)
        let url = try HTTPURL("http://127.0.0.1:1/v1/payments/\(id)/events")
        guard case .stream(let head, let stream) = await served.api.answer(to: HTTPRequest(.get, url)) else {
            Issue.record("the events are no stream")
            return
        }
        #expect(head.status == 200 && head.headers["Content-Type"] == "text/event-stream")
        async let text = Self.text(of: stream)
        _ = try await served.answer(asked, ["option": "tab"])
        let blocks = await text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
        let states = try blocks.filter { $0.hasPrefix("event: payment\n") }.map {
            try JSONValue(parsing: String($0.dropFirst("event: payment\ndata: ".count)))["state"]?.string
        }
        #expect(states.first == "waiting" && states.last == "ended", "\(states)")
        #expect(blocks.contains { $0.hasPrefix("event: note\n") && $0.contains("pay") })
        #expect(try await served.call(.get, "/v1/payments/pay_1/events").status == 404)
    }

    /// Reads a stream to its end.
    private static func text(of stream: SandboxStream) async -> String {
        var bytes: [UInt8] = []
        while true {
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
            switch stream.take(4096, sleep: {}, wake: { wake.finish() }) {
            case .bytes(let piece): bytes += piece
            case .wait: for await _ in wakes {}
            case .end: return String(decoding: bytes, as: UTF8.self)
            }
        }
    }
}
