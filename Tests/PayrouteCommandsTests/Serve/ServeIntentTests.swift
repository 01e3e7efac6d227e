import Foundation
import PaymentCore
import PaymentLoopback
import PaymentRouting
import PaymentStore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Several requests for one payment, by several keys: each is bound by its own terms, and what is stated is the
/// ledger's.
@Suite("serve: keys for one payment")
struct ServeIntentTests {
    private static let link: JSONValue = "https://shop.example/order/7"
    private static let proof: JSONValue = ["preimage": .string(Hex.encode(Shop.preimage(of: "7")))]

    private static func id(_ payment: JSONValue) throws -> String { try #require(payment["id"]?.string) }

    @Test("A text that is not clear is paid for no caller, whatever the caller accepts")
    func unclear() async throws {
        let served = try await ServedShop([])
        let terms: [JSONValue] = [
            ["option": "tab"], ["limits": [["amount": "100.00", "unit": "iso4217/EUR"]]], ["acceptingUnverified": true],
        ]
        for (index, terms) in terms.enumerated() {
            var order = terms
            order["link"] = "https://shop.example/unclear/7"
            let refused = try await served.pay(order, key: "k\(index)")
            #expect(refused["outcome"]?["error"]?["code"] == "unclear-text", "\(refused.text)")
            #expect(refused["state"] == "ended")
        }
        let quote = try await served.call(.post, "/v1/quotes", ["link": "https://shop.example/unclear/7"])
        #expect(quote.json.text.contains("unclear-text"), "\(quote.json.text)")
        #expect(await served.shop.charges == 0)
    }

    @Test("A key that waits for another key's payer is not called cancelled, and is paid when that one is")
    func cancelledBesideAnother() async throws {
        let served = try await ServedShop([])
        let first = try await served.pay(["link": Self.link, "option": "coin"], key: "a")
        #expect(first["state"] == "waiting", "\(first.text)")
        let second = try await served.begin(["link": Self.link, "option": "coin"], key: "b").json
        let path = "/v1/payments/\(try Self.id(second))"
        let cancelled = try await served.call(.post, path + "/cancel")
        #expect(cancelled.status == 409, "\(cancelled.json.text)")
        let left = try await served.call(.get, path).json
        #expect(left["state"] == "interrupted" && left["outcome"]?["outcome"] == "unknown", "\(left.text)")
        #expect(try await served.answer(first, Self.proof)["outcome"]?["outcome"] == "succeeded")
        await served.api.payments.look()
        let ended = try await served.call(.get, path).json
        #expect(ended["state"] == "ended" && ended["outcome"]?["outcome"] == "succeeded", "\(ended.text)")
        #expect(await served.shop.charges == 1)
    }

    @Test("A payment that ended as paid while nothing ran for its key is not called cancelled")
    func cancelledAfterItsEnd() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop([], in: folder, shop: shop)
        let asked = try #require(try await first?.pay(["link": Self.link, "option": "coin"]))
        await first?.api.payments.drain(within: .zero)
        first = nil
        let served = try await ServedShop.reopened([], in: folder, shop: shop)
        let attempt = try #require(try await SQLiteJournal(path: folder.file("journal")).unfinished().first?.attempt.id)
        _ = try await served.api.session.router.end(attempt, as: .paid, by: "Ann", evidence: "the payee's receipt")
        let path = "/v1/payments/\(try Self.id(asked))"
        let ended = try await served.call(.post, path + "/cancel").json
        #expect(ended["state"] == "ended" && ended["outcome"]?["outcome"] == "succeeded", "\(ended.text)")
    }

