import PaymentCore
import Synchronization
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// The events of an order in an application, step by step (Protocol 2.3, 3.4 and 6.4).
@Suite struct FlowTests {
    private static let paid = "wxeb0650d489d69e14://pay/?returnKey=a&ret=0"
    private static let calledOff = "wxeb0650d489d69e14://pay/?returnKey=(null)&ret=-2"
    private static let token = "62d5c1e0242011eda300f59379b812ce"
    private static let id = "2000470537596802752517"

    /// A launcher whose payer returns at once.
    private static func back(_ url: String?) -> CPayLauncher { { _ in .returned(url: url) } }

    // MARK: Requests

    @Test("The calls, their headers and bodies (Protocol 1.4, 2.3, 2.5, 2.6)")
    func calls() async throws {
        let service = ScriptedCitcon()
        let client = try CPayClient(service, launcher: Self.back(Self.paid))
        let order = Shop.order()
        order.consumer = CPayConsumer()
        order.consumer?.reference = "GUID"
        let result = await client.requestOrder(order)
        #expect(result.isPaid)
        #expect(service.calls == ["POST config", "POST charges/\(Self.token)", "GET transactions/\(Self.id)"])
        for seen in service.seen {
            #expect(seen.headers["Authorization"] == "Bearer UPI_token")
            #expect(seen.headers["Content-Type"] == "application/json")
        }
        #expect(service.seen.map(\.replay) == [.safe, .never, .safe])
        let config: JSONValue = [
            "payment": ["method": "wechatpay"], "data": ["consumer_id": "GUID"],
            "ext": ["client": ["app": "iOS", "version": "2.0.6"]],
        ]
        #expect(service.seen[0].body == config)
        #expect(service.seen[1].body == order.body)
        #expect(service.seen[2].body == nil)
    }

    @Test("Without a payer's reference the configuration is asked without data (Protocol 2.3)")
    func noConsumer() async throws {
        let service = ScriptedCitcon()
        let client = try CPayClient(service, launcher: Self.back(Self.paid))
        _ = await client.requestOrder(Shop.order())
        #expect(service.seen.first?.body?["data"] == nil)
    }

    @Test("Inquiries by either id (Protocol 2.6)")
    func inquiries() async throws {
        let service = ScriptedCitcon()
        let client = try CPayClient(service)
        #expect(await client.inquireOrder("abc").isPaid)
        #expect(await client.inquireOrder(reference: "a b").data.reference == "order-1")
        #expect(service.calls == ["GET transactions/abc", "GET transactions/a%20b?type=reference"])
        let heard = Heard()
        #expect(client.inquireOrder("abc") { heard.add("by id \($0?.data.status ?? "-")") })
        _ = await heard.first(1)
        #expect(client.inquireOrder(reference: "r") { heard.add("by reference \($0?.data.status ?? "-")") })
        #expect(await heard.first(2) == ["by id succeeded", "by reference succeeded"])
        let refused = try CPayClient(ScriptedCitcon { _, _ in .fail(404, "4103", "not found") })
        let check = await refused.inquireOrder("abc")
        #expect(check.status == "fail" && check.data.code == "4103" && check.data.message == "not found")
        #expect(check.data.id == "abc" && !check.isPaid)
        let dot = await client.inquireOrder("..")
        #expect(dot.status == "fail" && dot.data.code == "-1")
    }

    @Test("Callbacks come on the main thread, so that a screen can show them, and after the call has returned")
    @MainActor
    func mainThread() async throws {
        let client = try CPayClient(ScriptedCitcon(), launcher: Self.back(Self.paid))
        // Only the main actor's code can touch these.
        var results: [String?] = []
        let isIncomplete = Shop.order()
        isIncomplete.payment = nil
        for order in [Shop.order(), isIncomplete] {
            let count = results.count
            await withCheckedContinuation { continuation in
                client.requestOrder(order) { result in
                    #expect(MainQueue.isHere)
                    results.append(result?.status)
                    continuation.resume()
                }
                #expect(results.count == count)
            }
        }
        await withCheckedContinuation { continuation in
            client.inquireOrder("abc") { check in
                #expect(MainQueue.isHere)
                results.append(check?.data.status)
                continuation.resume()
            }
        }
        #expect(results == ["success", "fail", "succeeded"])
    }

    @Test(
        "A charge that is over is refused, and the result says what became of it", arguments: ["expired", "canceled"])
    func refusedBecauseItIsOver(_ state: String) async throws {
        let service = ScriptedCitcon(
            confirm: .fail(400, "4000", "bad request"), inquiry: .ok(ScriptedCitcon.transaction(state)))
        let heard = Heard()
        let client = try CPayClient(service, launcher: Self.back(Self.paid), heard: heard)
        let result = await client.requestOrder(Shop.order())
        #expect(result.status == "fail" && result.data.code == "4000" && result.data.status == state)
        #expect(result.data.message == "bad request: the charge is \(state)" && result.data.id == Self.id)
        #expect(await heard.first(1) == ["check success - \(state)"])
    }

