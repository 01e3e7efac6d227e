import Foundation
import PaymentCore
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Orders whose payers are away (Protocol 4.2 and 6.4).
@Suite struct AbsentPayerTests {
    private static let paid = "wxeb0650d489d69e14://pay/?returnKey=a&ret=0"

    /// A client whose payers leave, and its reports.
    private func world(
        _ service: ScriptedCitcon = ScriptedCitcon(), returnTimeout: Duration? = nil
    ) throws -> (client: CPayClient, heard: Heard) {
        let heard = Heard()
        let client = try CPayClient(
            service, clock: VirtualClock(),
            launcher: { launch in
                heard.add("opened \(Self.name(of: launch))")
                return .opened
            }, returnTimeout: returnTimeout, heard: heard)
        return (client, heard)
    }

    private static func name(of launch: CPayLaunch) -> String {
        switch launch {
        case .app(let app): app.name
        case .consent(let app): "\(app.name) for consent"
        case .page(let page): page.url.origin
        case .code: "a code"
        }
    }

    @Test("A return URL resumes the order that waits for it")
    func handleUrl() async throws {
        let (client, heard) = try world()
        #expect(!client.handleUrl("evil://pay/?ret=0") && !client.handleUrl("https://x.example/"))
        #expect(client.handleUrl(Self.paid), "known, and nobody waits")
        client.requestOrder(Shop.order()) { heard.result($0) }
        _ = await heard.first(2)
        #expect(client.pendingReferences == ["order-1"])
        #expect(client.handleUrl("com.citcon.citconpay://uppayresult?code=success"), "another wallet's")
        #expect(!client.handleUrl("wx0000000000000000://pay/?ret=0"))
        #expect(client.handleUrl(Self.paid))
        #expect(
            await heard.first(4) == [
                "confirmed initiated", "opened WeChat Pay", "result success - succeeded", "check success - succeeded",
            ])
        while !client.pendingReferences.isEmpty { await Task.yield() }
        #expect(client.handleUrl(Self.paid))
        #expect(heard.all.count == 4, "a second return changes nothing")
    }

    @Test("An order's own places are known while it waits, and no longer")
    func ownPlaces() async throws {
        let service = ScriptedCitcon(
            gateway: "toss", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect")))
        let (client, heard) = try world(service)
        let order = Shop.order("toss")
        order.urls.success = "https://shop.example/paid"
        order.urls.fail = "https://shop.example/failed"
        #expect(!client.handleUrl("https://shop.example/failed"))
        client.requestOrder(order) { heard.result($0) }
        _ = await heard.first(2)
        #expect(!client.handleUrl("https://shop.example/other") && !client.handleUrl("http://shop.example/failed"))
        #expect(client.handleUrl("https://shop.example/failed?why=x"))
        _ = await heard.first(4)
        while !client.pendingReferences.isEmpty { await Task.yield() }
        #expect(!client.handleUrl("https://shop.example/failed"))
    }

    @Test("Becoming active ends what is decided and leaves the rest open")
    func active() async throws {
        let state = Mutexed("initiated")
        let service = ScriptedCitcon(state: state)
        let (client, heard) = try world(service)
        client.applicationDidBecomeActive()
        client.requestOrder(Shop.order()) { heard.result($0) }
        _ = await heard.first(2)
        client.applicationDidBecomeActive()
        while service.calls.count < 3 { await Task.yield() }
        #expect(client.pendingReferences == ["order-1"] && heard.all.count == 2)
        state.change { $0 = "expired" }
        client.applicationDidBecomeActive()
        #expect(await heard.first(4).suffix(2) == ["result success - expired", "check success - expired"])
    }

    @Test("A return in time stops the clock, and without one the time ends the order")
    func timeOut() async throws {
        let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("pending")))
        let (client, heard) = try world(service, returnTimeout: .seconds(600))
        client.requestOrder(Shop.order()) { result in
            heard.result(result)
            #expect(result?.data.message?.contains("in time") == true && result?.isPaid == false)
        }
        #expect(await heard.first(4).suffix(2) == ["result fail -1 -", "check fail -1 -"])
    }

    @Test("Abandoning reports what the service knows")
    func cancelPending() async throws {
        for (state, line) in [
            ("succeeded", "result success - succeeded"), ("initiated", "result fail -2 -"),
            ("failed", "result success - failed"),
        ] {
            let (client, heard) = try world(ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction(state))))
            #expect(!client.cancelPending())
            client.requestOrder(Shop.order()) { heard.result($0) }
            _ = await heard.first(2)
            #expect(!client.cancelPending(reference: "order-2") && client.cancelPending(reference: "order-1"))
            #expect(await heard.first(4)[2] == line)
        }
    }

    /// A service with two orders, known by the tokens of their charges and by their transactions.
    private static func twoOrders() -> ScriptedCitcon {
        ScriptedCitcon { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"wechatpay"}"#) }
            let reference = call.hasSuffix("/first") || call.hasSuffix("/id-1") ? "order-1" : "order-2"
            let id = reference == "order-1" ? "id-1" : "id-2"
            let text = call.hasPrefix("POST") ? ScriptedCitcon.charge() : ScriptedCitcon.transaction()
            return .ok(text.replacing("order-1", with: reference).replacing("2000470537596802752517", with: id))
        }
    }

    @Test("The latest of several orders gets the wallet's return; the others wait on")
    func severalOrders() async throws {
        let (client, heard) = try world(Self.twoOrders())
        client.requestOrder(Shop.order(reference: "order-1", token: "first")) { heard.add("1 \($0?.data.id ?? "-")") }
        _ = await heard.first(2)
        client.requestOrder(Shop.order(reference: "order-2", token: "second")) { heard.add("2 \($0?.data.id ?? "-")") }
        _ = await heard.first(4)
        #expect(client.pendingReferences == ["order-1", "order-2"])
        client.handleUrl(Self.paid)
        #expect(await heard.first(6)[4] == "2 id-2")
        while client.pendingReferences.count > 1 { await Task.yield() }
        client.handleUrl(Self.paid)
        #expect(await heard.first(8)[6] == "1 id-1")
    }

    @Test("What a launch brings back is about its own order, also while a later one waits")
    func ownReturn() async throws {
        let heard = Heard()
        let (stream, isReady) = AsyncStream<Void>.makeStream()
        let count = Mutexed(0)
        let client = try CPayClient(
            Self.twoOrders(),
            launcher: { _ in
                count.change { $0 += 1 }
                guard count.value == 1 else { return .opened }
                heard.add("the first is away")
                for await _ in stream { break }
                return .returned(url: Self.paid)
            })
        client.requestOrder(Shop.order(reference: "order-1", token: "first")) { heard.add("1 \($0?.data.id ?? "-")") }
        _ = await heard.first(1)
        client.requestOrder(Shop.order(reference: "order-2", token: "second")) { heard.add("2 \($0?.data.id ?? "-")") }
        while count.value < 2 { await Task.yield() }
        isReady.yield()
        #expect(await heard.first(2)[1] == "1 id-1")
        #expect(client.pendingReferences.contains("order-2"))
        client.handleUrl(Self.paid)
        #expect(await heard.first(3)[2] == "2 id-2")
    }

    @Test("Consent comes by a URL, once, before the charge is confirmed")
    func consent() async throws {
        let service = ScriptedCitcon(
            gateway: "braintree", confirm: .ok(ScriptedCitcon.charge("", status: "authorized")),
            inquiry: .ok(ScriptedCitcon.transaction("authorized")), before: ScriptedCitcon.waiting)
        let (client, heard) = try world(service)
        let base = "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/"
        client.requestOrder(Shop.order("venmo")) { heard.result($0) }
        #expect(await heard.first(1) == ["opened Braintree for consent"])
        client.applicationDidBecomeActive()
        #expect(service.calls == ["POST config", "GET transactions/order-1?type=reference"])
        #expect(client.handleUrl(base + "success?paymentMethodNonce=nonce-1"))
        #expect(
            await heard.first(4).suffix(3) == [
                "confirmed authorized", "result success - authorized", "check success - authorized",
            ])
        #expect(service.seen[2].body?["payment"]?["nonce"] == "nonce-1")
        #expect(service.seen[2].body?["payment"]?["indicator"] == "braintree")
    }

    static let refusals: [(String, String)] = [
        ("cancel", "-2"), ("error?errorCode=1", "-1"), ("success", "-1"), ("success?paymentMethodNonce=", "-1"),
    ]

    @Test("Without consent nothing is confirmed", arguments: refusals)
    func noConsent(_ path: String, _ code: String) async throws {
        let service = ScriptedCitcon(gateway: "braintree", before: ScriptedCitcon.waiting)
        let (client, heard) = try world(service)
        client.requestOrder(Shop.order("venmo")) { heard.result($0) }
        _ = await heard.first(1)
        #expect(client.handleUrl("\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/\(path)"))
        #expect(await heard.first(3).suffix(2) == ["result fail \(code) -", "check fail \(code) -"])
        #expect(service.calls == ["POST config", "GET transactions/order-1?type=reference"])
    }

    @Test("What cannot be opened is reported, and so is what was paid nevertheless")
    func impossible() async throws {
        for (state, line) in [("initiated", "result fail -1 -"), ("succeeded", "result success - succeeded")] {
            let heard = Heard()
            let client = try CPayClient(
                ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction(state))),
                launcher: { _ in .impossible(reason: "no WeChat") }, heard: heard)
            client.requestOrder(Shop.order()) { heard.result($0) }
            #expect(await heard.first(3)[1] == line)
        }
    }

    @Test("Every listener receives every event")
    func listeners() async throws {
        let (client, heard) = try world()
        let streams = [client.events, client.events]
        client.requestOrder(Shop.order()) { _ in }
        // Only an order whose wallet was opened accepts its return.
        _ = await heard.first(2)
        #expect(client.handleUrl(Self.paid))
        for stream in streams {
            var lines: [String] = []
            for await event in stream {
                switch event {
                case .orderConfirmed: lines.append("confirmed")
                case .returnRefused: lines.append("refused")
                case .checked(let check): lines.append("checked \(check.data.status ?? "-")")
                }
                if lines.count == 2 { break }
            }
            #expect(lines == ["confirmed", "checked succeeded"])
        }
    }

    @Test("A payer's browser, apps and codes open what has to be opened")
    func payer() async throws {
        let page = CPayLaunch.page(PageRequest(url: try HTTPURL("https://x.example/")))
        let app = CPayLaunch.app(AppRequest(name: "Alipay", url: nil))
        let code = CPayLaunch.code(CodeRequest(text: Redacted("x")))
        for launch in [page, app, code] {
            guard case .impossible = await Payer().citconLauncher(launch) else {
                Issue.record("nobody opened it")
                continue
            }
        }
        let link = try PaymentLink(Self.paid)
        let payer = Payer(
            browser: { _ in link }, appLauncher: { _ in throw CancellationError() }, codeDisplay: { _ in })
        #expect(await payer.citconLauncher(page) == .returned(url: Self.paid))
        #expect(await payer.citconLauncher(code) == .opened)
        guard case .impossible(let reason) = await payer.citconLauncher(app) else { return }
        #expect(reason.contains("CancellationError"))
    }
}