    @Test("An attempt that another key has begun is not resumed beyond this key's limits")
    func limits() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        var first: ServedShop? = try await ServedShop([], in: folder, shop: shop)
        let asked = try #require(try await first?.pay(["link": Self.link, "option": "signed"], key: "a"))
        #expect(asked["action"]?["kind"] == "sign")
        await first?.api.payments.drain(within: .zero)
        first = nil
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        let low = try await served.pay(
            ["link": Self.link, "limits": [["amount": "0.01", "unit": "iso4217/EUR"]]], key: "b")
        #expect(low["state"] == "ended" && low["outcome"]?["outcome"] == "declined", "\(low.text)")
        #expect(await shop.charges == 0)
        try await served.call(.post, "/v1/payments/\(try Self.id(asked))/resume")
        #expect(try await served.settled(try Self.id(asked))["outcome"]?["outcome"] == "succeeded")
        #expect(await shop.charges == 1)
    }

    @Test("What was shown at another price is not paid, however late it is resumed")
    func price() async throws {
        let (folder, shop) = (ScratchFolder(), Shop())
        do {
            let table = try await ServeTable.opened(SQLiteRecords(path: folder.file("journal.served")))
            let order = try ServeOrder(
                stored: [
                    "link": Self.link, "option": "tab",
                    "shown": ["amount": "0.48", "unit": "iso4217/EUR", "decimals": 2],
                ])
            #expect(try ServeOrder(stored: order.json).json == order.json)
            let payment = ServedPayment(
                id: "pay_1", tenant: "local", key: "k", input: order.link, order: order, created: Date())
            _ = try await table.begin(payment, digest: "d")
        }
        let served = try await ServedShop.reopened(in: folder, shop: shop)
        try await served.call(.post, "/v1/payments/pay_1/resume")
        let ended = try await served.settled("pay_1")
        #expect(ended["outcome"]?["outcome"] == "failed", "\(ended.text)")
        #expect(ended["outcome"]?["error"]?["code"] == "unusable-option")
        #expect(await shop.charges == 0)
    }

    @Test("A payment by a quote is stored with the amount that was shown")
    func bound() async throws {
        let served = try await ServedShop([])
        let quote = try await served.call(.post, "/v1/quotes", ["link": Self.link]).json
        for body: JSONValue in [
            ["quote": try #require(quote["id"]), "option": "signed"], ["link": Self.link, "option": "signed"],
        ] {
            let asked = try await served.pay(body)
            let stored = try await served.api.payments.find(try Self.id(asked), of: "local").order?.json
            #expect(stored?["shown"]?["amount"] == "4.80", "\(stored?.text ?? "")")
            _ = try await served.call(.post, "/v1/payments/\(try Self.id(asked))/cancel")
        }
    }

    @Test("One quote of a payee, taken by two keys, is two payments; by one key it is one")
    func quoteTwice() async throws {
        let served = try await ServedShop()
        let quote = try await served.call(.post, "/v1/quotes", ["link": "https://shop.example/payee/ann"]).json
        let body: JSONValue = ["quote": try #require(quote["id"]), "option": "tab"]
        let payments = [
            try await served.pay(body, key: "may"), try await served.pay(body, key: "june"),
            try await served.pay(body, key: "may"),
        ]
        #expect(payments.allSatisfy { $0["outcome"]?["outcome"] == "succeeded" }, "\(payments)")
        #expect(payments[0]["reference"] != payments[1]["reference"])
        #expect(await served.shop.charges == 2)
    }

    @Test("Without the network, a payment that the journal has as paid is stated as paid, and an open one as unknown")
    func offline() async throws {
        let served = try await ServedShop([])
        #expect(try await served.pay(["link": Self.link, "option": "tab"])["outcome"]?["outcome"] == "succeeded")
        let other: JSONValue = ["link": "https://shop.example/order/8", "option": "coin"]
        let open = try await served.pay(other, key: "open")
        #expect(open["state"] == "waiting")
        served.gateway.stop()
        let paid = try await served.pay(["link": Self.link, "option": "tab"])
        #expect(paid["state"] == "ended" && paid["outcome"]?["outcome"] == "succeeded", "\(paid.text)")
        let path = "/v1/payments/\(try Self.id(open))"
        #expect(try await served.call(.post, path + "/cancel").status == 409)
        let left = try await served.call(.get, path).json
        #expect(left["outcome"]?["outcome"] == "unknown" && left["outcome"]?["askAgain"] == true, "\(left.text)")
        let fresh = try await served.pay(["link": "https://shop.example/order/9", "option": "tab"])
        #expect(fresh["outcome"]?["outcome"] == "failed", "\(fresh.text)")
    }
}
