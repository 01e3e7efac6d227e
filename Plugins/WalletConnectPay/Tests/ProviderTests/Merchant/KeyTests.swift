import PaymentCore
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing
import WalletConnectPayMerchant
import WalletConnectPaySandbox

/// API keys, merchants' ids, and the live and test environments (Protocol 1.2 and 1.3).
@Suite struct KeyTests {
    @Test("The key's beginning decides between test and live")
    func modes() throws {
        #expect(try Shop.Key(Redacted("wcp_test_a")).mode == .test)
        #expect(try Shop.Key(Redacted("wcp_a")).mode == .live)
        #expect(try ShopWorld(live: false).merchant.mode == .test)
    }

    @Test("A key has at most 512 printable characters without blanks")
    func lengths() throws {
        let longest = "wcp_!~" + String(repeating: "k", count: 506)
        #expect(try Shop.Key(Redacted(longest)).mode == .live)
        #expect(throws: PaymentError.self) { try Shop.Key(Redacted(longest + "k")) }
    }

    @Test(
        "What is no key is refused",
        arguments: ["", "wcp_", "wcp_test_", "sk-1", "WCP_a", "wcp_a b", "wcp_é", "wcp_a\u{7F}"])
    func noKeys(_ text: String) {
        let error = #expect(throws: PaymentError.self) { try Shop.Key(Redacted(text)) }
        #expect(error?.code == .unauthorized)
        #expect(text.isEmpty || error?.message.contains("'\(text)'") == false)
    }

    @Test("A merchant's id has up to 256 letters, digits and signs")
    func longestID() throws {
        let key = try Shop.Key(WalletConnectPaySandbox.liveKey)
        let id = "mrch-_.:" + String(repeating: "9", count: 248)
        #expect(try WalletConnectPayMerchant(merchantID: id, key: key).merchantID == id)
        #expect(throws: PaymentError.self) { try WalletConnectPayMerchant(merchantID: id + "9", key: key) }
    }

    @Test("A payment is asked about under its merchant's name, and may have an id of one letter")
    func payments() async throws {
        let world = try ShopWorld()
        let foreign = PaymentReference(provider: "another-merchant", id: "pay_1")
        #expect(await failure { _ = try await world.client.payment(foreign) }?.phase == .beforeSend)
        #expect(world.faults.requests.isEmpty)
        let short = PaymentReference(provider: Shop.id, id: "pay_1")
        #expect(await failure { _ = try await world.client.payment(short) }?.code == .notFound)
    }

    @Test(
        "Ids and addresses that cannot be sent are refused", arguments: ["", ".", "..", "a/b", "a\nb", "ü", "a b"])
    func ids(_ id: String) async throws {
        let key = try Shop.Key(WalletConnectPaySandbox.liveKey)
        #expect(throws: PaymentError.self) { try WalletConnectPayMerchant(merchantID: id, key: key) }
        #expect(throws: PaymentError.self) {
            try WalletConnectPayMerchant(merchantID: "m", key: key, baseURL: "http://api.example")
        }
        let world = try ShopWorld()
        for payment in [
            id, "pay_", "buy_1", "pay_-1", "pay_a-1", "pay_" + String(repeating: "a", count: 61), "pay_1/cancel",
        ] {
            let reference = PaymentReference(provider: Shop.id, id: payment)
            let error = await failure { _ = try await world.router.cancel(reference) }
            #expect(error?.code == .requestRefused && error?.phase == .beforeSend)
        }
        #expect(world.faults.requests.isEmpty)
    }

    @Test("Neither the key nor the webhooks' secret is printed or journaled")
    func secrets() async throws {
        let (world, payment) = try await ShopWorld.paid()
        _ = try await world.router.refund(world.refund(payment))
        var text = ""
        dump(world.merchant, to: &text)
        dump(world.merchant.descriptor, to: &text)
        dump(world.wire.requests, to: &text)
        for reference in [payment.reference, world.refund(payment).reference] {
            dump(await world.journal.histories(of: reference), to: &text)
        }
        text += "\(world.merchant) \(world.wire.requests)"
        #expect(!text.contains(WalletConnectPaySandbox.liveKey.reveal()))
        #expect(!text.contains("c2FuZGJveC13ZWJob29r") && !text.contains("sandbox-webhook"))
    }

    @Test("Every call shows the key, and those about payments the merchant")
    func headers() async throws {
        let (world, payment) = try await ShopWorld.paid()
        _ = try await world.client.payment(payment.reference)
        _ = try await world.client.payments()
        _ = try await world.accounts.merchants()
        _ = try await world.accounts.updateMerchant(WalletConnectPaySandbox.merchantID, .init(name: "Shop"))
        let calls = world.wire.requests.filter { !$0.url.path.hasPrefix("/v1/gateway") }
        #expect(calls.allSatisfy { $0.headers["Api-Key"] == WalletConnectPaySandbox.liveKey.reveal() })
        #expect(calls.allSatisfy { $0.headers["WCP-Version"] == "2026-02-19.preview" })
        #expect(calls.allSatisfy { $0.headers["Authorization"] == nil })
        #expect(
            calls.map { $0.headers["Merchant-Id"] }
                == Array(repeating: WalletConnectPaySandbox.merchantID, count: 3) + [nil, nil])
        #expect(calls.map { $0.headers["Content-Type"] != nil } == [true, false, false, false, true])
        #expect(calls.allSatisfy { $0.replay == .safe && $0.timeout == .seconds(30) && $0.responseLimit == 4_194_304 })
    }

    @Test("Test and live do not see each other")
    func worlds() async throws {
        let world = try ShopWorld()
        let test = try ShopWorld.merchant(id: "shop-test", live: false, clock: world.clock)
        let client = test.client(over: world.wire, clock: world.clock)
        let live = try await world.payment()
        let other = try await client.createPayment(ShopWorld.order())
        let foreign = PaymentReference(provider: test.id, id: live.reference.id)
        #expect(await failure { _ = try await client.payment(foreign) }?.code == .notFound)
        #expect(
            await failure { _ = try await world.client.report(of: .init(provider: Shop.id, id: other.reference.id)) }?
                .vendorCode == "payment_not_found")
        #expect(try await client.payments().payments.map(\.payment) == [other.reference])
        #expect(try await world.client.payments().payments.map(\.payment) == [live.reference])
        // Test payments are marked in the place of their transaction.
        _ = try await world.router.pay(other.link, as: SandboxWallet().payer())
        let receipt = try #require(try await client.report(of: other.reference).receipt, "not paid")
        #expect(receipt.transactionID == "test:\(other.reference.id)")
    }

    @Test("A key that the service does not know, or another merchant's id, opens nothing")
    func strangers() async throws {
        let (world, payment) = try await ShopWorld.unpaid()
        let stranger = try WalletConnectPayMerchant(
            merchantID: WalletConnectPaySandbox.merchantID, key: Shop.Key(Redacted("wcp_other")))
        let refused = await failure {
            _ = try await stranger.client(over: world.wire, clock: world.clock).payment(payment.reference)
        }
        #expect(refused?.code == .unauthorized && refused?.vendorCode == "invalid_api_key")
        let other = try ShopWorld.merchant(merchantID: "mrch_other", clock: world.clock)
        let client = other.client(over: world.wire, clock: world.clock)
        #expect(await failure { _ = try await client.payment(payment.reference) }?.code == .notFound)
        let unmade = await failure { _ = try await client.createPayment(ShopWorld.order()) }
        #expect(unmade?.vendorCode == "merchant_not_found" && unmade?.phase == .answered)
    }
}
