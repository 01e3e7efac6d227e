import PaymentCore
import Testing

@testable import WalletConnectPayKit
@testable import WalletConnectPayProvider

/// The exact requests: addresses, header fields and bodies (Protocol 1.2 to 1.4).
@Suite struct ClientRequestTests {
    static let script: [String: [ScriptedService.Answer]] = [
        "options": [.ok(Script.options([Script.option("o", [])]))], "fetch": [.ok(Script.actions([Script.call("1")]))],
        "confirm": [.ok(Script.status("succeeded", isFinal: true))],
        "status": [.ok(Script.status("succeeded", isFinal: true))],
        "cancel": [.ok(#"{"paymentId":"pay_1","status":"cancelled","cancelledReason":"cancelled_by_user"}"#)],
    ]

    static func world(
        _ credentials: GatewayConfiguration.Credentials = .apiKey(Redacted("the-key"))
    ) throws -> ClientWorld {
        try ClientWorld(ScriptedService(script), credentials: credentials)
    }

    // MARK: Header fields

    @Test("Every request names its sender")
    func everyRequestSaysWhoAsks() async throws {
        for (credentials, own) in [
            (GatewayConfiguration.Credentials.apiKey(Redacted("k")), ["Api-Key": "k"]),
            (.app(id: Redacted("a"), clientID: "c"), ["App-Id": "a", "Client-Id": "c"]),
        ] {
            let world = try Self.world(credentials)
            try await Self.callEverything(world.client)
            #expect(world.service.verbs == ["options", "fetch", "confirm", "status", "cancel"])
            for seen in world.service.seen {
                #expect(seen.headers["WCP-Version"] == "2026-02-19.preview")
                #expect(seen.headers["api-version"] == "2026-02-19.preview")
                #expect(seen.headers["Accept"] == "application/json")
                #expect(seen.headers["Content-Type"] == (seen.body.isEmpty ? nil : "application/json"))
                for name in ["Sdk-Name", "Sdk-Version", "Sdk-Platform"] {
                    #expect(seen.headers[name]?.isEmpty == false, "\(name)")
                }
                for name in ["Api-Key", "App-Id", "Client-Id"] { #expect(seen.headers[name] == own[name]) }
                // The client itself repeats requests.
                #expect(seen.replay == .never)
            }
        }
    }

    static func callEverything(_ client: PayClient) async throws {
        _ = try await client.getPaymentOptions(paymentLink: "pay_1", accounts: [Script.account])
        _ = try await client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
        _ = try await client.confirmPayment(paymentId: "pay_1", optionId: "o", signatures: ["s"])
        _ = try await client.getPaymentStatus(paymentId: "pay_1")
        _ = try await client.cancelPayment(paymentId: "pay_1")
    }

    // MARK: Addresses

    @Test("Requests go to the right addresses")
    func addresses() async throws {
        let world = try Self.world()
        try await Self.callEverything(world.client)
        _ = try await world.client.getPaymentOptions(
            paymentLink: "https://pay.walletconnect.com/?pid=pay_2", accounts: [], includePaymentInfo: false)
        _ = try await world.client.confirmPayment(
            paymentId: "pay_1", optionId: "o", signatures: [], maxPollMs: 60_000)
        let base = "https://api.pay.walletconnect.com/v1/gateway/payment/"
        #expect(
            world.service.seen.map { "\($0.method) \($0.url)" } == [
                "POST \(base)pay_1/options?includePaymentInfo=true", "POST \(base)pay_1/fetch",
                "POST \(base)pay_1/confirm", "GET \(base)pay_1/status", "POST \(base)pay_1/cancel",
                "POST \(base)pay_2/options?includePaymentInfo=false", "POST \(base)pay_1/confirm?maxPollMs=60000",
            ])
    }

    static let ids: [(String, String)] = [
        ("https://pay.walletconnect.com/?pid=pay_1%202", "pay_1%202"),
        ("http://pay.walletconnect.com/abc/123", "abc%2F123"),
        // A foreign link is sent whole, encoded twice.
        ("https://pay.wct.me/123", "https%253A%252F%252Fpay.wct.me%252F123"),
        (
            "https://shop.example/a/../b?pid=pay_1",
            "https%253A%252F%252Fshop.example%252Fa%252F..%252Fb%253Fpid%253Dpay_1"
        ),
        // So is a path of several parts: one segment, with any content.
        ("https://pay.walletconnect.com/pay_123/", "pay_123%2F"),
        ("https://pay.walletconnect.com/pay_123/cancel", "pay_123%2Fcancel"),
    ]

    @Test("Ids are encoded once more", arguments: ids)
    func idsAreEncodedOnceMore(_ link: String, _ segment: String) async throws {
        let world = try Self.world()
        _ = try await world.client.getPaymentOptions(paymentLink: link, accounts: [])
        #expect(world.service.seen[0].url.contains("/payment/\(segment)/options"))
    }

    @Test(
        "For links without an id nothing leaves", arguments: ["", "https://pay.walletconnect.com/", "pay_123/cancel"])
    func linksWithoutAnIdLeaveNothing(_ link: String) async throws {
        let world = try Self.world()
        await #expect(throws: GetPaymentOptionsError.invalidRequest("unsupported payment link format")) {
            _ = try await world.client.getPaymentOptions(paymentLink: link, accounts: [])
        }
        #expect(world.service.seen.isEmpty)
    }

    @Test(
        "For ids that are no path segment nothing leaves",
        arguments: [
            "", ".", "..", "pay_1/../pay_2", "../pay_1", "pay_1\\..\\x", "pay_1\u{0}", "pay_1\n", "pay_1\u{9B}",
            "%2e%2e%2fx",
            "pay_1%2F..%2Fx", "%252e%252e", "pay_1%00", "pay_1%250a",
        ])
    func idsThatAreNoSegmentLeaveNothing(_ id: String) async throws {
        let world = try Self.world()
        await #expect(throws: GetPaymentStatusError.self) { try await world.client.getPaymentStatus(paymentId: id) }
        await #expect(throws: GetPaymentRequestError.self) {
            try await world.client.getRequiredPaymentActions(paymentId: id, optionId: "o")
        }
        await #expect(throws: ConfirmPaymentError.self) {
            try await world.client.confirmPayment(paymentId: id, optionId: "o", signatures: [])
        }
        await #expect(throws: PayError.self) { try await world.client.cancelPayment(paymentId: id) }
        #expect(world.service.seen.isEmpty)
    }

    /// An option's id appears in later requests, and in messages.
    @Test("An option without a usable id is refused", arguments: ["", "a\\u0000b", "a\\nb", "\\u009b31m", "\\u202e"])
    func anOptionWithoutAUsableIdIsRefused(
        _ id: String
    ) async throws {
        var script = Self.script
        script["options"] = [.ok(Script.options([Script.option(id, [Script.call("1")])]))]
        let world = try ClientWorld(script)
        await #expect(throws: GetPaymentOptionsError.self) { try await world.options() }
    }

    // MARK: Bodies

    @Test("Bodies are exactly the vendor's")
    func bodies() async throws {
        let world = try Self.world()
        _ = try await world.client.getPaymentOptions(paymentLink: "pay_1", accounts: [Script.account])
        _ = try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
        let collected = [
            CollectDataFieldResult(id: "fullName", value: "John Smith"),
            CollectDataFieldResult(id: "tosConfirmed", value: "true"),
        ]
        _ = try await world.client.confirmPayment(
            paymentId: "pay_1", optionId: "opt_123", signatures: ["0x123", #"{"a":1}"#], collectedData: collected)
        _ = try await world.client.confirmPayment(
            paymentId: "pay_1", optionId: "opt_123", signatures: ["0x123"], collectedData: [])
        _ = try await world.client.confirmPayment(
            paymentId: "pay_1", optionId: "opt_123", data: ["0x123", #"{"raw":"x","n":1}"#, "[1]", "17", "{broken", ""])
        _ = try await world.client.getPaymentStatus(paymentId: "pay_1")
        _ = try await world.client.cancelPayment(paymentId: "pay_1")
        #expect(
            world.service.seen.map(\.body) == [
                #"{"accounts":["\#(Script.account)"]}"#,
                #"{"data":"","optionId":"o"}"#,
                #"{"collectedData":{"fields":[{"id":"fullName","value":"John Smith"},{"id":"tosConfirmed","value":"true"}]},"#
                    + #""optionId":"opt_123","results":[{"data":["0x123"],"type":"walletRpc"},{"data":["{\"a\":1}"],"type":"walletRpc"}]}"#,
                #"{"optionId":"opt_123","results":[{"data":["0x123"],"type":"walletRpc"}]}"#,
                #"{"optionId":"opt_123","results":[{"data":["0x123"],"type":"walletRpc"},"#
                    + #"{"data":[{"n":1,"raw":"x"}],"type":"walletRpc"},{"data":[[1]],"type":"walletRpc"},"#
                    + #"{"data":["17"],"type":"walletRpc"},{"data":["{broken"],"type":"walletRpc"},"#
                    + #"{"data":[""],"type":"walletRpc"}]}"#,
                "", "",
            ])
    }

    @Test("A build action hands its data back")
    func aBuildActionHandsItsDataBack() async throws {
        var script = Self.script
        script["options"] = [.ok(Script.options([Script.option("o", [Script.build("some_data")])]))]
        let world = try ClientWorld(script)
        _ = try await world.options()
        _ = try await world.client.getRequiredPaymentActions(paymentId: "pay_1", optionId: "o")
        #expect(world.service.seen[1].body == #"{"data":"some_data","optionId":"o"}"#)
    }

    @Test("Requests that may be held get more time")
    func requestsThatMayBeHeldGetMoreTime() async throws {
        let world = try Self.world()
        for (poll, seconds) in [(nil, 30), (60_000, 90), (-5, 30), (Int64.max, 330)] as [(Int64?, Int64)] {
            _ = try await world.client.confirmPayment(
                paymentId: "p", optionId: "o", signatures: [], maxPollMs: poll)
            #expect(world.service.seen.last?.timeout == .seconds(seconds))
            #expect(world.service.seen.last?.url.contains("maxPollMs") == (poll.map { $0 > 0 } ?? false))
        }
    }
}
