import Foundation
import PaymentCore
import PaymentRouting
import TestSupport
import Testing

@testable import PayrouteCommands

/// The file of what callers of `payroute serve` asked for.
@Suite("serve: the file of payments")
struct ServeTableTests {
    private let folder = ScratchFolder()

    @Test("A payment is open until its end, and bound to no quote and stated no more after it")
    func ended() async throws {
        let table = try ServeTable(path: folder.file("served"))
        let order = try ServeOrder(stored: ["link": "https://shop.example/order/7"])
        let payment = ServedPayment(
            id: "pay_1", tenant: "ann", key: "k", input: order.link, order: order, created: Date())
        _ = try await table.begin(payment, digest: "d")
        try await table.bind("pay_1", order, terms: ["payee": "The shop"])
        try await table.state("pay_1", ["outcome": "unknown"], isEnd: false, webhook: "msg_1", at: Date())
        let webhook = try #require(try await table.nextWebhook(of: "ann"))
        #expect(try JSONValue(parsing: webhook.body)["type"] == "payment.interrupted")
        try await table.state("pay_1", ["outcome": "cancelled"], isEnd: true, at: Date())
        await #expect(throws: JournalError.self) { try await table.bind("pay_1", order, terms: ["payee": "Eve"]) }
        try await table.state("pay_1", ["outcome": "succeeded"], isEnd: false, at: Date())
        try await table.name("pay_1", PaymentReference(provider: "shop", id: "7"))
        let ended = try #require(try await table.payment("pay_1", of: "ann"))
        #expect(ended.hasEnded && ended.order == nil && ended.intent == nil && ended.reference == nil)
        #expect(ended.terms == ["payee": "The shop"] && ended.outcome == ["outcome": "cancelled"])
        #expect(try await table.open().isEmpty)
    }

    @Test("The stored form of a request keeps the amount that the caller has named")
    func amount() throws {
        let order = try ServeOrder(stored: ["link": "pay:1", "amount": ["amount": "7", "unit": "sat"]])
        let amount = try Money(minorUnits: 7, currency: .satoshi)
        #expect(order.amount == amount)
        #expect(try ServeOrder(stored: order.json).amount == amount)
    }

    @Test("Nothing is pruned where there is no file, and none is made")
    func noFile() throws {
        let path = folder.file("none")
        #expect(try ServeTable.prune(path, endedBefore: .distantFuture) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
