import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import CitconKit
@testable import CitconProvider

/// Return URLs that name another order than the one they returned to.
@Suite struct ReturnNameTests {
    private static let order = #"partner=\"2088\"&out_trade_no=\"A-1\"&total_fee=\"1250\""#
    private static let alipayPayload = #"{"orderSpec":"\#(order)","signedString":"a%2Bb"}"#

    private static func alipay(_ number: String, _ status: String = "9000") -> String {
        let echo = "partner=\"2088\"&out_trade_no=\"\(number)\"&success=\"true\"&sign_type=\"RSA\"&sign=\"x\""
        let json: JSONValue = [
            "memo": ["ResultStatus": .string(status), "memo": "", "result": .string(echo)], "requestType": "safepay",
        ]
        return "\(Shop.scheme)://safepay/?\(PercentCoding.encode(json.text))"
    }

    private static func unionPay(_ number: String, _ code: String = "success") -> String {
        let json: JSONValue = ["sign": "eA==", "data": .string("pay_result=\(code)&tn=\(number)&cert_id=1")]
        return "\(Shop.scheme)://uppayresult?code=\(code)&data=\(PercentCoding.encode(json.text))"
    }

    /// Method, gateway, confirmation, this order's return, and the returns of others.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: String
        let gateway: String
        let confirm: String
        let own: String
        let foreign: [String]

