import Foundation
import PaymentCore
import PaymentTesting
import TestSupport
import Testing

@testable import PayrouteCommands

/// Changes of payments, as the readers of their events see them.
@Suite("serve: changes of payments")
struct ServeChangeTests {
    private static let link: JSONValue = "https://shop.example/order/7"

    @Test("A reader sees a caller's answer, and the outcome and the end of the payment")
    func answered() async throws {
        let served = try await ServedShop([])
        let asked = try await served.pay(["link": Self.link, "option": "signed"])
        let changes = await served.api.payments.changes(of: try #require(asked["id"]?.string))
        #expect(try await served.answer(asked, ["result": "0x01"])["state"] == "ended")
        // The question may be one more, which the payment had before.
        #expect((3...4).contains(try await Self.changes(changes, served).filter { $0 == nil }.count))
    }

    @Test("A reader sees a payment resume, its messages, its outcome and its end")
    func resumed() async throws {
        let served = try await ServedShop()
        let file = served.folder.file("journal")
        try FileManager.default.moveItem(atPath: file, toPath: file + "-away")
        let left = try await served.pay(["link": Self.link, "option": "tab"])
        let id = try #require(left["id"]?.string)
        #expect(left["state"] == "interrupted")
        try FileManager.default.moveItem(atPath: file + "-away", toPath: file)
        let changes = await served.api.payments.changes(of: id)
        try await served.call(.post, "/v1/payments/\(id)/resume")
        #expect(try await served.settled(id)["state"] == "ended")
        let seen = try await Self.changes(changes, served)
        #expect(seen.filter { $0 == nil }.count == 3 && seen.count > 3 && seen.first == .some(nil), "\(seen)")
    }

    @Test("A reader of a payment that has ended sees no messages of another payment of the same order")
    func other() async throws {
        let served = try await ServedShop()
        let body: JSONValue = ["link": Self.link, "option": "tab"]
        let first = try await served.pay(body)
        let changes = await served.api.payments.changes(of: try #require(first["id"]?.string))
        #expect(try await served.pay(body)["outcome"]?["outcome"] == "succeeded")
        #expect(try await Self.changes(changes, served).compactMap(\.self) == [])
    }

    @Test("A reader that falls behind gets the latest 64 changes")
    func slow() async throws {
        let served = try await ServedShop([])
        let (payments, actions) = (served.api.payments, served.api.payments.actions)
        let changes = await payments.changes(of: "pay_1")
        for _ in 0..<70 {
            async let answer = actions.ask(.code, [:], of: "pay_1", answer: [], check: { _ in })
            try await eventually("it asks nothing") { await actions.isAsking("pay_1") }
            let id = try #require(await actions.action(of: "pay_1")?["id"]?.string)
            try await actions.answer(id, of: "pay_1", with: [])
            _ = try await answer
        }
        #expect(try await Self.changes(changes, served).count == 64)
    }

    @Test("A reader that has gone is forgotten, and no other")
    func gone() async throws {
        let payments = try await ServedShop().api.payments
        var readers: [AsyncStream<String?>] = []
        for _ in 0..<3 { readers.append(await payments.changes(of: "pay_1")) }
        let begun = ContinuousClock.now
        while !readers.isEmpty {
            readers.removeLast()
            while await payments.watchers["pay_1"]?.count ?? 0 != readers.count {
                try #require(ContinuousClock.now - begun < .seconds(20), "\(readers.count) are left")
                await Task.yield()
            }
        }
        #expect(await payments.watchers.isEmpty)
    }

    /// Returns what a reader has seen at the end of the server.
    private static func changes(_ changes: AsyncStream<String?>, _ served: ServedShop) async throws -> [String?] {
        await served.api.payments.drain(within: .seconds(5))
        return await changes.reduce(into: []) { $0.append($1) }
    }
}