    // MARK: Failures before the wallet (6.4, steps 1 to 3 and 8)

    static let failures: [(String, ScriptedCitcon.Answer, String, String)] = [
        ("config", .fail(401, "4010", "unauthorized"), "4010", "unauthorized"),
        ("config", .json(500, "oops"), "-1", "Unknown Error"),
        ("config", .json(200, "oops"), "-2", CPayMessage.undecodable),
        ("config", .json(200, #"{"status":"fail","data":{}}"#), "-1", "Unknown Error"),
        ("config", .json(200, #"{"status":"maybe","data":{}}"#), "-2", CPayMessage.undecodable),
        ("config", .failure(.notSent, .hostNotFound), "-1", "Unknown Error: "),
        ("charges", .fail(400, "4100", "duplicate request"), "4100", "duplicate request"),
        ("charges", .fail(404, "4103", "not found"), "4103", "not found"),
        ("charges", .failure(.notSent, .connectFailed("refused")), "-1", "Unknown Error: "),
    ]

    @Test("A failure is reported twice: to the callback and to the listeners", arguments: failures)
    func failure(_ call: String, _ answer: ScriptedCitcon.Answer, _ code: String, _ message: String) async throws {
        let service = ScriptedCitcon { seen, _ in
            if seen.contains(call) { return answer }
            return .ok(#"{"gateway":"wechatpay","config":{}}"#)
        }
        let heard = Heard()
        let client = try CPayClient(service, launcher: Self.back(Self.paid), heard: heard)
        client.requestOrder(Shop.order()) { result in
            heard.result(result)
            #expect(result?.data.message?.hasPrefix(message) == true && result?.data.reference == "order-1")
        }
        #expect(await heard.first(2) == ["result fail \(code) -", "check fail \(code) -"])
        // A refusal may be the answer to a second copy of the confirmation, so the charge is asked about.
        let isDoubtful = call == "charges" && code != "-1"
        #expect(service.calls.contains { $0.hasPrefix("GET") } == isDoubtful)
    }

    @Test("A client without token, transport or launcher says so")
    func unusable() async throws {
        let service = ScriptedCitcon()
        let noToken = await (try CPayClient(service, token: "")).requestOrder(Shop.order())
        #expect(noToken.data.code == "-1" && noToken.data.message?.contains("setAccessToken") == true)
        let configuration = CPayClientConfiguration(endpoint: try CPayEndpoint(.UAT), accessToken: Redacted("t"))
        let noTransport = CPayClient(configuration: configuration, transport: nil)
        #expect(await noTransport.requestOrder(Shop.order()).data.message?.contains("transport") == true)
        #expect(await noTransport.inquireOrder("x").data.message?.contains("transport") == true)
        #expect(service.calls.isEmpty)
        let noLauncher = await (try CPayClient(service)).requestOrder(Shop.order())
        #expect(noLauncher.status == "success" && noLauncher.isPaid, "the inquiry has the last word")
        let unpaid = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let result = await (try CPayClient(unpaid)).requestOrder(Shop.order())
        #expect(result.status == "fail" && result.data.message?.contains("launcher") == true)
    }

    // MARK: The two results (6.4, steps 4 to 7)

    @Test("The service's result goes to the callback first, and then to the notification")
    func inquiryFirst() async throws {
        let heard = Heard()
        let client = try CPayClient(ScriptedCitcon(), launcher: Self.back(Self.paid), heard: heard)
        client.requestOrder(Shop.order()) { heard.result($0) }
        #expect(
            await heard.first(3) == ["confirmed initiated", "result success - succeeded", "check success - succeeded"])
    }

    @Test("In the vendor's order the wallet's result comes first, without the transaction")
    func walletFirst() async throws {
        let service = ScriptedCitcon { call, _ in
            if call.hasPrefix("GET") { return .ok(ScriptedCitcon.transaction()) }
            return call == "POST config" ? .ok(#"{"gateway":"wechatpay"}"#) : .ok(ScriptedCitcon.charge())
        }
        let heard = Heard()
        let client = try CPayClient(service, launcher: Self.back(Self.paid), order: .walletFirst, heard: heard)
        client.requestOrder(Shop.order()) { result in
            heard.result(result)
            #expect(service.calls.count == 2, "nothing was asked before the callback")
            #expect(result?.data.id == Self.id && result?.data.amount == 0 && result?.isPaid == false)
        }
        #expect(await heard.first(3) == ["confirmed initiated", "result success 0 -", "check success - succeeded"])
    }

    @Test("A wallet that says paid is not believed")
    func liar() async throws {
        for state in ["initiated", "pending", "failed", "canceled", "expired", "odd"] {
            let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction(state)))
            let result = await (try CPayClient(service, launcher: Self.back(Self.paid))).requestOrder(Shop.order())
            #expect(!result.isPaid && result.status == "success" && result.data.status == state)
        }
    }

    @Test("A payment is a payment even where the wallet said that it was cancelled")
    func paidAllTheSame() async throws {
        let result = await (try CPayClient(ScriptedCitcon(), launcher: Self.back(Self.calledOff)))
            .requestOrder(Shop.order())
        #expect(result.isPaid && result.data.code == nil && result.data.message == nil)
    }

    @Test("When the inquiry fails, the wallet's result stands alone, and the notification says so (6.4, step 7)")
    func failedInquiry() async throws {
        for (order, lines) in [
            (CPayClientConfiguration.ResultOrder.inquiryFirst, ["result success 0 -", "check fail -1 -"]),
            (.walletFirst, ["result success 0 -", "check fail -1 -"]),
        ] {
            let heard = Heard()
            let service = ScriptedCitcon(inquiry: .fail(500, "5100", "internal server error"))
            let client = try CPayClient(service, launcher: Self.back(Self.paid), order: order, heard: heard)
            client.requestOrder(Shop.order()) { heard.result($0) }
            #expect(await heard.first(3) == ["confirmed initiated"] + lines)
        }
        let heard = Heard()
        let page = ScriptedCitcon(
            gateway: "toss", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect")),
            inquiry: .fail(500, "5100", "internal server error"))
        let client = try CPayClient(page, launcher: Self.back("\(Shop.scheme)://?x=1"), heard: heard)
        client.requestOrder(Shop.order("toss")) { result in
            heard.result(result)
            #expect(result?.data.message == "Check result failed" && result?.data.id == Self.id)
        }
        #expect(await heard.first(3) == ["confirmed initiated", "result fail -1 -", "check fail -1 -"])
    }

    @Test("Pages are asked about before anything is said, in either order")
    func pages() async throws {
        for order in [CPayClientConfiguration.ResultOrder.inquiryFirst, .walletFirst] {
            for (state, isPaid) in [("succeeded", true), ("pending", false)] {
                let heard = Heard()
                let service = ScriptedCitcon(
                    gateway: "toss", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect")),
                    inquiry: .ok(ScriptedCitcon.transaction(state)))
                let client = try CPayClient(
                    service, launcher: Self.back("\(Shop.scheme)://?status=success"), order: order, heard: heard)
                client.requestOrder(Shop.order("toss")) { result in
                    heard.result(result)
                    #expect(result?.isPaid == isPaid)
                }
                #expect(
                    await heard.first(3)
                        == ["confirmed initiated", "result success - \(state)", "check success - \(state)"])
            }
        }
    }

    @Test("A charge that is paid at confirmation opens nothing; the callback comes before the inquiry (6.4, step 6)")
    func paidAtConfirmation() async throws {
        let heard = Heard()
        let service = ScriptedCitcon(
            gateway: "fomo",
            confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect", status: "succeeded")))
        let client = try CPayClient(service, heard: heard)
        client.requestOrder(Shop.order("grabpay")) { result in
            heard.result(result)
            #expect(!service.calls.contains { $0.hasPrefix("GET") })
        }
        #expect(
            await heard.first(3) == ["confirmed succeeded", "result success - succeeded", "check success - succeeded"])
    }

    @Test("A confirmation of another order starts no wallet")
    func anotherOrder() async throws {
        let answers = [
            ScriptedCitcon.charge(amount: 125_000), ScriptedCitcon.charge().replacing("\"USD\"", with: "\"KWD\""),
            ScriptedCitcon.charge().replacing("order-1", with: "order-2"),
        ]
        for answer in answers {
            let opened = Mutex(0)
            let client = try CPayClient(ScriptedCitcon(confirm: .ok(answer))) { _ in
                opened.withLock { $0 += 1 }
                return .opened
            }
            let result = await client.requestOrder(Shop.order())
            #expect(result.status == "fail" && result.data.message == CPayMessage.invalidContent)
            #expect(opened.withLock { $0 } == 0)
        }
    }

    @Test("A confirmation whose answer is lost is never sent again; the reference finds its result (Protocol 2.8)")
    func lostAnswer() async throws {
        for (state, isPaid) in [("succeeded", true), ("failed", false), ("initiated", false)] {
            let service = ScriptedCitcon(
                gateway: "braintree", confirm: .failure(.maybeSent, .timedOut),
                inquiry: .ok(ScriptedCitcon.transaction(state)), before: ScriptedCitcon.waiting)
            let result = await (try CPayClient(service)).requestOrder(Shop.card())
            #expect(result.isPaid == isPaid)
            #expect(
                service.calls == [
                    "POST config", "GET transactions/order-1?type=reference", "POST charges/\(Self.token)",
                    "GET transactions/order-1?type=reference",
                ])
            if state == "initiated" { #expect(result.status == "fail" && result.data.code == "-1") }
        }
    }
}