        var testDescription: String { method }
    }

    static let cases = [
        Case(
            method: "alipay", gateway: "alipay", confirm: ScriptedCitcon.charge(alipayPayload), own: alipay("A-1"),
            foreign: [alipay("A-2"), alipay("A-2", "6001"), alipay("")]),
        Case(
            method: "upop", gateway: "upop", confirm: ScriptedCitcon.charge(#"{"tn":"812345"}"#),
            own: unionPay("812345"),
            foreign: [unionPay("812346"), unionPay("812346", "cancel"), unionPay("812345&tn=812346")]),
        Case(
            method: "toss", gateway: "toss",
            confirm: ScriptedCitcon.charge("https://x.example/", format: "redirect"),
            own: "\(Shop.scheme)://?reference=order-1&id=2000470537596802752517&status=success",
            foreign: [
                "\(Shop.scheme)://?reference=order-2", "\(Shop.scheme)://?transaction_reference=order-2",
                "\(Shop.scheme)://?id=2000470537596802752518", "\(Shop.scheme)://?transaction_id=7",
                "\(Shop.scheme)://?charge_token=ffffffffffffffffffffffffffffffff",
                "\(Shop.scheme)://?reference=order-1&reference=order-2", "\(Shop.scheme)://?reference=",
                "\(Shop.scheme)://?reference=%zz",
            ]),
        Case(
            method: "wechatpay", gateway: "wechatpay", confirm: ScriptedCitcon.charge(),
            own: "wxeb0650d489d69e14://pay/?returnKey=a&ret=0&reference=order-1",
            foreign: ["wxeb0650d489d69e14://pay/?returnKey=a&ret=-2&reference=order-2"]),
    ]

    private static func service(_ row: Case, _ state: Mutexed<String>) -> ScriptedCitcon {
        ScriptedCitcon(gateway: row.gateway, confirm: .ok(row.confirm), state: state)
    }

    @Test("A client takes the order's own return and refuses another's, which changes nothing", arguments: cases)
    func client(_ row: Case) async throws {
        let state = Mutexed("initiated")
        let heard = Heard()
        let client = try CPayClient(
            Self.service(row, state), clock: VirtualClock(), launcher: { _ in .opened }, heard: heard)
        client.requestOrder(Shop.order(row.method)) { heard.result($0) }
        _ = await heard.first(1)
        for foreign in row.foreign {
            // The wallet may not have been opened yet.
            while client.handleUrl(foreign) { await Task.yield() }
        }
        while heard.all.count < 1 + row.foreign.count { await Task.yield() }
        #expect(heard.all.count { $0.hasPrefix("refused ") } >= row.foreign.count)
        #expect(client.pendingReferences == ["order-1"] && !heard.all.contains { $0.hasPrefix("result") })
        state.change { $0 = "succeeded" }
        #expect(client.handleUrl(row.own))
        while !heard.all.contains(where: { $0.hasPrefix("result success") }) { await Task.yield() }
    }

    @Test("A launcher that brings another order's return leaves the order open", arguments: cases)
    func launched(_ row: Case) async throws {
        let state = Mutexed("initiated")
        for foreign in row.foreign {
            state.change { $0 = "initiated" }
            let heard = Heard()
            let client = try CPayClient(
                Self.service(row, state), clock: VirtualClock(), launcher: { _ in .returned(url: foreign) },
                heard: heard)
            client.requestOrder(Shop.order(row.method)) { heard.result($0) }
            _ = await heard.first(2)
            #expect(heard.all[1].hasPrefix("refused "), "\(heard.all)")
            #expect(client.pendingReferences == ["order-1"])
            state.change { $0 = "succeeded" }
            #expect(client.handleUrl(row.own))
            while !heard.all.contains(where: { $0.hasPrefix("result success") }) { await Task.yield() }
        }
    }

    @Test("Behind a router: a page or wallet that leads back for another order", arguments: cases)
    func visit(_ row: Case) async throws {
        for foreign in row.foreign {
            let state = Mutexed("initiated")
            let journal = InMemoryJournal()
            let router = try Shop.router(Self.service(row, state), journal)
            let opened = Mutexed(0)
            @Sendable func back() throws -> PaymentLink {
                opened.change { $0 += 1 }
                return try PaymentLink(foreign)
            }
            let payer = Payer(
                browser: { _ in try back() }, appLauncher: { _ in try back() }, policy: .firstWhateverItCosts)
            let link = LinkTests.good.replacing("wechatpay", with: row.method)
            let outcome = try await router.pay(link, as: payer)
            let unknown = try #require(outcome.unknownOutcome, "\(foreign): \(outcome)")
            #expect(unknown.message.contains("another order") && opened.value == 1)
            #expect(await journal.unfinished().count == 1)
            state.change { $0 = "succeeded" }
            #expect(try await router.pay(link, as: payer).description.hasPrefix("paid"))
        }
    }

    @Test("A return URL handed to a router, whose order it does not name")
    func handled() async throws {
        let state = Mutexed("pending")
        let journal = InMemoryJournal()
        let service = Self.service(Self.cases[2], state)
        let router = try Shop.router(service, journal)
        let link = LinkTests.good.replacing("wechatpay", with: "toss")
        let payer = Payer(browser: { _ in nil }, policy: .firstWhateverItCosts)
        #expect(try await router.pay(link, as: payer) == .pending(retryAfter: nil))
        state.change { $0 = "succeeded" }
        for foreign in Self.cases[2].foreign {
            #expect(await failure { _ = try await router.handle(foreign) }?.code == .foreignReturn)
            #expect(await journal.unfinished().count == 1, "\(foreign)")
        }
        #expect(try await router.handle(Self.cases[2].own)?.description.hasPrefix("paid") == true)
    }

    @Test("A return that names a charge is none of an attempt that states no charge")
    func namelessCharge() async throws {
        let order = try CitconOrderLink(PaymentLink(LinkTests.good))
        let provider = try Shop.provider()
        let service = ScriptedCitcon(inquiry: .ok(ScriptedCitcon.transaction("succeeded")))
        func complete(_ query: String, _ data: JSONValue?) async throws -> ServiceReport {
            let option = PaymentMethodOption(
                id: order.method, title: "WeChat Pay", amount: order.amount, providerData: data)
            let attempt = PaymentAttempt(
                id: AttemptID(rawValue: "att_1"),
                reference: PaymentReference(provider: CitconProvider.id, id: "uat/order-1"), option: option,
                idempotencyKey: "k", startedAt: VirtualClock().now, expiresAt: nil)
            let context = ProviderContext.unstored(
                hosts: provider.descriptor.outboundHosts, http: service, clock: VirtualClock())
            return try await provider.complete(
                try PaymentLink("\(Shop.scheme)://?\(query)"), for: attempt, in: context)
        }
        let own = "charge_token=\(order.token.reveal())"
        let known = try JSONValue.encode(OrderTerms(order.token))
        for (query, data) in [(own, known), ("reference=order-1", nil), ("reference=order-1", known)] {
            #expect(try await complete(query, data).isFinal, "\(query)")
        }
        for data: JSONValue? in [nil, .null, [:], ["charge": ""]] {
            for query in [own, "charge_token=", "reference=order-1&\(own)"] {
                #expect(await failure { _ = try await complete(query, data) }?.code == .foreignReturn, "\(query)")
            }
        }
    }

    @Test("Of two open orders the one that is named gets the return, also when it is not the latest")
    func severalOrders() async throws {
        let state = Mutexed("pending")
        let service = ScriptedCitcon { call, _ in
            if call == "POST config" { return .ok(#"{"gateway":"toss"}"#) }
            let number = call.contains("first") || call.hasSuffix("517") || call.contains("order-1") ? 1 : 2
            let text =
                call.hasPrefix("POST")
                ? ScriptedCitcon.charge("https://x.example/", format: "redirect")
                : ScriptedCitcon.transaction(state.value)
            return .ok(
                text.replacing("order-1", with: "order-\(number)")
                    .replacing("2000470537596802752517", with: "200047053759680275251\(number == 1 ? 7 : 8)"))
        }
        let router = try Shop.router(service)
        for (number, token) in [(1, "first"), (2, "second")] {
            let link = LinkTests.good.replacing("wechatpay", with: "toss").replacing("order-1", with: "order-\(number)")
                .replacing("62d5c1e0242011eda300f59379b812ce", with: token)
            #expect(
                try await router.pay(link, as: Payer(browser: { _ in nil }, policy: .firstWhateverItCosts))
                    == .pending(retryAfter: nil))
        }
        state.change { $0 = "succeeded" }
        let outcome = try await router.handle("\(Shop.scheme)://?reference=order-1")
        let receipt = try #require(outcome?.receipt)
        #expect(receipt.transactionID == "2000470537596802752517")

        let heard = Heard()
        let client = try CPayClient(
            service, clock: VirtualClock(),
            launcher: { _ in
                heard.add("opened")
                return .opened
            }, heard: heard)
        for (number, token) in [(1, "first"), (2, "second")] {
            // Only an order whose page was opened accepts its return.
            client.requestOrder(Shop.order("toss", reference: "order-\(number)", token: token)) {
                heard.add("\(number) \($0?.data.id ?? "-")")
            }
            _ = await heard.first(2 * number)
        }
        #expect(client.handleUrl("\(Shop.scheme)://?reference=order-1"))
        while !heard.all.contains("1 2000470537596802752517") { await Task.yield() }
        while client.pendingReferences.contains("order-1") { await Task.yield() }
        #expect(client.pendingReferences == ["order-2"])
    }

    @Test("A merchant's own address is not taken for the payment page")
    func ownQuery() async throws {
        let service = ScriptedCitcon(
            gateway: "toss", confirm: .ok(ScriptedCitcon.charge("https://x.example/", format: "redirect")))
        let order = Shop.order("toss")
        order.urls.success = "https://shop.example/paid?id=42"
        let client = try CPayClient(
            service, launcher: { _ in .returned(url: "https://shop.example/paid?id=42&reference=order-1") })
        #expect(await client.requestOrder(order).isPaid)
    }

    @Test("Consent that names another order is not this order's")
    func consent() async throws {
        let back =
            "\(Shop.scheme).payments://x-callback-url/vzero/auth/venmo/success?paymentMethodNonce=n&reference=order-2"
        let service = ScriptedCitcon(gateway: "braintree", inquiry: .ok(ScriptedCitcon.transaction("initiated")))
        let payer = Payer(appLauncher: { _ in try PaymentLink(back) }, policy: .firstWhateverItCosts)
        let error = await failure {
            _ = try await Shop.router(service).pay(LinkTests.good.replacing("wechatpay", with: "venmo"), as: payer)
        }
        #expect(error?.code == .foreignReturn && error?.phase == .beforeSend)
        #expect(service.confirmations == 0)
    }

    @Test("A return that comes before the wallet was opened is not kept for it")
    func tooEarly() async throws {
        let (gate, goOn) = AsyncStream<Void>.makeStream()
        let gated = RecordingTransport(over: Self.service(Self.cases[1], Mutexed("initiated")))
        gated.before { if $0.url.path.contains("/charges/") { for await _ in gate { break } } }
        let heard = Heard()
        let client = try CPayClient(gated, launcher: { _ in .opened }, heard: heard)
        client.requestOrder(Shop.order("upop")) { heard.result($0) }
        while client.pendingReferences.isEmpty { await Task.yield() }
        #expect(client.handleUrl(Self.unionPay("812346", "cancel")), "known, and nobody waits")
        goOn.yield()
        _ = await heard.first(1)
        for _ in 0..<100 { await Task.yield() }
        #expect(heard.all == ["confirmed initiated"] && client.pendingReferences == ["order-1"])
        client.cancelPending()
    }
}
